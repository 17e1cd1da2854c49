import CubistBasics
public import MatchCore

/// One of the 1,024 slots that events are routed by. The events of one slot are handled in order.
///
/// FNV-1a 64 of the id's sixteen raw bytes modulo 1,024, for ever. Source: draft-eastlake-fnv.
public struct Slot: Hashable, Sendable, Comparable, CustomStringConvertible {
  public static let count = WireLimits.slotCount

  /// 0..<1024.
  public let number: Int

  /// The slot with a number. Nil outside 0..<1024.
  public init?(number: Int) {
    guard 0..<Slot.count ~= number else { return nil }
    self.number = number
  }

  /// Reads a routing key: the number in decimal, without leading zeros. Nil for anything else.
  public init?(routingKey: String) {
    guard let number = Int(routingKey), String(number) == routingKey else { return nil }
    self.init(number: number)
  }

  public init(of id: some Identifier) {
    var hash = FNV1a()
    withUnsafeBytes(of: id.rawValue.bigEndian) { bytes in
      for byte in bytes { hash.add(byte) }
    }
    number = Int(hash.value % UInt64(Slot.count))
  }

  /// The slot of an event: that of the match it names (for a rematch, the finished one), otherwise
  /// that of the player that the service names, otherwise that of its sender. Nil for ticks. They go
  /// to a queue and not to a slot.
  public init?(of event: Event) {
    if case .ticked = event.action { return nil }
    if let match = event.match {
      self.init(of: match)
    } else {
      self.init(of: event.aboutPlayer ?? event.player)
    }
  }

  /// The routing key: the number in decimal.
  public var routingKey: String { String(number) }

  /// The number in decimal.
  public var description: String { routingKey }

  /// Orders by number.
  public static func < (left: Slot, right: Slot) -> Bool { left.number < right.number }
}

/// The slots of each queue. The number of queues can change without any client's knowledge.
public struct QueueLayout: Hashable, Sendable {
  /// The number of queues, 1...1024.
  public let queueCount: Int

  /// A layout with this many queues. Nil outside 1...1024.
  public init?(queueCount: Int) {
    guard 1...Slot.count ~= queueCount else { return nil }
    self.queueCount = queueCount
  }

  public static let standard = QueueLayout(unchecked: 16)

  private init(unchecked queueCount: Int) { self.queueCount = queueCount }

  /// The queue of a slot, 0..<queueCount.
  public func queue(of slot: Slot) -> Int { slot.number % queueCount }

  /// The slots of a queue, in order. Empty for a queue that does not exist.
  public func slots(of queue: Int) -> [Slot] {
    guard 0..<queueCount ~= queue else { return [] }
    return stride(from: queue, to: Slot.count, by: queueCount).compactMap { Slot(number: $0) }
  }
}
