/// How much the queues hold at most.
///
/// They are arguments of the queues, not policies: those need the management API, and a broker
/// without them would grow until an alarm stops everybody. An argument cannot be changed later;
/// where a policy sets the same limit, the lower one holds, so an operator can lower them at any
/// time.
/// Source: https://www.rabbitmq.com/docs/maxlength
public struct TopologyLimits: Hashable, Sendable {
  /// What one queue holds at most; beyond it messages are refused to their publisher.
  public struct Length: Hashable, Sendable {
    public var messages: Int
    /// Bytes of their bodies.
    public var bytes: Int

    /// A limit by both.
    public init(messages: Int, bytes: Int) {
      self.messages = messages
      self.bytes = bytes
    }
  }

  private static let megabyte = 1_024 * 1_024

  /// Each queue of events: some minutes of a busy service. A sender beyond it is told `refused`.
  public var events = Length(messages: 50_000, bytes: 128 * megabyte)
  /// Queries that wait for a reader.
  public var queries = Length(messages: 10_000, bytes: 16 * megabyte)
  /// Push jobs, and each queue of those that are tried again; beyond it they stay in the outbox.
  public var push = Length(messages: 200_000, bytes: 256 * megabyte)
  /// The former queue of dead letters.
  public var formerDead = Length(messages: 100_000, bytes: 256 * megabyte)
  /// How often a queue delivers an event or a job before it drops it: never, as far as anybody will
  /// see, since workers give up much earlier what they cannot handle, and keep it.
  ///
  /// From RabbitMQ 4 on a queue that names no limit drops a message after twenty deliveries.
  public var deliveries = 1_000_000
  /// How long a query waits for a reader, in milliseconds.
  public var queryLifeMilliseconds = 60_000

  public init() {}
}
