import MatchCore
import MatchInterfaces

/// The deliveries that have arrived for a worker and are in no batch yet.
///
/// Reading and verifying takes most of a worker's time, so it is done while the worker waits for
/// the store. It needs nothing but the delivery. So it stays true however the batch under way ends.
///
/// A delivery that came often is not read ahead: it may have ended the workers before. Everything
/// before it is to be committed first.
final class ReadAhead {
  /// The next work to be judged.
  enum Part {
    /// Deliveries that are read.
    case together([DecodedDelivery])
    /// A delivery that came often, not yet read.
    case alone(EventDelivery)
  }

  private enum State {
    /// Arriving events are read during waits for the store.
    case reading
    /// The event that was taken last is judged alone: nothing is read meanwhile.
    case alone
    /// Nothing can be received any more. Each taker is told why.
    case failed(BusError)
  }

  private let environment: Batch.Environment
  private let bus: WorkerBus
  private let clock: WallClock
  private let verifier: SignatureVerifier
  private let limit: Int
  private let carefulFromDelivery: Int
  private var prepared: [DecodedDelivery] = []
  /// Deliveries that are received and not yet prepared; they come after the prepared ones.
  private var received: ArraySlice<EventDelivery> = []
  private var state = State.reading
  private var lastServed: UInt64 = 0

  /// How often a busy worker gives the broker a sign of life.
  private static let heartbeatNanoseconds: UInt64 = 1_000_000_000

  /// Begins without deliveries. It gives at most `limit` of them at a time. A delivery that comes
  /// the `carefulFromDelivery`th time or later is given alone.
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

  /// Gives all arrived deliveries, in order and read, up to the first that came often. If that is
  /// the very first, gives it alone. Waits if there is nothing.
  func take(wait: Duration) throws(BusError) -> Part? {
    try goOn()
    let known = prepared.count + received.count
    if known < limit {
      received += stamped(try bus.receive(limit - known, known == 0 ? wait : .zero))
    }
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

  /// Serves the broker while the worker waits for the store, and reads arrived deliveries, up to a
  /// batch.
  func keepReading() throws(BusError) {
    while prepareOne() {}
    if case .failed(let error) = state { throw error }
  }

  /// Gives the deliveries that have been read behind the event that is being judged. They have been
  /// read already, so reading them ends no worker.
  func takeMore() throws(BusError) -> [DecodedDelivery] {
    try goOn()
    try keepReading()
    defer { prepared = [] }
    return prepared
  }

  /// Reads a delivery that was taken alone.
  func intake(of delivery: EventDelivery) -> DecodedDelivery {
    DecodedDelivery(
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
      received += stamped(try bus.receive(limit - prepared.count, .zero))
    } catch {
      state = .failed(error)
    }
  }

  /// The deliveries with the time of their arrival.
  private func stamped(_ deliveries: consuming [EventDelivery]) -> [EventDelivery] {
    guard !deliveries.isEmpty else { return deliveries }
    let now = clock.uptimeNanoseconds()
    for index in deliveries.indices { deliveries[index].receivedAt = now }
    return deliveries
  }

  private func serveHeartbeats() {
    let now = clock.uptimeNanoseconds()
    guard now &- lastServed >= ReadAhead.heartbeatNanoseconds else { return }
    lastServed = now
    bus.serveHeartbeats()
  }

  private func prepare(_ delivery: EventDelivery) { prepared.append(intake(of: delivery)) }
}
