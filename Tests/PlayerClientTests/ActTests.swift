import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@Suite("Acts of a player")
struct ActTests {
  let world = World()
  let match = MatchID(rawValue: 0xabc)

  @Test("Registering makes a key, keeps it before anything is sent, and remembers the name")
  func registering() throws {
    world.memory.key = nil
    world.memory.profile = Profile(service: .test, rootKey: .root)
    let player = try Player.open(
      world.memory.store, bus: world.desk.bus, clock: world.clock.clock,
      randomness: world.randomness, makingKey: true)
    let key = try #require(world.memory.key)
    #expect(player.player == key.player)
    #expect(try player.register(.ann, code: ShareCode("WELCOME1")) == .ann)
    #expect(world.memory.profile.name == .ann)
    #expect(world.memory.profile.player == key.player)
    #expect(
      world.desk.handled.map(\.action)
        == [.playerRegistered(name: .ann, code: ShareCode("WELCOME1"))])
  }

  @Test("A lost reply to a registration is remembered by any command that gets it later")
  func lateRegistration() throws {
    world.memory.profile = Profile(service: .test, rootKey: .root)
    world.desk.faults = [.replyLost]
    _ = thrown(try world.player().register(.ann))
    #expect(world.memory.profile.name == nil)
    try world.player().resendPending()
    #expect(world.memory.profile.name == .ann)
  }

  @Test("A name that the key has already is remembered, and the refusal told")
  func alreadyRegistered() {
    world.memory.profile.name = nil
    world.desk.judge = { _ in .refused(.alreadyRegistered(name: "Ann")) }
    let error = thrown(try world.player().register(.bob))
    guard case .refused("alreadyRegistered", _, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(world.memory.profile.name == .ann)
  }

  // Failure: ClientError.notRegistered: The profile has no key, or the service does not know the
  //   key.
  @Test("A folder without a key has no player, and no key is made unasked")
  func noKey() {
    world.memory.key = nil
    let error = thrown(
      try Player.open(
        world.memory.store, bus: .failing, clock: .failing, randomness: .failing))
    #expect(error == .notRegistered)
    #expect(world.memory.key == nil)
  }

  @Test("An imported key never replaces another one")
  func importing() throws {
    try Player.importKey(.ann, into: world.memory.store)
    #expect(throws: ProfileError.keyExists) {
      try Player.importKey(.bob, into: world.memory.store)
    }
    #expect(world.memory.key == .ann)
    #expect(!world.memory.isLocked)
  }

  @Test("A player invited by name is named by id in the signed event")
  func byName() throws {
    let bob = PlayerView(id: PlayerKey.bob.player, name: .bob, registeredAt: .noon)
    world.desk.answer = { AnswerCodec.encode(bob, query: $0.id) }
    _ = try world.player().startMatch(against: .bob, turnLimitSeconds: 600)
    #expect(world.desk.queries.map(\.kind) == [.player(.init(PlayerName.bob))])
    #expect(
      world.desk.handled.map(\.action)
        == [.matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 600))])
  }

  @Test("A random request that found somebody is a joined match")
  func joinedByChance() throws {
    let ticket = MatchTicket.test(match, seat: 1)
    world.desk.judge = { _ in .accepted(.matchJoined(ticket)) }
    #expect(try world.player().startMatch(.random) == .joined(ticket))
  }

  @Test("A code leads to its match, and is resumed without asking again")
  func joining() throws {
    let code = try #require(ShareCode("abcd1234"))
    let view = MatchView.test(id: match)
    world.desk.answer = { AnswerCodec.encode(view, query: $0.id) }
    // The query is answered, the event's reply is lost.
    var bus = world.desk.bus
    let request = bus.request
    bus.request.answer { message, timeout throws(BusError) in
      let answer = try request(message, timeout)
      return message.event == nil ? answer : .unknown
    }
    _ = thrown(try world.player(bus: bus).join(code))
    // By now the code leads to no match any more.
    world.desk.answer = { AnswerCodec.encode(refusal: .codeUnknown, query: $0.id) }
    let ticket = try world.player().join(code)
    #expect(ticket.match == match)
    #expect(world.desk.handled.map(\.action) == [.invitationAccepted(match, code: code)])
    #expect(world.desk.queries.count == 1)
  }

  @Test("A turn names the number and the hash that the match has now")
  func playing() throws {
    let view = MatchView.test(id: match)
    world.desk.answer = { AnswerCodec.encode(view, query: $0.id) }
    let moves = [Move.removal(Cube(notation: "222")!), .removal(Cube(notation: "212")!)]
    let receipt = try world.player().play(moves, in: match)
    #expect(receipt.match == match)
    let turn = Turn(number: 1, previous: view.previous, moves: moves)
    #expect(world.desk.handled.map(\.action) == [.turnPlayed(match, turn)])
    // A view that is there already is not asked for again.
    _ = try world.player().play([moves[0]], in: view)
    #expect(world.desk.queries.count == 1)
  }

  @Test("Accepting, declining, withdrawing, giving up and declining a rematch send their events")
  func others() throws {
    let player = world.player()
    #expect(try player.accept(match) == .test(match, seat: 1))
    #expect(try player.decline(match) == 2)
    #expect(try player.withdraw(match) == 2)
    #expect(try player.forfeit(match).points == [1, 2])
    #expect(try player.declineRematch(match) == 5)
    #expect(try player.react(with: "CAT", in: MatchView.test(id: match)) == 6)
    try player.report(match, because: .words, text: Report.Text("see turn 3"))
    let daily = DailyKey(day: Day(containing: .noon))
    #expect(try player.startDaily(daily).match == MatchID(daily: daily, player: player.player))
    #expect(
      world.desk.handled.map(\.action) == [
        .invitationAccepted(match, code: nil), .invitationDeclined(match),
        .requestWithdrawn(match), .matchForfeited(match), .rematchDeclined(match),
        .reacted(match, turn: 1, word: "CAT"),
        .reported(match, .words, text: Report.Text("see turn 3")), .dailyStarted(daily),
      ])
  }

  @Test("An acceptance of something else is no answer")
  func foreignAcceptance() {
    world.desk.judge = { _ in .accepted(.done(.rematchDeclined, self.match, version: 1)) }
    #expect(
      thrown(try world.player().startMatch(.random))
        == .foreignReply)
  }

  // Failure: ClientError.tooLarge: The event does not fit into a message.
  @Test("Something too large to travel is said before anything is kept")
  func tooLarge() throws {
    let faces = Array(repeating: Face(notation: "222T")!, count: 1_000)
    let player = world.player(bus: .failing)
    let error = thrown(try player.play([.word(faces)], in: MatchView.test(id: match)))
    guard case .tooLarge? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(world.memory.pending.isEmpty)
  }

  @Test("The event under way is told, for an interruption of the program")
  func inFlight() throws {
    let player = world.player()
    var seen: [EventID?] = []
    player.onInFlight = { seen.append($0) }
    _ = try player.startMatch(.random)
    #expect(seen == [world.desk.handled[0].id, nil])
  }
}

@Suite("The wish for a rematch")
struct RematchTests {
  let world = World()
  let match = MatchID(rawValue: 0xabc)

  @Test(
    "The request is in flight, then it is not, and the player is told to try again later",
    arguments: [
      BusError.disconnected("gone"), .notPermitted("x"), .unroutable("x"), .refused("full"),
      .timedOut("x"),
    ])
  func unhappyPath(failure: BusError) {
    var bus = PlayerBus.failing
    bus.request.fail(with: failure)
    var seen: [RematchProgress] = []
    let progress = world.player(bus: bus).rematch(of: match) { seen.append($0) }
    #expect(progress == .failed(.unreachable(failure)))
    #expect(world.memory.pending.isEmpty)
    #expect(seen == [.inFlight, progress])
    #expect(seen.map(\.isInFlight) == [true, false])
    #expect(progress.description.hasPrefix("The rematch could not be started."))
    #expect(progress.description.contains("try again later"))
  }

  @Test("A rematch that is tried again later is asked for once")
  func triedAgain() {
    world.desk.faults = [.replyLost]
    let player = world.player()
    #expect(player.rematch(of: match) != .offered(match, version: 4))
    #expect(player.rematch(of: match) == .offered(match, version: 4))
    #expect(world.desk.handled.map(\.action) == [.rematchRequested(match)])
  }

  @Test("A rematch that has begun is the match to play")
  func started() {
    let ticket = MatchTicket.test(MatchID(successorOf: match), seat: 1)
    world.desk.judge = { _ in .accepted(.rematchStarted(ticket)) }
    var seen: [RematchProgress] = []
    world.player().rematch(of: match) { seen.append($0) }
    #expect(seen == [.inFlight, .started(ticket)])
    #expect(seen.last?.description.contains("\(ticket.match)") == true)
  }

  @Test("A refusal is told as it is: trying again would not help")
  func refused() {
    world.desk.judge = { _ in .refused(.rematchNotPossible) }
    let progress = world.player().rematch(of: match)
    #expect(progress.description.contains(Refusal.rematchNotPossible.message))
    #expect(!progress.description.contains("try again later"))
    #expect(world.memory.pending.isEmpty)
  }
}
