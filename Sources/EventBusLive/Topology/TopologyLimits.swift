/// The most that the queues hold.
///
/// Where there is the management API, policies set them, so that they can be changed at any time.
/// Elsewhere they are arguments of the queues, which nobody can change: a broker without limits
/// would grow until an alarm stops everybody. If a queue has both, the lower limit holds.
/// Source: https://www.rabbitmq.com/docs/maxlength
package struct TopologyLimits: Hashable, Sendable {
  /// The capacity of one queue. Beyond it the publisher's messages are refused.
  package struct Length: Hashable, Sendable {
    package var messages: Int
    package var bytes: Int

    package init(messages: Int, bytes: Int) {
      (self.messages, self.bytes) = (messages, bytes)
    }
  }

  private static let megabyte = 1_024 * 1_024

  /// Each queue of events: some minutes of a busy service. Beyond it a sender gets `refused`.
  package var events = Length(messages: 50_000, bytes: 128 * megabyte)
  /// Queries that wait for a reader, and as many gateways' questions.
  package var queries = Length(messages: 10_000, bytes: 16 * megabyte)
  /// Push jobs, and each retry queue. Beyond it jobs stay in the outbox.
  package var push = Length(messages: 200_000, bytes: 256 * megabyte)
  /// The former queue of dead letters.
  package var formerDead = Length(messages: 100_000, bytes: 256 * megabyte)
  /// The deliveries of an event or a job before a queue drops it, always an argument. In practice
  /// it never does: workers give up much earlier on messages that they cannot handle, and keep them.
  ///
  /// From RabbitMQ 4 on a queue that names no limit drops a message after twenty deliveries.
  package var deliveries = 1_000_000
  /// The time that a query waits for a reader, in milliseconds.
  package var queryLifeMilliseconds = 60_000

  package init() {}
}
