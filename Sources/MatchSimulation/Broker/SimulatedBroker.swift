import MatchCore
import MatchInterfaces
import MatchWire

/// The broker in memory: what RabbitMQ does for the service. Order in a queue, one active consumer
/// of several, what was unacknowledged going back in order with its count when a connection goes,
/// confirms that may be lost or late, direct replies that are lost with whom they were for, and
/// dead letters.
final class SimulatedBroker {
  /// A message in a queue of events.
  struct Message {
    /// Its place in the order of arrival.
    var serial: Int
    var body: [UInt8]
    var replyTo: String?
    var correlationID: String?
    /// How often it was delivered.
    var deliveries = 0
  }

  /// A message that was delivered and not acknowledged.
  struct Unacknowledged {
    var tag: UInt64
    var queue: Int
    var message: Message
  }

  /// A push job in a queue.
  struct PushMessage {
    var body: [UInt8]
    var attempts: Int
  }

  struct EventQueue {
    var ready: [Message] = []
    /// The first one is active, the others stand by.
    var consumers: [Int] = []
  }

  /// One connection of a role.
  final class Connection {
    let number: Int
    fileprivate(set) var isOpen = true
    var unacknowledged: [Unacknowledged] = []
    var pushes: [(tag: UInt64, message: PushMessage)] = []
    var lastTag: UInt64 = 0
    /// Confirms on their way.
    var confirms: [(job: PushJobID, at: Instant)] = []
    var incoming: [ReaderBus.Incoming] = []
    var isReader = false

    fileprivate init(_ number: Int) { self.number = number }

    func nextTag() -> UInt64 {
      lastTag += 1
      return lastTag
    }
  }

  /// A player's connection: where confirms and replies arrive.
  final class Link {
    let number: Int
    fileprivate(set) var isOpen = true
    var replies: [(correlationID: String, body: [UInt8])] = []
    /// Confirms on their way.
    var confirms: [(correlationID: String, at: Instant)] = []

    fileprivate init(_ number: Int) { self.number = number }

    /// The address of direct replies to this connection.
    var replyTo: String { "amq.rabbitmq.reply-to.\(number)" }
  }

  let layout: QueueLayout
  let faults: FaultPlan
  let random: SeededRandom
  let clock: VirtualClock
  var queues: [EventQueue]
  var queries: [(body: [UInt8], replyTo: String?, correlationID: String?)] = []
  var push: [PushMessage] = []
  var retries: [(message: PushMessage, at: Instant)] = []
  private(set) var dead: [Message] = []
  private var serial = 0
  private var lastNumber = 0
  private var links: [String: Link] = [:]
  private(set) var connections: [Int: Connection] = [:]

  /// From this delivery on a message goes to the dead letters instead of back to its queue.
  static let deliveryLimit = 20

  init(layout: QueueLayout, faults: FaultPlan, random: SeededRandom, clock: VirtualClock) {
    self.layout = layout
    self.faults = faults
    self.random = random
    self.clock = clock
    queues = Array(repeating: EventQueue(), count: layout.queueCount)
  }

  // MARK: Connections

  func connect() -> Connection {
    lastNumber += 1
    let connection = Connection(lastNumber)
    connections[lastNumber] = connection
    return connection
  }

  func openLink() -> Link {
    lastNumber += 1
    let link = Link(lastNumber)
    links[link.replyTo] = link
    return link
  }

  /// Closes a connection, whosever wish it was: what was unacknowledged goes back.
  func drop(_ connection: Connection) {
    guard connection.isOpen else { return }
    giveBack(connection)
    push = connection.pushes.map(\.message) + push
    connection.pushes = []
    connection.confirms = []
    connection.isOpen = false
    connections[connection.number] = nil
  }

  func drop(_ link: Link) {
    link.isOpen = false
    link.replies = []
    link.confirms = []
    links[link.replyTo] = nil
  }

  func checkOpen(_ connection: Connection) throws(BusError) {
    guard connection.isOpen else { throw .disconnected("the connection is closed") }
  }

  /// Ends the consumers of a connection; what was unacknowledged goes back in order.
  func giveBack(_ connection: Connection) {
    for queue in queues.indices { queues[queue].consumers.removeAll { $0 == connection.number } }
    for delivery in connection.unacknowledged {
      if delivery.message.deliveries > SimulatedBroker.deliveryLimit {
        dead.append(delivery.message)
      } else {
        queues[delivery.queue].ready.append(delivery.message)
      }
    }
    for queue in Set(connection.unacknowledged.map(\.queue)) {
      queues[queue].ready.sort { $0.serial < $1.serial }
    }
    connection.unacknowledged = []
  }

  // MARK: Events

  /// Puts an event into the queue of its slot, once or, if a fault strikes, twice.
  func publishEvent(
    _ slot: Slot, _ body: [UInt8], replyTo: String? = nil, correlationID: String? = nil
  ) {
    let copies = faults.strikes(.duplicate) ? 2 : 1
    for _ in 0..<copies {
      serial += 1
      queues[layout.queue(of: slot)].ready.append(
        Message(serial: serial, body: body, replyTo: replyTo, correlationID: correlationID))
    }
  }

  /// Hands a reply to whom it is for, if there is still somebody.
  func reply(to address: String, correlationID: String, body: [UInt8]) {
    links[address]?.replies.append((correlationID, body))
  }

  /// When a confirm arrives; nil where it never does.
  func confirmTime() -> Instant? {
    if faults.strikes(.lostConfirm) { return nil }
    if faults.strikes(.lateConfirm) {
      return clock.now.adding(microseconds: Int64(random.number(in: 1_000_000...9_000_000)))
    }
    return clock.now
  }

  // MARK: Push jobs

  /// Puts a push job into its queue.
  /// - Returns: when it is confirmed, if ever.
  func publishPush(_ job: PushJob) -> Instant? {
    let copies = faults.strikes(.duplicate) ? 2 : 1
    for _ in 0..<copies {
      push.append(PushMessage(body: PushJobCodec.encode(job), attempts: 0))
    }
    return confirmTime()
  }

  /// Brings back the jobs that have waited long enough.
  func returnRetries() {
    let now = clock.now
    push += retries.filter { $0.at <= now }.map(\.message)
    retries.removeAll { $0.at <= now }
  }

  /// Everything about push jobs that is somewhere in the broker.
  var pushMessages: [PushMessage] {
    push + retries.map(\.message) + connections.values.flatMap { $0.pushes.map(\.message) }
  }

  /// Events that are in a queue or delivered and not acknowledged.
  var eventMessages: [Message] {
    queues.flatMap(\.ready) + connections.values.flatMap { $0.unacknowledged.map(\.message) }
  }

  /// Whether nothing is on its way.
  var isEmpty: Bool {
    queues.allSatisfy(\.ready.isEmpty) && push.isEmpty && retries.isEmpty
      && connections.values.allSatisfy { $0.unacknowledged.isEmpty && $0.pushes.isEmpty }
  }
}
