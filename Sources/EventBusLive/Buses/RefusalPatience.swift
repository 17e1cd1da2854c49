/// The time that a connection is kept after the broker refuses its messages.
///
/// Usually a queue is full then, and another connection would not change that. In a cluster a
/// channel may be opened between the death of a queue's leader and the election of the next one.
/// Such a channel holds on to the dead leader and refuses everything for that queue until the node
/// is back.
/// Source: `rabbit_fifo_client:enqueue/3` of RabbitMQ 3.10.
struct RefusalPatience {
  /// A younger connection is kept. Otherwise a full queue would make everybody connect anew all the
  /// time.
  static let nanoseconds: UInt64 = 5_000_000_000

  private let openedAt: UInt64

  init(openedAt: UInt64) { self.openedAt = openedAt }

  /// Whether a connection that is refused at this uptime must be replaced.
  func isOver(at now: UInt64) -> Bool { now &- openedAt >= RefusalPatience.nanoseconds }
}
