import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@Suite("Nothing is lost and nothing counts twice")
struct ReliabilityTests {
  let world = World()

  @Test("An event is kept before it is published and forgotten when it is answered")
  func order() throws {
    var keptWhilePublishing: [EventID] = []
    var bus = PlayerBus.failing
    bus.request.answer { [world] message, timeout throws(BusError) in
      keptWhilePublishing = Array(world.memory.pending.keys)
      return try world.desk.bus.request(message, timeout)
    }
    let start = try world.player(bus: bus).startMatch(.random)
    let event = try #require(world.desk.handled.first)
    #expect(keptWhilePublishing == [event.id])
    #expect(world.memory.pending.isEmpty)
    #expect(start.ticket.match == MatchID(askedBy: PlayerKey.ann.player, event: event.id))
    #expect(world.memory.journal.map(\.what) == [.sent, .accepted])
    let receipt = Receipt(match: start.ticket.match, version: 1, hash: .zero)
    #expect(world.memory.journal.map(\.receipt) == [nil, receipt])
    #expect(!world.memory.isLocked)
  }

  // Failure: PlayerBus.request: The event is pending if it may have arrived. Otherwise it counts as
  //   not sent.
  @Test("An event is pending if the broker goes before the confirm, and counts once later")
  func brokerGone() throws {
    world.desk.faults = [.lost]
    let error = thrown(try world.player().startMatch(.random))
    let id = try #require(world.memory.pending.keys.first)
    #expect(error == .pending(id, .unknown))
    #expect(world.desk.handled.isEmpty)

    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.map(\.id) == [id])
    #expect(world.desk.messages.count == 2)
    #expect(world.desk.messages[0] == world.desk.messages[1])
  }

  @Test(
    "An event that certainly did not reach the broker is forgotten, so it does not happen unasked")
  func unsent() throws {
    world.desk.faults = [.broken(.disconnected("gone"))]
    let error = thrown(try world.player().startMatch(.random))
    #expect(error == .unreachable(.disconnected("gone")))
    #expect(world.memory.pending.isEmpty)
    #expect(world.memory.journal.map(\.what) == [.sent, .unsent])
    try world.player().resendPending()
    #expect(world.desk.messages.isEmpty)
  }

  @Test("An event that was sent once is kept, even if the broker takes nothing afterwards")
  func sentThenUnsent() throws {
    world.desk.faults = [.unavailable, .broken(.refused("full"))]
    let error = thrown(try world.player().startMatch(.random))
    let id = try #require(world.memory.pending.keys.first)
    #expect(error == .pending(id, .bus(.refused("full"))))
  }

  @Test("The same event goes again if its reply is lost, with the same id and the same bytes")
  func replyLost() throws {
    world.desk.faults = [.replyLost]
    let error = thrown(try world.player().startMatch(.random))
    let event = try #require(world.desk.handled.first)
    #expect(error == .pending(event.id, .unknown))

    let start = try world.player().startMatch(.random)
    #expect(start.ticket.match == MatchID(askedBy: event.player, event: event.id))
    #expect(world.desk.messages.count == 2)
    #expect(world.desk.messages[0] == world.desk.messages[1])
    #expect(world.desk.handled.count == 1)
    #expect(world.memory.pending.isEmpty)
    #expect(world.notices.isEmpty)
  }

  // Failure: ClientError.pending: The event was sent and has no reply. The program keeps it and
  //   sends it again with every later command.
  @Test("A confirmed event without an answer is pending, and says so")
  func confirmed() throws {
    world.desk.faults = [.confirmedOnly]
    let error = thrown(try world.player().startMatch(.solo))
    let id = try #require(world.memory.pending.keys.first)
    #expect(error == .pending(id, .unanswered))
    #expect(error?.description.contains("\(id)") == true)
  }

  @Test("A program killed between keeping an event and publishing it starts one match in the end")
  func killedBeforePublishing() throws {
    world.store.savePending = { [world] event throws(ProfileError) in
      world.memory.pending[event.id] = event
      throw .notAccessible(path: "", reason: "killed")
    }
    let error = thrown(try world.player(bus: .failing).startMatch(.random))
    #expect(error == .profile(.notAccessible(path: "", reason: "killed")))
    let id = try #require(world.memory.pending.keys.first)

    world.store = world.memory.store
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.map(\.id) == [id])
  }

  @Test("A program killed between a turn's reply and forgetting the turn plays it once")
  func killedBeforeForgetting() throws {
    let match = MatchID(rawValue: 5)
    let moves = [Move.removal(Cube(notation: "222")!), .removal(Cube(notation: "212")!)]
    let turn = Event.Action.turnPlayed(match, Turn(number: 1, previous: .zero, moves: moves))
    world.store.removePending = { _ throws(ProfileError) in
      throw .notAccessible(path: "", reason: "killed")
    }
    _ = thrown(try world.player().send(turn))
    #expect(world.desk.handled.count == 1)
    #expect(world.memory.pending.count == 1)

    // An unaware player plays the same moves again. By now that is the next turn.
    world.store = world.memory.store
    let receipt = try world.player().play(moves, in: match)
    #expect(receipt.turn == 1)
    #expect(world.desk.handled.count == 1)
    #expect(world.desk.queries.isEmpty)
    #expect(world.memory.pending.isEmpty)
  }

  @Test("Another command settles pending events first, and reports them")
  func otherCommand() throws {
    world.desk.faults = [.replyLost]
    _ = thrown(try world.player().startMatch(.random))
    _ = try world.player().startMatch(.solo)
    #expect(world.desk.handled.count == 2)
    #expect(world.desk.messages.count == 3)
    guard case .answered(let event, .accepted(.matchStarted))? = world.notices.first else {
      Issue.record("not reported: \(world.notices)")
      return
    }
    #expect(event.intent == Intent(.matchRequested(.random)))
    #expect(world.notices.count == 1)
  }

  @Test("The answer to another command's event is told before it is forgotten")
  func toldBeforeForgotten() throws {
    world.desk.faults = [.replyLost]
    _ = thrown(try world.player().startMatch(.random))
    let player = world.player()
    var wereKept: [Bool] = []
    player.onNotice = { [memory = world.memory] notice in
      guard case .answered(let event, _) = notice else { return }
      wereKept.append(memory.pending[event.id] != nil)
    }
    try player.resendPending()
    #expect(wereKept == [true])
    #expect(world.memory.pending.isEmpty)
  }

  @Test("An answer that was not told when the program ended is told by the next one")
  func untold() throws {
    let killed = world.player()
    killed.keepsUntilTold = true
    let first = try killed.startMatch(.random)
    let player = world.player()
    player.keepsUntilTold = true
    #expect(try player.startMatch(.random) == first)
    #expect(Set(world.desk.handled.map(\.id)).count == 1)
    #expect(world.memory.pending.count == 1)
    try player.forgetTold()
    #expect(world.memory.pending.isEmpty)
  }

  @Test("A new call counts the former call's result as told")
  func callsAgain() throws {
    let player = world.player()
    player.keepsUntilTold = true
    let first = try player.startMatch(.random)
    #expect(try player.startMatch(.random) != first)
    #expect(world.memory.pending.count == 1)
    try player.resendPending()
    #expect(world.memory.pending.isEmpty)
    #expect(world.notices.isEmpty)
  }

  @Test("The same wish after its answer is a new one")
  func wishAgain() throws {
    let first = try world.player().startMatch(.random)
    let second = try world.player().startMatch(.random)
    #expect(first != second)
    #expect(world.desk.handled.count == 2)
  }

  @Test(
    "The reply to another pending event settles that one, and the wanted one is asked for again")
  func lateReply() throws {
    world.desk.faults = [.confirmedOnly]
    _ = thrown(try world.player().startMatch(.random))
    let old = try #require(world.memory.pending.values.first)
    let late = ReplyCodec.encode(Desk.standard(old.event), event: old.id)
    // Sent again, the event gets no answer. Its reply comes in place of the next event's.
    world.desk.faults = [.confirmedOnly, .bytes(late)]
    _ = try world.player().startMatch(.solo)
    #expect(world.memory.pending.isEmpty)
    #expect(world.desk.handled.map(\.id) != [old.id])
    #expect(world.desk.handled.count == 1)
    #expect(world.notices.count == 2)
    #expect(world.notices.first == .stillPending(old, .unanswered))
    guard case .answered(old, _)? = world.notices.last else {
      Issue.record("not reported: \(world.notices)")
      return
    }
  }

  @Test("A repeated wish is answered by its reply even if that came in place of another one")
  func lateReplyOfWanted() throws {
    world.desk.faults = [.confirmedOnly]
    _ = thrown(try world.player().startMatch(.solo))
    world.clock.advance(seconds: 1)
    world.desk.faults = [.confirmedOnly, .confirmedOnly]
    _ = thrown(try world.player().startMatch(.random))
    let (first, second) = try pair()
    // The reply to the second event comes where the first one's is expected, and the other way
    // round.
    for (late, wish) in [(second, MatchRequest.random), (first, .solo)] {
      let world = World(seed: 7)
      world.memory.pending = self.world.memory.pending
      let bytes = ReplyCodec.encode(Desk.standard(late.event), event: late.id)
      world.desk.faults =
        late == second ? [.bytes(bytes), .lost] : [.lost, .bytes(bytes), .lost]
      let start = try world.player().startMatch(wish)
      #expect(start.ticket.match == MatchID(askedBy: late.event.player, event: late.id))
      #expect(world.desk.handled.isEmpty)
      let other = late == second ? first : second
      #expect(world.notices == [.stillPending(other, .unknown)])
      #expect(Array(world.memory.pending.values) == [other])
    }
  }

  /// The two events that are pending, the older one first.
  private func pair() throws -> (PendingEvent, PendingEvent) {
    let events = world.memory.pending.values.sorted { $0.id < $1.id }
    try #require(events.count == 2)
    return (events[0], events[1])
  }

  // Failure: ClientError.foreignReply: Only answers to other requests arrived.
  @Test("Replies to events that nobody knows leave the event pending, after a few attempts")
  func foreignReplies() throws {
    let foreign = ReplyCodec.encode(
      .refused(.seatTaken), event: EventID(at: .noon, random: 9))
    world.desk.faults = Array(repeating: .bytes(foreign), count: 10)
    let error = thrown(try world.player().startMatch(.random))
    let id = try #require(world.memory.pending.keys.first)
    #expect(error == .pending(id, .foreignReply))
    #expect(world.desk.messages.count == 4)
  }

  // Failure: ClientError.unreadable: The answer cannot be read. The event stays pending.
  @Test("An answer that cannot be read leaves the event pending")
  func unreadable() throws {
    world.desk.faults = [.bytes(Array("{".utf8))]
    let error = thrown(try world.player().startMatch(.random))
    guard case .pending(_, .unreadable)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(world.memory.pending.count == 1)
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.count == 1)
  }

  @Test("An unavailable service gets an event a few times with growing pauses, then it is kept")
  func unavailable() throws {
    world.desk.faults = Array(repeating: .unavailable, count: 4)
    let error = thrown(try world.player().startMatch(.random))
    let id = try #require(world.memory.pending.keys.first)
    #expect(error == .pending(id, .unavailable))
    #expect(world.desk.messages.count == 4)
    #expect(Set(world.desk.messages).count == 1)
    let waits = world.clock.waits
    #expect(waits.count == 3)
    for (index, wait) in waits.enumerated() {
      let longest = Duration.milliseconds(200 << index)
      #expect(wait >= longest / 2 && wait <= longest)
    }
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.map(\.id) == [id])
  }

  @Test("A service that was unavailable for a moment costs nothing but that moment")
  func unavailableOnce() throws {
    world.desk.faults = [.unavailable]
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.count == 1)
  }

  @Test(
    "A repeated wish comes true once after any loss and any end",
    arguments: 0..<200)
  func anyFault(seed: UInt64) throws {
    let world = World(seed: seed)
    let random = Randomness.seeded(seed &+ 1_000)
    var commands = 0
    while true {
      commands += 1
      try #require(commands < 100, "seed \(seed)")
      let faults: [Desk.Fault] = [
        .replyLost, .confirmedOnly, .lost, .broken(.disconnected("")), .broken(.refused("")),
        .unavailable, .bytes([]),
      ]
      world.desk.faults = (0..<Int(random.next() % 4)).map { _ in
        faults[Int(random.next() % UInt64(faults.count))]
      }
      world.store = Self.crashing(world.memory, random)
      let error = thrown(try world.player().startMatch(.random))
      world.memory.isLocked = false
      guard error != nil else { break }
    }
    let handled = world.desk.handled
    #expect(handled.count == 1, "seed \(seed)")
    #expect(world.memory.pending.isEmpty, "seed \(seed)")
    #expect(Set(world.desk.messages).count == 1, "seed \(seed)")
  }

  /// A store that sometimes ends the program, before or after its work.
  static func crashing(_ memory: ProfileMemory, _ random: Randomness) -> ProfileStore {
    let killed = ProfileError.notAccessible(path: "", reason: "killed")
    var store = memory.store
    store.savePending = { event throws(ProfileError) in
      if random.next() % 4 == 0 { throw killed }
      memory.pending[event.id] = event
      if random.next() % 4 == 0 { throw killed }
    }
    store.removePending = { id throws(ProfileError) in
      if random.next() % 4 == 0 { throw killed }
      memory.pending[id] = nil
    }
    return store
  }
}
