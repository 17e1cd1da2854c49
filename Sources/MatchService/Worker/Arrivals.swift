import MatchCore
import MatchInterfaces

/// What has arrived for a worker and is in no batch yet.
///
/// Reading and verifying takes most of a worker's time, so it is done while the store is waited
/// for. It needs nothing but the delivery: whatever the batch under way comes to, it stays true.
final class Arrivals {
  private let environment: Batch.Environment
  private let bus: WorkerBus
  private let clock: WallClock
  private let verifier: SignatureVerifier
  private let limit: Int
  private var prepared: [Intake] = []
  /// Received and not yet prepared; they come after those that are.
  private var received: ArraySlice<EventDelivery> = []
  /// Why nothing can be received any more.
  private var failure: BusError?
  private var lastServed: UInt64 = 0

  /// How often the broker hears of a worker that has enough to do.
  private static let heartbeatNanoseconds: UInt64 = 1_000_000_000

  /// Nothing has arrived yet; of what arrives no more than `limit` deliveries are taken at a time.
  init(
    environment: Batch.Environment, bus: WorkerBus, clock: WallClock, verifier: SignatureVerifier,
    limit: Int
  ) {
    self.environment = environment
    self.bus = bus
    self.clock = clock
    self.verifier = verifier
    self.limit = limit
  }

  /// Gives all that has arrived, in order, prepared; waits for it if there is nothing.
  func take(wait: Duration) throws(BusError) -> [Intake] {
    if let failure { throw failure }
    let known = prepared.count + received.count
    if known < limit { received += try bus.receive(limit - known, known == 0 ? wait : .zero) }
    for delivery in received { prepare(delivery) }
    defer { forget() }
    return prepared
  }

  /// Prepares one more, if there is one; gives whether there may be another.
  func prepareOne() -> Bool {
    if received.isEmpty { receive() }
    guard let delivery = received.popFirst() else { return false }
    prepare(delivery)
    return true
  }

  /// Forgets everything: it comes again.
  func forget() {
    prepared = []
    received = []
  }

  private func receive() {
    guard failure == nil else { return }
    guard prepared.count < limit else { return serveHeartbeats() }
    do throws(BusError) {
      received += try bus.receive(limit - prepared.count, .zero)
    } catch {
      // Whoever takes them is told.
      failure = error
    }
  }

  private func serveHeartbeats() {
    let now = clock.uptimeNanoseconds()
    guard now &- lastServed >= Arrivals.heartbeatNanoseconds else { return }
    lastServed = now
    bus.serveHeartbeats()
  }

  private func prepare(_ delivery: EventDelivery) {
    prepared.append(
      Intake(
        delivery, identity: environment.identity, layout: environment.layout, verifier: verifier))
  }
}
