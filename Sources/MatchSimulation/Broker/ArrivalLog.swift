import MatchCore

/// Everything that has arrived in the queues of events, in order. For checks only.
struct ArrivalLog {
  /// The messages of each queue, as they arrived.
  private(set) var messages: [Int: [SimulatedBroker.Message]] = [:]
  private var firstSerials: [BytesKey: Int] = [:]
  private var firstTimes: [BytesKey: Instant] = [:]
  private var mostDeliveries: [BytesKey: Int] = [:]

  /// Notes a message that a queue has accepted.
  mutating func note(_ message: SimulatedBroker.Message, in queue: Int) {
    messages[queue, default: []].append(message)
    let key = BytesKey(message.body)
    if firstSerials[key] == nil { firstSerials[key] = message.serial }
    if firstTimes[key] == nil { firstTimes[key] = message.arrivedAt }
  }

  /// Forgets a message that has expired: nobody ever sees it.
  mutating func forget(_ message: SimulatedBroker.Message, in queue: Int) {
    messages[queue]?.removeAll { $0.serial == message.serial }
    let key = BytesKey(message.body)
    guard firstSerials[key] == message.serial else { return }
    let others = messages.values.joined().filter { $0.body == message.body }
    firstSerials[key] = others.map(\.serial).min()
  }

  /// Notes that a message is delivered.
  mutating func deliver(_ message: SimulatedBroker.Message) {
    let key = BytesKey(message.body)
    mostDeliveries[key] = max(mostDeliveries[key] ?? 0, message.deliveries)
  }

  /// The most deliveries of any message with these bytes.
  func deliveries(of body: [UInt8]) -> Int { mostDeliveries[BytesKey(body)] ?? 0 }

  /// The time at which the first message with these bytes arrived.
  func firstTime(of body: [UInt8]) -> Instant? { firstTimes[BytesKey(body)] }

  /// The place of the first message with these bytes in the order of arrival.
  func firstSerial(of body: [UInt8]) -> Int? { firstSerials[BytesKey(body)] }
}
