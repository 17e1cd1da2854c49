import MatchCore
import MatchInterfaces

extension SimulatedBroker {
  /// The broker's answer to a publication that wants a confirm.
  enum Verdict {
    /// The queue has it.
    case confirmed
    /// The queue is full. The message is in no queue.
    case refused
    /// There is no such queue. The message is in no queue.
    case returned
  }

  /// The confirm that a publisher waits for.
  final class Receipt {
    private var verdict: Verdict?
    private var at = Instant(microseconds: .max)

    func settle(_ verdict: Verdict, at time: Instant) {
      self.verdict = verdict
      at = time
    }

    /// The broker's answer, once it has arrived.
    func verdict(at now: Instant) -> Verdict? { at <= now ? verdict : nil }
  }

  /// A connection with one channel. Its publications to one queue arrive in order.
  class Channel {
    let number: Int
    fileprivate(set) var isOpen = true
    /// Whether the broker has said that it reads nothing more for now.
    var isBlocked = false

    fileprivate init(_ number: Int) { self.number = number }
  }

  /// The connections of a role: one to consume and one to publish.
  final class Connection: Channel {
    /// Whether its owner is gone. The line is not opened again then.
    fileprivate(set) var isGone = false
    /// The connection to publish. If it breaks, the next use opens it anew.
    fileprivate(set) var line: Channel
    /// Nobody tries to open the line before this time.
    var lineReopensAt = Instant(microseconds: 0)
    var unacknowledged: [Unacknowledged] = []
    var pushes: [(tag: UInt64, message: Message)] = []
    var lastTag: UInt64 = 0
    /// Push jobs that wait for their confirms.
    var jobs: [(job: PushJobID, receipt: Receipt)] = []
    var incoming: [ReaderBus.Incoming] = []
    /// Queries of the service's own for a reader.
    var asked: [ReaderBus.Incoming] = []
    /// Queries that a reader holds unacknowledged.
    var queries: [Message] = []
    var isReader = false
    /// Gateways' questions that a reader holds unacknowledged.
    var gatewayQueries: [Message] = []
    /// Notices for a listener.
    var notices: [[UInt8]] = []
    var isListener = false
    /// The connection over which a scheduler asks readers.
    var asking: Link?
    /// Whether its owner has ever consumed queues of events.
    var hasConsumed = false

    fileprivate init(_ number: Int, line: Channel) {
      self.line = line
      super.init(number)
    }

    func nextTag() -> UInt64 {
      lastTag += 1
      return lastTag
    }
  }

  /// A player's connection. Confirms and replies arrive here.
  final class Link: Channel {
    var replies: [(correlationID: String, body: [UInt8], at: Instant)] = []
    /// Publications that wait for their confirms.
    var requests: [(correlationID: String, receipt: Receipt)] = []

    /// The address of direct replies to this connection.
    var replyTo: String { "amq.rabbitmq.reply-to.\(number)" }
  }
}

// MARK: Opening and closing

extension SimulatedBroker {
  /// Opens a role's connections. Nil while the broker is down.
  func connect() -> Connection? {
    guard !isDown else { return nil }
    let line = Channel(nextNumber())
    let connection = Connection(nextNumber(), line: line)
    connections[connection.number] = connection
    return connection
  }

  /// Opens a player's connection. Nil while the broker is down.
  func openLink() -> Link? {
    guard !isDown else { return nil }
    let link = Link(nextNumber())
    links[link.replyTo] = link
    return link
  }

  /// The line of a connection. It is opened anew if it broke before. Nil if that is not possible.
  func openLine(of connection: Connection) -> Channel? {
    if connection.line.isOpen { return connection.line }
    guard !connection.isGone, !isDown, clock.now >= connection.lineReopensAt else { return nil }
    connection.line = Channel(nextNumber())
    return connection.line
  }

  /// Closes a role's connections for good.
  func drop(_ connection: Connection) {
    connection.isGone = true
    cut(connection)
    cutLine(of: connection)
    if let link = connection.asking { drop(link) }
  }

  /// Breaks the connection that consumes. Its unacknowledged messages go back.
  func cut(_ connection: Connection) {
    guard connection.isOpen else { return }
    giveBack(connection)
    push.ready.insert(contentsOf: connection.pushes.map(\.message), at: 0)
    connection.pushes = []
    queries.ready = connection.queries + queries.ready
    connection.queries = []
    gatewayQueries.ready = connection.gatewayQueries + gatewayQueries.ready
    connection.gatewayQueries = []
    connection.notices = []
    connection.incoming = []
    connection.asked = []
    connection.isOpen = false
    connections[connection.number] = nil
  }

  /// Breaks the connection that publishes. The first of its messages on their way arrive, and their
  /// confirms are lost.
  func cutLine(of connection: Connection) {
    guard connection.line.isOpen else { return }
    connection.line.isOpen = false
    connection.jobs = []
    loseTransit(of: connection.line)
  }

  func drop(_ link: Link) {
    guard link.isOpen else { return }
    link.isOpen = false
    link.replies = []
    link.requests = []
    links[link.replyTo] = nil
    loseTransit(of: link)
  }

  /// Gives everything back and goes on as a new connection. A consumer closes the old one.
  func beginAnew(_ connection: Connection) throws(BusError) {
    guard connection.hasConsumed, !connection.isGone else { return try checkOpen(connection) }
    cut(connection)
    guard !isDown else { throw .disconnected("the broker is down") }
    connection.isOpen = true
    connection.lastTag = 0
    connections[connection.number] = connection
  }

  func checkOpen(_ connection: Connection) throws(BusError) {
    guard connection.isOpen else { throw .disconnected("the connection is closed") }
  }

  /// Kills the broker and starts it again after a while. Connections and transient messages are
  /// lost, queues are kept. Of the unconfirmed messages some arrive and some do not.
  func restart(downFor microseconds: Int64) {
    for connection in connections.values.sorted(by: { $0.number < $1.number }) {
      cut(connection)
      cutLine(of: connection)
    }
    for link in links.values.sorted(by: { $0.number < $1.number }) { drop(link) }
    alarmUntil = nil
    downUntil = clock.now.adding(microseconds: microseconds)
  }
}
