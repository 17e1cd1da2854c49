import MatchCore
import MatchInterfaces
import MatchWire

/// The broker in memory, with RabbitMQ's behaviour for the service. A queue keeps its order and has
/// one active consumer of several. When a connection goes, its unacknowledged messages go back in
/// order, with their counts. Confirms may be lost or late. Queues may be full, and alarms may
/// silence publishers. Direct replies are lost with their receivers.
final class SimulatedBroker {
  /// A message in a queue.
  struct Message {
    /// Its place in the order of arrival.
    var serial = 0
    var body: [UInt8]
    var replyTo: String?
    var correlationID: String?
    /// The priority that its publisher wrote.
    var priority: UInt8?
    /// Headers that its publisher wrote.
    var headers: [SenderProperties.Header] = []
    /// The number of its deliveries.
    var deliveries = 0
    /// The number of earlier attempts at a push job: a header.
    var attempts = 0
    /// The devices that have a push job already: a header.
    var reached: Set<DeviceName> = []
    var refused: Set<DeviceName> = []
    /// Whether a device may have a push job: a header.
    var isInDoubt = false
    /// When the service published a push job: a header.
    var publishedAt: Instant?
    var arrivedAt = Instant(microseconds: 0)
    /// The time at which it is thrown away if nobody has taken it.
    var expiresAt: Instant?
    /// Its lifetime in the queue.
    var lifetime: Duration?
  }

  /// A message that was delivered and not acknowledged.
  struct Unacknowledged {
    var tag: UInt64
    var queue: Int
    var message: Message
  }

  /// A queue, with its messages and consumers.
  struct Queue {
    var ready: [Message] = []
    /// The first one is active, the others stand by.
    var consumers: [Int] = []
    /// Messages that it holds at most.
    var limit: Int
    /// Until this time it takes nothing, however empty it is. An operator's policy could cause
    /// that.
    var fullUntil: Instant?
    /// Whether publications reach it.
    var isBound = true
    private var wasFullnessFelt = false
    /// Whether a message of a high priority may be in it.
    private var holdsUrgent = false
    /// Urgent messages that were taken since the last other one, 2 at most.
    private var urgentCount = 0

    init(limit: Int) { self.limit = limit }

    mutating func add(_ message: Message) {
      ready.append(message)
      if message.overtakes { holdsUrgent = true }
    }

    /// Takes the next message as a quorum queue of RabbitMQ 4 does: one that was delivered before,
    /// else two of a high priority for each other one.
    /// Source: `rabbit_fifo_q.erl` of RabbitMQ 4.0.5
    mutating func takeNext() -> Message? {
      guard let first = ready.first else { return nil }
      guard holdsUrgent, first.deliveries == 0 else { return ready.removeFirst() }
      guard let urgent = ready.firstIndex(where: \.overtakes) else {
        holdsUrgent = false
        return ready.removeFirst()
      }
      guard urgentCount < 2 else {
        urgentCount = 0
        return ready.removeFirst()
      }
      urgentCount += 1
      return ready.remove(at: urgent)
    }

    /// Takes nothing for a while.
    mutating func fill(until time: Instant) {
      fullUntil = time
      wasFullnessFelt = false
    }

    /// The outcome of a publication. The fault of a full queue counts once a publisher has felt it.
    mutating func verdict(at now: Instant, _ faults: FaultPlan) -> Verdict {
      guard isBound else { return .returned }
      if let fullUntil, now < fullUntil {
        if !wasFullnessFelt { faults.count(.queueFull) }
        wasFullnessFelt = true
        return .refused
      }
      return ready.count < limit ? .confirmed : .refused
    }
  }

  /// The capacity of the queues.
  struct Limits {
    var events = 50_000
    var push = 200_000
    var queries = 10_000
    /// Deliveries of one queue that a worker holds. All of them count as delivered when it dies.
    var prefetch = 256
  }

  let layout: QueueLayout
  let faults: FaultPlan
  let random: SeededRandom
  let clock: VirtualClock
  let limits: Limits
  var queues: [Queue]
  var queries: Queue
  var gatewayQueries: Queue
  var push: Queue
  var retries: [PushBus.RetryDelay: Queue] = [:]
  /// The arrivals in the queues of events. For checks only.
  var arrivals = ArrivalLog()
  /// The push jobs that came in several messages, since the relay sent them again or a publication
  /// arrived twice. For checks only.
  private(set) var repeatedJobs: Set<PushJobID> = []
  private var relayedJobs: Set<PushJobID> = []
  /// Publications on their way.
  var transit: [Publication] = []
  /// Until this time the broker takes nothing from publishers.
  var alarmUntil: Instant?
  /// Until this time nobody reaches the broker.
  var downUntil = Instant(microseconds: 0)
  /// Lets others go on until a time or a condition has come. By itself it only lets the time pass.
  var wait: (_ until: Instant, _ isDone: () -> Bool) -> Void = { _, _ in }
  var links: [String: Link] = [:]
  var connections: [Int: Connection] = [:]
  private var wasAlarmFelt = false
  private var serial = 0
  private var lastNumber = 0

  init(
    layout: QueueLayout, faults: FaultPlan, random: SeededRandom, clock: VirtualClock,
    limits: Limits = Limits()
  ) {
    self.layout = layout
    self.faults = faults
    self.random = random
    self.clock = clock
    self.limits = limits
    queues = Array(repeating: Queue(limit: limits.events), count: layout.queueCount)
    push = Queue(limit: limits.push)
    queries = Queue(limit: limits.queries)
    gatewayQueries = Queue(limit: limits.queries)
    wait = { [unowned self] limit, isDone in
      while !isDone(), clock.now < limit {
        clock.advance(microseconds: 10_000)
        advance()
      }
    }
  }

  /// Whether nobody reaches the broker now.
  var isDown: Bool { clock.now < downUntil }

  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  func nextSerial() -> Int {
    serial += 1
    return serial
  }

  // MARK: Faults of the broker itself

  /// Raises an alarm. Publishers wait, consumers go on.
  func raiseAlarm(for microseconds: Int64) {
    alarmUntil = clock.now.adding(microseconds: microseconds)
    wasAlarmFelt = false
    for channel in links.values { channel.isBlocked = false }
    for connection in connections.values { connection.line.isBlocked = false }
  }

  /// An alarm counts once somebody has felt it.
  func noteAlarm() {
    if !wasAlarmFelt { faults.count(.brokerAlarm) }
    wasAlarmFelt = true
  }

  /// Lets one queue take nothing for a while.
  func fillQueue(for microseconds: Int64) {
    let until = clock.now.adding(microseconds: microseconds)
    let number = random.below(queues.count + 2)
    switch number - queues.count {
    case 0: push.fill(until: until)
    case 1:
      for delay in PushBus.RetryDelay.allCases {
        retries[delay, default: Queue(limit: limits.push)].fill(until: until)
      }
    default: queues[number].fill(until: until)
    }
  }

  // MARK: Giving back

  /// Ends the consumers of a connection. Unacknowledged messages go back in order.
  func giveBack(_ connection: Connection) {
    for index in queues.indices where queues[index].consumers.contains(connection.number) {
      let held = connection.unacknowledged.count { $0.queue == index }
      // Messages that were handed out but not yet read by the worker count as delivered too.
      if queues[index].consumers.first == connection.number {
        let unread = min(queues[index].ready.count, max(0, limits.prefetch - held))
        for place in 0..<unread { queues[index].ready[place].deliveries += 1 }
      }
      queues[index].consumers.removeAll { $0 == connection.number }
    }
    for delivery in connection.unacknowledged { queues[delivery.queue].add(delivery.message) }
    for index in Set(connection.unacknowledged.map(\.queue)) {
      queues[index].ready.sort { $0.serial < $1.serial }
    }
    connection.unacknowledged = []
  }

  /// Brings back the jobs that have waited long enough. Only the head of a queue expires.
  func returnRetries() {
    let now = clock.now
    for delay in PushBus.RetryDelay.allCases {
      while let next = retries[delay]?.ready.first,
        next.arrivedAt.adding(seconds: Int64(delay.rawValue)) <= now,
        push.isBound, push.fullUntil.map({ $0 <= now }) ?? true, push.ready.count < push.limit
      {
        retries[delay]?.ready.removeFirst()
        var message = next
        message.deliveries = 0
        push.ready.append(message)
      }
    }
  }

  // MARK: Contents

  /// Puts a message with new push jobs into their queue.
  func putPush(_ message: Message) {
    push.ready.append(message)
    for part in PushJobMessage.parts(of: message.body) {
      guard let job = part.job?.id, !relayedJobs.insert(job).inserted else { continue }
      repeatedJobs.insert(job)
    }
  }

  /// A message with push jobs comes once more.
  func noteRepetition(of message: Message) {
    repeatedJobs.formUnion(PushJobMessage.parts(of: message.body).compactMap { $0.job?.id })
  }

  /// All messages of push jobs in the broker.
  var pushMessages: [Message] {
    push.ready + retries.values.flatMap(\.ready)
      + connections.values.flatMap { $0.pushes.map(\.message) }
      + transit.compactMap { publication in
        switch publication.target {
        case .events, .queries, .gatewayQueries: nil
        case .push, .retry: publication.message
        }
      }
  }

  /// All push jobs in the broker, and how many messages have each.
  var queuedJobs: [PushJobID: Int] {
    pushMessages.flatMap { PushJobMessage.parts(of: $0.body).compactMap { $0.job?.id } }
      .reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Events in a queue, or delivered and not acknowledged.
  var eventMessages: [Message] {
    queues.flatMap(\.ready) + connections.values.flatMap { $0.unacknowledged.map(\.message) }
  }

  var isEmpty: Bool {
    queues.allSatisfy(\.ready.isEmpty) && push.ready.isEmpty && transit.isEmpty
      && retries.values.allSatisfy(\.ready.isEmpty)
      && connections.values.allSatisfy { $0.unacknowledged.isEmpty && $0.pushes.isEmpty }
  }
}
