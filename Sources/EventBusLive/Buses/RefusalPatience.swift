/// How long a connection is kept whose messages the broker refuses.
///
/// Mostly a queue is full then, and no other connection would change that. In a cluster, however, a
/// channel that was opened between the death of a queue's leading node and the election of the next
/// leader holds on to the dead one, and refuses everything for that queue until the node is back.
/// Source: `rabbit_fifo_client:enqueue/3` of RabbitMQ 3.10.
struct RefusalPatience {
  /// A connection that is younger is kept, so that a full queue does not make everybody connect
  /// anew all the time.
  static let nanoseconds: UInt64 = 5_000_000_000

  private let openedAt: UInt64

  /// A connection that was opened at this uptime.
  init(openedAt: UInt64) { self.openedAt = openedAt }

  /// Whether a connection that is refused at this uptime is to be replaced.
  func isOver(at now: UInt64) -> Bool { now &- openedAt >= RefusalPatience.nanoseconds }
}
