/// The most that the queues hold.
///
/// The limits are arguments of the queues, not policies. Policies need the management API, and a
/// broker without limits would grow until an alarm stops everybody. An argument cannot be changed
/// later. If a policy sets the same limit, the lower one holds, so an operator can lower limits at
/// any time.
/// Source: https://www.rabbitmq.com/docs/maxlength
package struct TopologyLimits: Hashable, Sendable {
  /// The capacity of one queue. Beyond it the publisher's messages are refused.
  package struct Length: Hashable, Sendable {
    package var messages: Int
    package var bytes: Int
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
  /// The deliveries of an event or a job before a queue drops it. In practice it never does:
  /// workers give up much earlier on messages that they cannot handle, and keep them.
  ///
  /// From RabbitMQ 4 on a queue that names no limit drops a message after twenty deliveries.
  package var deliveries = 1_000_000
  /// The time that a query waits for a reader, in milliseconds.
  package var queryLifeMilliseconds = 60_000
}
