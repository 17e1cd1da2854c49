import IssueReporting
public import MatchCore
public import MatchWire

/// What the scheduler needs of the event bus. Confined to its thread.
public struct SchedulerBus {
  /// Publishes service events, each to the queue of its slot, and waits for the confirms. All are
  /// tried before the first that was not confirmed is thrown; an event that was may therefore be
  /// published again.
  public var publish: ([(slot: Slot, body: [UInt8])]) throws(BusError) -> Void
  /// Publishes service events without waiting for the confirms, so that no queue keeps another one
  /// waiting. `troubles` says what became of them.
  /// - Throws: `refused` where the broker takes nothing at all, and what ended the connection.
  public var send: ([(slot: Slot, body: [UInt8])]) throws(BusError) -> Void
  /// What the broker has refused of what was sent since the last call, by the slot, and the slots
  /// of whose events it has not said anything for seconds: `timedOut`.
  public var troubles: () throws(BusError) -> [Slot: BusError]
  /// Asks every reader that is there, without waiting and past whatever players have asked.
  /// - Throws: `refused` where the broker takes nothing at all, and what ended the connection.
  public var ask: (_ query: [UInt8]) throws(BusError) -> Void
  /// What readers have answered since the last call; never waits. A connection that is lost brings no
  /// answers any more, and the next `ask` has another one.
  public var answers: () -> [[UInt8]]
  /// Closes the connections.
  public var close: () -> Void

  /// Puts a bus together.
  public init(
    publish: @escaping ([(slot: Slot, body: [UInt8])]) throws(BusError) -> Void,
    send: @escaping ([(slot: Slot, body: [UInt8])]) throws(BusError) -> Void,
    troubles: @escaping () throws(BusError) -> [Slot: BusError],
    ask: @escaping (_ query: [UInt8]) throws(BusError) -> Void,
    answers: @escaping () -> [[UInt8]],
    close: @escaping () -> Void
  ) {
    self.publish = publish
    self.send = send
    self.troubles = troubles
    self.ask = ask
    self.answers = answers
    self.close = close
  }

  /// Swallows everything.
  public static var noop: SchedulerBus {
    SchedulerBus(
      publish: { _ in }, send: { _ in }, troubles: { [:] }, ask: { _ in }, answers: { [] },
      close: {})
  }

  /// Reports an issue whenever it is used, and is disconnected.
  public static var failing: SchedulerBus {
    SchedulerBus(
      publish: { _ throws(BusError) in throw busFailure("SchedulerBus.publish") },
      send: { _ throws(BusError) in throw busFailure("SchedulerBus.send") },
      troubles: { () throws(BusError) in throw busFailure("SchedulerBus.troubles") },
      ask: { _ throws(BusError) in throw busFailure("SchedulerBus.ask") },
      answers: {
        reportIssue("Unimplemented: SchedulerBus.answers")
        return []
      },
      close: { reportIssue("Unimplemented: SchedulerBus.close") })
  }
}

/// What the outbox relay needs of the event bus. Confined to its thread.
public struct RelayBus {
  /// Publishes push jobs and waits for the confirms, for a bounded time.
  /// Returns the jobs that the broker has confirmed.
  public var publish: ([PushJob]) throws(BusError) -> [PushJobID]
  /// Closes the connection.
  public var close: () -> Void

  /// Puts a bus together.
  public init(
    publish: @escaping ([PushJob]) throws(BusError) -> [PushJobID],
    close: @escaping () -> Void
  ) {
    self.publish = publish
    self.close = close
  }

  /// Confirms everything.
  public static var noop: RelayBus { RelayBus(publish: { $0.map(\.id) }, close: {}) }

  /// Reports an issue whenever it is used, and is disconnected.
  public static var failing: RelayBus {
    RelayBus(
      publish: { _ throws(BusError) in throw busFailure("RelayBus.publish") },
      close: { reportIssue("Unimplemented: RelayBus.close") })
  }
}

/// What the reader needs of the event bus. Confined to its thread.
public struct ReaderBus {
  /// Queries and outcomes that have arrived, at most so many; waits only if nothing has. Asking for
  /// more says that the queries given before are done with; until then they go to another reader if
  /// this one dies. The service's own queries come first.
  public var receive: (_ limit: Int, _ wait: Duration) throws(BusError) -> [Incoming]
  /// The service's own queries that have arrived meanwhile, so that they wait behind nobody's; never
  /// waits, and is done with nothing that `receive` gave. What is wrong with the connection shows
  /// at the next `receive`.
  public var ownQueries: () -> [Incoming]
  /// Answers by direct reply-to, without waiting; what the broker does not take at once is dropped.
  public var answer: ([Answer]) throws(BusError) -> Void
  /// Closes the connections.
  public var close: () -> Void

  /// What a reader hears.
  public enum Incoming: Hashable, Sendable {
    /// Somebody asks.
    case query(body: [UInt8], replyTo: String?, correlationID: String?)
    /// Something changed, by routing key.
    case outcome(routingKey: String, body: [UInt8])
  }

  /// An answer to a query.
  public struct Answer: Hashable, Sendable {
    /// Where the asker waits.
    public var replyTo: String
    /// What the asker knows the answer by.
    public var correlationID: String
    /// The answer.
    public var body: [UInt8]

    /// Puts an answer together.
    public init(replyTo: String, correlationID: String, body: [UInt8]) {
      self.replyTo = replyTo
      self.correlationID = correlationID
      self.body = body
    }
  }

  /// Puts a bus together.
  public init(
    receive: @escaping (_ limit: Int, _ wait: Duration) throws(BusError) -> [Incoming],
    ownQueries: @escaping () -> [Incoming],
    answer: @escaping ([Answer]) throws(BusError) -> Void,
    close: @escaping () -> Void
  ) {
    self.receive = receive
    self.ownQueries = ownQueries
    self.answer = answer
    self.close = close
  }

  /// Hears nothing, swallows everything.
  public static var noop: ReaderBus {
    ReaderBus(receive: { _, _ in [] }, ownQueries: { [] }, answer: { _ in }, close: {})
  }

  /// Reports an issue whenever it is used, and is disconnected.
  public static var failing: ReaderBus {
    ReaderBus(
      receive: { _, _ throws(BusError) in throw busFailure("ReaderBus.receive") },
      ownQueries: {
        reportIssue("Unimplemented: ReaderBus.ownQueries")
        return []
      },
      answer: { _ throws(BusError) in throw busFailure("ReaderBus.answer") },
      close: { reportIssue("Unimplemented: ReaderBus.close") })
  }
}

/// What the push worker needs of the event bus. Confined to its thread.
public struct PushBus {
  /// Push jobs that have arrived, at most so many; waits only if nothing has.
  public var receive: (_ limit: Int, _ wait: Duration) throws(BusError) -> [Delivery]
  /// Acknowledges deliveries.
  public var acknowledge: (_ tags: [UInt64]) throws(BusError) -> Void
  /// Puts jobs into the retry queues of their delays with their counts of attempts, waits for the
  /// confirms, and acknowledges the deliveries whose jobs are confirmed; throws where one is not.
  public var retry: ([Delayed]) throws(BusError) -> Void
  /// Shows the broker a sign of life, without waiting; to be called while something else takes
  /// long.
  public var serveHeartbeats: () throws(BusError) -> Void
  /// Closes the connection; unacknowledged deliveries go back.
  public var close: () -> Void

  /// A push job as it was delivered.
  public struct Delivery: Hashable, Sendable {
    /// What acknowledges it.
    public var tag: UInt64
    /// The job; nil where the message is none.
    public var job: PushJob?
    /// How often it was tried before.
    public var attempts: Int
    /// How often the broker has delivered the message that it came with, this time included.
    public var deliveryCount: Int
    /// The message, byte for byte.
    public var body: [UInt8]

    /// Puts a delivery together.
    public init(
      tag: UInt64, job: PushJob?, attempts: Int, deliveryCount: Int = 1, body: [UInt8]
    ) {
      self.tag = tag
      self.job = job
      self.attempts = attempts
      self.deliveryCount = deliveryCount
      self.body = body
    }
  }

  /// How long a job waits before it is tried again; each has a queue of its own.
  public enum RetryDelay: Int, Hashable, Sendable, CaseIterable {
    /// One second.
    case oneSecond = 1
    /// Ten seconds.
    case tenSeconds = 10
    /// A minute.
    case oneMinute = 60
    /// Five minutes.
    case fiveMinutes = 300
    /// Half an hour.
    case halfAnHour = 1_800
    /// Two hours.
    case twoHours = 7_200
    /// Five hours.
    case fiveHours = 18_000

    /// Those that a build before schema 11 knows.
    public static let short: [RetryDelay] = [.oneSecond, .tenSeconds, .oneMinute]

    /// How long a message waits, in milliseconds: of long delays a random fifth is taken off at most,
    /// so that what failed together does not come back together.
    public func milliseconds(random: UInt64) -> Int64 {
      let whole = Int64(rawValue) * 1_000
      guard rawValue >= RetryDelay.oneMinute.rawValue else { return whole }
      return whole - Int64(random % UInt64(whole / 5 + 1))
    }
  }

  /// A delivery that is to be tried again.
  public struct Delayed: Hashable, Sendable {
    /// The delivery.
    public var delivery: Delivery
    /// After how long.
    public var delay: RetryDelay

    /// Puts it together.
    public init(_ delivery: Delivery, after delay: RetryDelay) {
      self.delivery = delivery
      self.delay = delay
    }
  }

  /// Puts a bus together.
  public init(
    receive: @escaping (_ limit: Int, _ wait: Duration) throws(BusError) -> [Delivery],
    acknowledge: @escaping (_ tags: [UInt64]) throws(BusError) -> Void,
    retry: @escaping ([Delayed]) throws(BusError) -> Void,
    serveHeartbeats: @escaping () throws(BusError) -> Void,
    close: @escaping () -> Void
  ) {
    self.receive = receive
    self.acknowledge = acknowledge
    self.retry = retry
    self.serveHeartbeats = serveHeartbeats
    self.close = close
  }

  /// Hears nothing, swallows everything.
  public static var noop: PushBus {
    PushBus(
      receive: { _, _ in [] }, acknowledge: { _ in }, retry: { _ in }, serveHeartbeats: {},
      close: {})
  }

  /// Reports an issue whenever it is used, and is disconnected.
  public static var failing: PushBus {
    PushBus(
      receive: { _, _ throws(BusError) in throw busFailure("PushBus.receive") },
      acknowledge: { _ throws(BusError) in throw busFailure("PushBus.acknowledge") },
      retry: { _ throws(BusError) in throw busFailure("PushBus.retry") },
      serveHeartbeats: { () throws(BusError) in throw busFailure("PushBus.serveHeartbeats") },
      close: { reportIssue("Unimplemented: PushBus.close") })
  }
}
