package import MatchCore
package import MatchWire

/// The event bus as the scheduler needs it. Confined to its thread.
package struct SchedulerBus: Interface {
  /// Publishes service events, each to the queue of its slot, and waits for the confirms. All
  /// events are tried, then the first error is thrown. So a confirmed event may be published again.
  package var publish: Ask<[(slot: Slot, body: [UInt8])], Void, BusError>
  /// Publishes service events without waiting for the confirms, so that no queue keeps another one
  /// waiting. `troubles` gives the failures.
  /// - Throws: `refused` if the broker takes nothing at all, and the error that ended the
  ///   connection.
  package var send: Ask<[(slot: Slot, body: [UInt8])], Void, BusError>
  /// The errors since the last call, by slot: the broker's refusals of sent events, and `timedOut`
  /// for slots with events about which it has said nothing for seconds.
  package var troubles: Ask<Void, [Slot: BusError], BusError>
  /// Sends a query to every reader that is there. It does not wait, and it overtakes the players'
  /// queries.
  /// - Throws: `refused` if the broker takes nothing at all, and the error that ended the
  ///   connection.
  package var ask: Ask<[UInt8], Void, BusError>
  /// The readers' answers since the last call; never waits. A lost connection brings no more
  /// answers, and the next `ask` opens a new one.
  package var answers: Ask<Void, [[UInt8]], Never>
  /// The messages and consumers of the queues of a layout, and of the other queues of the service;
  /// waits some seconds at most. Absent queues are left out.
  package var queueCounts: Ask<QueueLayout, [QueueCount], BusError>
  /// What differs in the exchanges, bindings and rights of the broker, a sentence each, as far as
  /// this process may see it; waits some seconds at most. Absent queues are not among it.
  package var topologyFaults: Ask<QueueLayout, [String], BusError>
  /// Closes the connections.
  package var close: Ask<Void, Void, Never>

  package init(_ how: Asking<BusError>, around inner: SchedulerBus?) {
    publish = how("SchedulerBus.publish", inner?.publish) { _ in }
    send = how("SchedulerBus.send", inner?.send) { _ in }
    troubles = how("SchedulerBus.troubles", inner?.troubles) { [:] }
    ask = how("SchedulerBus.ask", inner?.ask) { _ in }
    answers = how("SchedulerBus.answers", inner?.answers) { [] }
    queueCounts = how("SchedulerBus.queueCounts", inner?.queueCounts) { _ in [] }
    topologyFaults = how("SchedulerBus.topologyFaults", inner?.topologyFaults) { _ in [] }
    close = how("SchedulerBus.close", inner?.close) {}
  }
}

/// The event bus as the outbox relay needs it. Confined to its thread.
package struct RelayBus: Interface {
  /// Publishes push jobs and waits for the confirms, for a bounded time.
  /// Returns the jobs that the broker has confirmed.
  package var publish: Ask<[PushJob], [PushJobID], BusError>
  /// Closes the connection.
  package var close: Ask<Void, Void, Never>

  package init(_ how: Asking<BusError>, around inner: RelayBus?) {
    publish = how("RelayBus.publish", inner?.publish) { $0.map(\.id) }
    close = how("RelayBus.close", inner?.close) {}
  }
}

/// The event bus as the reader needs it. Confined to its thread.
package struct ReaderBus: Interface {
  /// Queries, gateways' questions and outcomes that have arrived, at most so many; waits so long
  /// only if nothing has.
  /// Asking for more says that the queries given before are done. Until then they go to another
  /// reader if this one dies. The service's own queries come first.
  package var receive: Ask<(Int, Duration), [Incoming], BusError>
  /// The service's own queries that have arrived meanwhile, so that they do not wait behind others.
  /// Never waits, and does not mark as done the queries that `receive` gave. An error of the
  /// connection shows at the next `receive`.
  package var ownQueries: Ask<Void, [Incoming], Never>
  /// Answers by direct reply-to, without waiting. An answer that the broker does not take at once
  /// is dropped.
  package var answer: Ask<[Answer], Void, BusError>
  /// Closes the connections.
  package var close: Ask<Void, Void, Never>

  /// A message to a reader.
  package enum Incoming: Hashable, Sendable {
    /// Somebody asks.
    case query(
      body: [UInt8], replyTo: String?, correlationID: String?, trace: RequestTrace? = nil)
    /// A gateway asks (`GatewayQuery`).
    case gatewayQuery(
      body: [UInt8], replyTo: String?, correlationID: String?, trace: RequestTrace? = nil)
    /// Something changed, by routing key.
    case outcome(routingKey: String, body: [UInt8])
  }

  /// An answer to a query.
  package struct Answer: Hashable, Sendable {
    /// Where the asker waits.
    package var replyTo: String
    /// The correlation id, by which the asker knows the answer.
    package var correlationID: String
    package var body: [UInt8]

    package init(replyTo: String, correlationID: String, body: [UInt8]) {
      self.replyTo = replyTo
      self.correlationID = correlationID
      self.body = body
    }
  }

  package init(_ how: Asking<BusError>, around inner: ReaderBus?) {
    receive = how("ReaderBus.receive", inner?.receive) { _, _ in [] }
    ownQueries = how("ReaderBus.ownQueries", inner?.ownQueries) { [] }
    answer = how("ReaderBus.answer", inner?.answer) { _ in }
    close = how("ReaderBus.close", inner?.close) {}
  }
}

/// The event bus as the push worker needs it. Confined to its thread.
package struct PushBus: Interface {
  /// Push jobs that have arrived, at most so many; waits so long only if nothing has.
  package var receive: Ask<(Int, Duration), [Delivery], BusError>
  /// Acknowledges deliveries, by their tags.
  package var acknowledge: Ask<[UInt64], Void, BusError>
  /// Puts jobs into the retry queues of their delays with their counts of attempts, and into one of
  /// a shorter delay where a queue is full. Waits for the confirms, and acknowledges the deliveries
  /// whose jobs are confirmed. Throws if one is not.
  package var retry: Ask<[Delayed], Void, BusError>
  /// Shows the broker a sign of life, without waiting; to be called while something else takes
  /// long.
  package var serveHeartbeats: Ask<Void, Void, BusError>
  /// Sends a notice of changes to everybody who watches, without waiting. If the broker does not
  /// take it at once, it is dropped.
  package var announce: Ask<[UInt8], Void, BusError>
  /// Closes the connections; unacknowledged deliveries go back.
  package var close: Ask<Void, Void, Never>

  /// A push job as it was delivered.
  package struct Delivery: Hashable, Sendable {
    /// The broker's number for it, to acknowledge it by.
    package var tag: UInt64
    /// The job; nil if the message is none.
    package var job: PushJob?
    /// How often it was tried before.
    package var attempts: Int
    /// How often the broker has delivered the message that it came with, this time included.
    package var deliveryCount: Int
    /// The message, byte for byte.
    package var body: [UInt8]
    /// The player's devices that have it already: of a copy that is tried again for the others.
    package var reached: Set<DeviceName>
    /// The player's devices that have refused it for good. They are not asked again.
    package var refused: Set<DeviceName>
    /// When the service first published it, also of a copy that is tried again. Nil: unknown.
    package var publishedAt: Instant?
    /// Whether it is a copy of a job that a device may have, as a notification of its own, though
    /// no answer said so.
    package var isInDoubt: Bool

    package init(
      tag: UInt64, job: PushJob?, attempts: Int, deliveryCount: Int = 1, body: [UInt8],
      reached: Set<DeviceName> = [], refused: Set<DeviceName> = [], publishedAt: Instant? = nil,
      isInDoubt: Bool = false
    ) {
      self.tag = tag
      self.job = job
      self.attempts = attempts
      self.deliveryCount = deliveryCount
      self.body = body
      self.reached = reached
      self.refused = refused
      self.publishedAt = publishedAt
      self.isInDoubt = isInDoubt
    }

    /// The devices that are done with it: they have it, or have refused it for good.
    package var settled: Set<DeviceName> { reached.union(refused) }
  }

  /// How long a job waits before it is tried again; each has a queue of its own.
  package enum RetryDelay: Int, Hashable, Sendable, CaseIterable {
    case oneSecond = 1
    case tenSeconds = 10
    case oneMinute = 60
    case fiveMinutes = 300
    case halfAnHour = 1_800
    case twoHours = 7_200
    case fiveHours = 18_000

    /// Those that a build before schema 11 knows.
    package static let short: [RetryDelay] = [.oneSecond, .tenSeconds, .oneMinute]

    /// The longest delay that is shorter; nil: there is none.
    package var shorter: RetryDelay? { RetryDelay.allCases.last { $0.rawValue < rawValue } }

    /// How long a message waits, in milliseconds. Of long delays a random fifth is taken off at
    /// most, so that jobs that failed together do not come back together.
    package func milliseconds(random: UInt64) -> Int64 {
      wholeMilliseconds - Int64(random % UInt64(spreadMilliseconds + 1))
    }

    /// The shortest time that a message waits.
    package var least: Duration { .milliseconds(wholeMilliseconds - spreadMilliseconds) }

    private var wholeMilliseconds: Int64 { Int64(rawValue) * 1_000 }
    private var spreadMilliseconds: Int64 {
      rawValue >= RetryDelay.oneMinute.rawValue ? wholeMilliseconds / 5 : 0
    }
  }

  /// A delivery that is to be tried again.
  package struct Delayed: Hashable, Sendable {
    package var delivery: Delivery
    /// After how long.
    package var delay: RetryDelay
    /// The devices that have it by now.
    package var reached: Set<DeviceName>
    /// The devices that have refused it for good by now.
    package var refused: Set<DeviceName>
    /// Whether it was tried. A job that only made room for others was not.
    package var isAttempt: Bool
    /// Whether a device may have it, as a notification of its own, though no answer said so. That
    /// is so of each delivery that the broker repeats: it may have ended its worker.
    package var isInDoubt: Bool

    package init(
      _ delivery: Delivery, after delay: RetryDelay, reached: Set<DeviceName> = [],
      refused: Set<DeviceName> = [], isAttempt: Bool = true, isInDoubt: Bool = false
    ) {
      self.delivery = delivery
      self.delay = delay
      self.reached = reached.union(delivery.reached)
      self.refused = refused.union(delivery.refused)
      self.isAttempt = isAttempt
      self.isInDoubt = isInDoubt || delivery.isInDoubt || delivery.deliveryCount > 1
    }

    /// How often it was tried when it comes again.
    package var attempts: Int { delivery.attempts + (isAttempt ? 1 : 0) }
  }

  package init(_ how: Asking<BusError>, around inner: PushBus?) {
    receive = how("PushBus.receive", inner?.receive) { _, _ in [] }
    acknowledge = how("PushBus.acknowledge", inner?.acknowledge) { _ in }
    retry = how("PushBus.retry", inner?.retry) { _ in }
    serveHeartbeats = how("PushBus.serveHeartbeats", inner?.serveHeartbeats) {}
    announce = how("PushBus.announce", inner?.announce) { _ in }
    close = how("PushBus.close", inner?.close) {}
  }
}

extension Names {
  /// The queue of push jobs and those in which jobs wait for their next attempt.
  package var pushQueues: [String] {
    [push] + PushBus.RetryDelay.allCases.map { pushRetry(seconds: $0.rawValue) }
  }
}
