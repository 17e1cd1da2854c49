import SystemCalls

/// The event loop of one thread, with its connections. Other threads reach it by its mailbox only.
struct ServerLoop: ~Copyable {
  /// The bytes that one read takes at most.
  private static let readBytes = 16_384
  /// The most connections that are accepted at once.
  private static let acceptCount = 64
  /// The longest alarm: alarms of closed connections stay in the heap for this long.
  private static let alarmTime: UInt64 = 5_000_000_000
  private static let tickTime: UInt64 = 100_000_000

  private enum ID {
    static let listener: UInt64 = 0
    static let mailbox: UInt64 = 1
    static let firstConnection: UInt64 = 2
  }

  private let mailbox: Mailbox
  private let handler: any HTTPHandler
  private let limits: Conversation.Limits
  /// The refused connections that this thread tells why.
  private let refusedLimit: Int
  private var refusedCount = 0
  private var listener: Listener?
  private let isTicking: Bool
  private var poll: Poll
  private let buffer: UnsafeMutableRawBufferPointer
  private var connections: [UInt64: Connection] = [:]
  private var nextID = ID.firstConnection
  private var alarms = Alarms()
  private var tickAt: UInt64 = 0
  /// The requests without an answer.
  private var awaited = 0
  private var isLeaving = false
  private let clock: @Sendable () -> UInt64
  private var now: UInt64

  init(
    _ mailbox: Mailbox, _ poll: consuming Poll, _ listener: Listener?,
    _ settings: HTTPServer.Settings, _ handler: any HTTPHandler
  ) {
    (self.mailbox, self.listener, self.handler) = (mailbox, listener, handler)
    (clock, now) = (settings.clock, settings.clock())
    isTicking = listener != nil
    limits = Conversation.Limits(request: settings.request, times: settings.times)
    refusedLimit = max(1, settings.refusedCount / settings.threads)
    self.poll = poll
    buffer = .allocate(byteCount: ServerLoop.readBytes, alignment: 16)
    self.poll.add(mailbox.descriptor, ID.mailbox)
  }

  deinit { buffer.deallocate() }

  /// Runs until it was asked to leave and everything is over.
  mutating func run() {
    while true {
      let messages = mailbox.take()
      for message in messages { handle(message) }
      if isLeaving, connections.isEmpty, awaited == 0, mailbox.end() { return }
      look(isBusy: !messages.isEmpty)
    }
  }

  /// Handles what has happened to the sockets. If nothing has, it waits, unless it is busy: messages
  /// may bring new ones, as an answer does to a client that has sent its next request already. Nobody
  /// else waits until there are none.
  private mutating func look(isBusy: Bool) {
    var next = alarms.next
    if isTicking { next = min(next ?? tickAt, tickAt) }
    let time = next.map { $0 > now ? $0 - now : 0 }
    let events = poll.wait(nanoseconds: isBusy ? 0 : time)
    mailbox.wake()
    now = clock()
    for event in events {
      switch event.id {
      case ID.listener: accept()
      case ID.mailbox: mailbox.clear()
      default: handle(event)
      }
    }
    while let alarm = alarms.take(at: now) { ring(alarm) }
    tick()
  }

  private mutating func tick() {
    guard isTicking, now >= tickAt else { return }
    tickAt = now + ServerLoop.tickTime
    if let listener, !listener.isWatched {
      self.listener?.isWatched = poll.add(listener.socket, ID.listener)
    }
    handler.tick()
  }

  // MARK: Messages

  private mutating func handle(_ message: Mailbox.Message) {
    switch message {
    case .job(let job): job.runSynchronously(on: mailbox.asUnownedTaskExecutor())
    case .accepted(let socket, let client): open(socket, client)
    case .answer(let id, let answer): take(answer, of: id)
    case .ready(let id):
      guard let connection = connections[id], connection.conversation.wantsPiece else { return }
      now = clock()
      perform([.pull], connection)
    case .leave:
      isLeaving = true
      if let listener { Socket.close(listener.socket) }
      listener = nil
      for connection in connections.values { perform(connection.conversation.leave(), connection) }
    case .closeAll: for connection in connections.values { close(connection) }
    }
  }

  private mutating func take(_ answer: HTTPAnswer, of id: UInt64) {
    awaited -= 1
    now = clock()
    switch (answer, connections[id]) {
    case (.whole(let response), let connection?):
      connection.conversation.respond(response, at: now)
      settle(connection)
    case (.stream(let response, let stream), let connection?):
      connection.stream = stream
      perform(connection.conversation.stream(response, at: now), connection)
    case (.stream(_, let stream), nil): stream.ended()
    case (.whole, nil): break
    }
  }

  // MARK: Connections

  private mutating func accept() {
    guard let listener else { return }
    do throws(SystemError) {
      for _ in 0..<ServerLoop.acceptCount {
        guard let (socket, peer) = try Socket.accept(listener.socket) else { return }
        let client = ClientConnection(peer: peer)
        guard let mailbox = self.listener?.nextMailbox() else { return }
        if !mailbox.post(.accepted(socket: socket, client)) { Socket.close(socket) }
      }
    } catch {
      // Such as too many open files: the connections that there are go on, and the next tick tries
      // again.
      poll.remove(listener.socket)
      self.listener?.isWatched = false
      handler.failed(error)
    }
  }

  private mutating func open(_ socket: Int32, _ client: ClientConnection) {
    now = clock()
    let refused = handler.admit(client)
    guard refused == nil || refusedCount < refusedLimit else { return Socket.close(socket) }
    Socket.prepare(socket)
    let date = { @Sendable [handler] in handler.date() }
    let conversation =
      if let refused {
        Conversation(refusing: refused, limits, date: date, at: now)
      } else {
        Conversation(limits, date: date, at: now)
      }
    let connection = Connection(nextID, socket, client, conversation)
    connection.isAdmitted = refused == nil
    if !connection.isAdmitted { refusedCount += 1 }
    nextID += 1
    connections[connection.id] = connection
    guard poll.add(socket, connection.id) else { return close(connection) }
    perform(isLeaving ? connection.conversation.leave() : [], connection)
  }

  private mutating func handle(_ event: Poll.Event) {
    guard let connection = connections[event.id] else { return }
    guard event.isReadable || event.isOver else { return settle(connection) }
    guard connection.conversation.wantsInput else {
      if event.isOver { return close(connection) }
      return perform(connection.conversation.endInput(at: now), connection)
    }
    switch Socket.receive(connection.socket, into: buffer) {
    case .count(0): perform(connection.conversation.endInput(at: now), connection)
    case .count(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      perform(connection.conversation.receive(bytes, at: now), connection)
    case .later where !event.isOver: settle(connection)
    case .later, .broken: close(connection)
    }
  }

  private mutating func ring(_ alarm: Alarms.Alarm) {
    guard let connection = connections[alarm.connection], connection.alarm == alarm.at else {
      return
    }
    connection.alarm = nil
    if let deadline = connection.conversation.times.deadline, deadline.at <= now,
      deadline.why == .slowReader, let count = Socket.unreadCount(connection.socket)
    {
      connection.conversation.unread(count, at: now)
    }
    guard let deadline = connection.conversation.times.deadline, deadline.at <= now else {
      return setAlarm(connection)
    }
    perform(connection.conversation.expire(deadline.why), connection)
  }

  private mutating func perform(_ effects: [Conversation.Effect], _ connection: Connection) {
    carryOut(effects, connection)
    settle(connection)
  }

  private mutating func carryOut(_ effects: [Conversation.Effect], _ connection: Connection) {
    for effect in effects {
      switch effect {
      case .respond(let request): respond(request, connection)
      case .refuse(let why):
        let response = handler.explain(why, to: connection.client)
        connection.conversation.explain(response, at: now)
      case .gone: connection.client.gone()
      case .pull: pull(connection)
      case .endSending: Socket.endSending(connection.socket)
      case .close(let why):
        if let why { handler.gaveUp(connection.client, why) }
        close(connection)
      }
    }
  }

  private mutating func respond(_ request: HTTPRequest, _ connection: Connection) {
    awaited += 1
    let (id, client) = (connection.id, connection.client)
    Task(executorPreference: mailbox) { [mailbox, handler] in
      let answer = await handler.respond(to: request, from: client)
      mailbox.post(.answer(id, answer))
    }
  }

  private mutating func pull(_ connection: Connection) {
    guard let stream = connection.stream else { return }
    switch stream.next({ [mailbox, id = connection.id] in mailbox.post(.ready(id)) }) {
    case .bytes(let bytes): connection.conversation.append(bytes, at: now)
    case .later: break
    case .end:
      connection.conversation.append(nil, at: now)
      connection.endStream()
    }
  }

  /// Sends what can be sent, and waits for what comes next.
  private mutating func settle(_ connection: Connection) {
    while !connection.isClosed, !connection.conversation.output.isEmpty {
      let (bytes, isMore) = connection.conversation.output.next
      switch Socket.send(connection.socket, bytes, isMore: isMore) {
      case .count(let count): carryOut(connection.conversation.wrote(count, at: now), connection)
      case .later: return watch(connection)
      case .broken: return close(connection)
      }
    }
    watch(connection)
  }

  private mutating func watch(_ connection: Connection) {
    guard !connection.isClosed else { return }
    let interest = connection.conversation.interest
    if connection.interest != interest {
      connection.interest = interest
      poll.change(connection.socket, connection.id, interest)
    }
    setAlarm(connection)
  }

  private mutating func setAlarm(_ connection: Connection) {
    guard let deadline = connection.conversation.times.deadline else { return }
    let at = min(deadline.at, now + ServerLoop.alarmTime)
    if let alarm = connection.alarm, alarm <= at { return }
    connection.alarm = at
    alarms.set(Alarms.Alarm(at: at, connection: connection.id))
  }

  private mutating func close(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    connection.isClosed = true
    Socket.close(connection.socket)
    connection.client.gone()
    connection.endStream()
    if connection.isAdmitted { handler.left(connection.client) } else { refusedCount -= 1 }
  }
}

/// Where connections come from.
struct Listener: Sendable {
  let socket: Int32
  /// Whether the system says when a connection comes.
  var isWatched = false
  private let mailboxes: [Mailbox]
  private var turn = 0

  init(_ socket: Int32, _ mailboxes: [Mailbox]) {
    (self.socket, self.mailboxes) = (socket, mailboxes)
  }

  /// The thread that takes the next connection: one after the other.
  mutating func nextMailbox() -> Mailbox {
    turn = (turn + 1) % mailboxes.count
    return mailboxes[turn]
  }
}

/// A connection of one thread.
private final class Connection {
  let id: UInt64
  let socket: Int32
  let client: ClientConnection
  var conversation: Conversation
  var stream: HTTPStream?
  /// What the system was asked to tell.
  var interest = Poll.Interest()
  /// When it is looked at again.
  var alarm: UInt64?
  var isAdmitted = false
  var isClosed = false

  init(
    _ id: UInt64, _ socket: Int32, _ client: ClientConnection, _ conversation: Conversation
  ) {
    (self.id, self.socket, self.client, self.conversation) = (id, socket, client, conversation)
  }

  func endStream() {
    let ended = stream?.ended
    stream = nil
    ended?()
  }
}

extension Conversation {
  fileprivate var interest: Poll.Interest {
    Poll.Interest(
      isReading: wantsInput, isWatching: !wantsInput && !isInputEnded, isWriting: !output.isEmpty)
  }
}
