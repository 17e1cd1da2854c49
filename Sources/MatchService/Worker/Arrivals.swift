import MatchCore
import MatchInterfaces

/// What has arrived for a worker and is in no batch yet.
///
/// Reading and verifying takes most of a worker's time, so it is done while the store is waited
/// for. It needs nothing but the delivery: whatever the batch under way comes to, it stays true.
///
/// What came often is not read ahead: it may be what ended the workers before, and whatever stands
/// before it is to be committed first.
final class Arrivals {
  /// The next work to be judged.
  enum Part {
    /// Deliveries that are read.
    case together([Intake])
    /// One that came often, not yet read.
    case alone(EventDelivery)
  }

  private enum State {
    /// What arrives is read while the store is waited for.
    case reading
    /// What was taken last is judged alone: nothing is read meanwhile.
    case alone
    /// Nothing can be received any more; whoever takes is told why.
    case failed(BusError)
  }

  private let environment: Batch.Environment
  private let bus: WorkerBus
  private let clock: WallClock
  private let verifier: SignatureVerifier
  private let limit: Int
  private let carefulFromDelivery: Int
  private var prepared: [Intake] = []
  /// Received and not yet prepared; they come after those that are.
  private var received: ArraySlice<EventDelivery> = []
  private var state = State.reading
  private var lastServed: UInt64 = 0

  /// How often the broker hears of a worker that has enough to do.
  private static let heartbeatNanoseconds: UInt64 = 1_000_000_000

  /// Nothing has arrived yet; of what arrives no more than `limit` deliveries are taken at a time,
  /// and each alone that comes the `carefulFromDelivery`th time or later.
  init(
    environment: Batch.Environment, bus: WorkerBus, clock: WallClock, verifier: SignatureVerifier,
    limit: Int, carefulFromDelivery: Int
  ) {
    self.environment = environment
    self.bus = bus
    self.clock = clock
    self.verifier = verifier
    self.limit = limit
    self.carefulFromDelivery = carefulFromDelivery
  }

  /// Gives all that has arrived, in order, read, up to what came often, or that if it is the first;
  /// waits if there is nothing.
  func take(wait: Duration) throws(BusError) -> Part? {
    try goOn()
    let known = prepared.count + received.count
    if known < limit { received += try bus.receive(limit - known, known == 0 ? wait : .zero) }
    let ready = received.prefix { $0.deliveryCount < carefulFromDelivery }
    for delivery in ready { prepare(delivery) }
    if ready.count == received.count { received = [] } else { received.removeFirst(ready.count) }
    if !prepared.isEmpty {
      defer { prepared = [] }
      return .together(prepared)
    }
    guard let delivery = received.popFirst() else { return nil }
    state = .alone
    return .alone(delivery)
  }

  /// Prepares one more, if there is one; gives whether there may be another.
  func prepareOne() -> Bool {
    if received.isEmpty { receive() }
    guard let delivery = received.first else { return false }
    guard case .reading = state, delivery.deliveryCount < carefulFromDelivery else {
      serveHeartbeats()
      return false
    }
    received.removeFirst()
    prepare(delivery)
    return true
  }

  /// Serves the broker while the store is waited for, and reads what has arrived, up to a batch.
  func keepReading() throws(BusError) {
    while prepareOne() {}
    if case .failed(let error) = state { throw error }
  }

  /// Gives what has been read behind what is being judged; that has been read by now, so that it
  /// ends nobody.
  func takeMore() throws(BusError) -> [Intake] {
    try goOn()
    try keepReading()
    defer { prepared = [] }
    return prepared
  }

  /// Reads a delivery that was taken alone.
  func intake(of delivery: EventDelivery) -> Intake {
    Intake(
      delivery, identity: environment.identity, layout: environment.layout, verifier: verifier)
  }

  /// Forgets everything: it comes again.
  func forget() {
    prepared = []
    received = []
    if case .alone = state { state = .reading }
  }

  /// Nothing is judged alone any more.
  private func goOn() throws(BusError) {
    if case .failed(let error) = state { throw error }
    state = .reading
  }

  private func receive() {
    if case .failed = state { return }
    guard prepared.count < limit else { return serveHeartbeats() }
    do throws(BusError) {
      received += try bus.receive(limit - prepared.count, .zero)
    } catch {
      state = .failed(error)
    }
  }

  private func serveHeartbeats() {
    let now = clock.uptimeNanoseconds()
    guard now &- lastServed >= Arrivals.heartbeatNanoseconds else { return }
    lastServed = now
    bus.serveHeartbeats()
  }

  private func prepare(_ delivery: EventDelivery) { prepared.append(intake(of: delivery)) }
}
