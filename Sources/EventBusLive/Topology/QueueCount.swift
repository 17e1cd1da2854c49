import LibRabbitMQ
package import MatchInterfaces

extension QueueCount {
  /// Asks for queues by name. Absent queues are left out.
  /// - Parameter limit: The most time for connecting, all nodes of a cluster together, and for the
  ///   answers.
  /// - Throws: `disconnected`, `timedOut` or `notPermitted`.
  package static func of(
    _ queues: [String], at address: BrokerAddress, within limit: Duration = .seconds(3),
    clock: WallClock = .live
  ) throws(BusError) -> [QueueCount] {
    let visitor = Visitor(address, "cubist status", within: limit)
    defer { visitor.close() }
    let began = clock.uptimeNanoseconds()
    var counts: [QueueCount] = []
    for name in queues {
      guard clock.uptimeNanoseconds() &- began < UInt64(limit / .nanoseconds(1)) else {
        throw .timedOut("\(counts.count) of \(queues.count) queues were told within \(limit)")
      }
      guard let status = try visitor.status(of: name) else { continue }
      counts.append(
        QueueCount(
          name: name, ready: status.messageCount, consumers: status.consumerCount))
    }
    return counts
  }
}
