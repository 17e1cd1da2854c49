package import MatchCore
package import MatchInterfaces
package import MatchWire
package import SystemCalls

/// Buses of one broker with two queues of events, and the levers on that broker that the
/// conformance suite needs.
package struct BusSet {
  /// Opens a new bus over connections of its own.
  package var worker: () throws -> WorkerBus
  package var scheduler: () throws -> SchedulerBus
  package var relay: () throws -> RelayBus
  package var push: () throws -> PushBus
  package var reader: () throws -> ReaderBus
  package var gateway: (Wakeup) throws -> GatewayBus
  package var notices: () throws -> NoticeBus
  /// Sends a player's message over a connection of its own, lets something be done meanwhile, and
  /// gives the answer when it has come or the time is over.
  package var ask:
    (PlayerMessage, _ timeout: Duration, _ meanwhile: () throws -> Void) throws -> PlayerAnswer
  /// Publishes as a player, with any properties; returns once the broker has the message.
  package var send: (PlayerMessage, PublisherProperties) throws -> Void
  /// A slot of a queue.
  package var slot: (_ queue: Int) -> Slot
  /// Lets a moment pass, where time does not pass by itself.
  package var tick: () -> Void
  /// Breaks every connection that there is.
  package var cut: () throws -> Void
  /// Puts any bytes into the queue of push jobs.
  package var putPush: ([UInt8]) throws -> Void
  /// Removes a queue.
  package var remove: (Removal) throws -> Void
  /// Has the broker run out of memory, or be well again.
  package var alarm: (_ isOn: Bool) throws -> Void

  /// A queue that can be removed.
  package enum Removal: Sendable { case events(Int), push, gatewayQueries }

  package init(
    worker: @escaping () throws -> WorkerBus, scheduler: @escaping () throws -> SchedulerBus,
    relay: @escaping () throws -> RelayBus, push: @escaping () throws -> PushBus,
    reader: @escaping () throws -> ReaderBus,
    gateway: @escaping (Wakeup) throws -> GatewayBus,
    notices: @escaping () throws -> NoticeBus,
    ask:
      @escaping (PlayerMessage, _ timeout: Duration, _ meanwhile: () throws -> Void) throws ->
      PlayerAnswer,
    send: @escaping (PlayerMessage, PublisherProperties) throws -> Void,
    slot: @escaping (_ queue: Int) -> Slot, tick: @escaping () -> Void,
    cut: @escaping () throws -> Void, putPush: @escaping ([UInt8]) throws -> Void,
    remove: @escaping (Removal) throws -> Void,
    alarm: @escaping (_ isOn: Bool) throws -> Void
  ) {
    self.worker = worker
    self.scheduler = scheduler
    self.relay = relay
    self.push = push
    self.reader = reader
    self.gateway = gateway
    self.notices = notices
    self.ask = ask
    self.send = send
    self.slot = slot
    self.tick = tick
    self.cut = cut
    self.putPush = putPush
    self.remove = remove
    self.alarm = alarm
  }
}

/// The number of messages that the queues of a broker hold at most. A real broker counts with a
/// delay, so that it is approximate.
package struct BusLimits: Sendable {
  package var events = 1_000
  package var push = 1_000
}

extension BusSet {
  /// Looks until so many have come, or for half a minute.
  func collect<Value>(_ count: Int, _ look: () throws -> [Value]) throws -> [Value] {
    var found: [Value] = []
    for _ in 0..<300 where found.count < count {
      let more = try look()
      if more.isEmpty { tick() }
      found += more
    }
    return found
  }

  /// Looks for the missing rest until everything has come, or for half a minute.
  private func collectExactly<Value>(
    _ count: Int, _ look: (_ missing: Int) throws -> [Value]
  ) throws -> [Value] {
    var missing = count
    return try collect(count) {
      let more = try look(missing)
      missing -= more.count
      return more
    }
  }

  /// Whether the broker confirms a request that nobody answers. One that is busy may not have done so
  /// after a second: then it is sent again.
  func confirms(_ message: PlayerMessage) throws -> Bool {
    try !collect(1) { (try? ask(message, .seconds(1)) {}) == .confirmed ? [message] : [] }.isEmpty
  }

  /// Receives so many events.
  func receive(_ count: Int, _ bus: WorkerBus) throws -> [EventDelivery] {
    try collectExactly(count) { try bus.receive($0, .milliseconds(100)) }
  }

  /// Waits until so many push jobs are confirmed.
  func confirmed(_ count: Int, _ bus: WorkerBus) throws -> [PushJobID] {
    try collect(count) { try bus.confirmed() }
  }

  /// Waits a second at most until a push job is confirmed.
  func confirmedSoon(_ bus: WorkerBus) throws -> [PushJobID] {
    for _ in 0..<10 {
      let answer = try bus.confirmed()
      guard answer.isEmpty else { return answer }
      _ = try bus.receive(1, .milliseconds(100))
      tick()
    }
    return []
  }

  /// Receives so many push jobs.
  func receive(_ count: Int, _ bus: PushBus) throws -> [PushBus.Delivery] {
    try collectExactly(count) { try bus.receive($0, .milliseconds(100)) }
  }

  /// Receives so many queries and announcements of a reader.
  func receive(_ count: Int, _ bus: ReaderBus) throws -> [ReaderBus.Incoming] {
    try collectExactly(count) { try bus.receive($0, .milliseconds(100)) }
  }

  /// Receives the fates of a gateway's messages until so many have come.
  func receive(_ count: Int, _ bus: GatewayBus) throws -> [GatewayBus.Incoming] {
    try collect(count) { try bus.receive(.milliseconds(100)) }
  }

  /// Receives so many notices.
  func receive(_ count: Int, _ bus: NoticeBus) throws -> [[UInt8]] {
    try collectExactly(count) { try bus.receive($0, .milliseconds(100)) }
  }

  /// Puts numbered events into a queue.
  func fill(_ queue: Int, _ numbers: ClosedRange<UInt8>) throws {
    let scheduler = try scheduler()
    defer { scheduler.close() }
    try scheduler.publish(numbers.map { (slot(queue), [$0]) })
  }

  /// A player's event to a queue.
  func event(_ body: [UInt8], to queue: Int = 0) -> PlayerMessage {
    PlayerMessage(destination: .events(slot(queue)), body: body)
  }
}

extension PushJob {
  /// A job by a number.
  package static func numbered(_ number: UInt8) -> PushJob {
    let player = PlayerID(rawValue: UInt128(number) + 1)
    return PushJob(
      id: PushJobID(kind: .yourTurn, player: player) { $0.update([number]) }, kind: .yourTurn,
      player: player, match: MatchID(rawValue: UInt128(number) << 64), turn: Int(number))
  }
}

extension BusError {
  /// The name of the case, without its values.
  package var kind: String { String("\(self)".prefix { $0 != ":" }) }
}
