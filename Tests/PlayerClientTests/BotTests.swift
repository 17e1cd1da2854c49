import CubeLexicon
import CubePlay
import CubeRules
import MatchCore
import MatchInterfaces
import PlayerClient
import Testing

@testable import MatchWire

@Suite("A player that plays by itself")
struct BotTests {
  let world = World()

  func bot(_ habits: Bot.Habits = .init(), bus: PlayerBus? = nil) -> Bot {
    Bot(
      player: world.player(bus: bus), lexicons: .standard, randomness: world.randomness,
      habits: habits)
  }

  func home(
    _ matches: [MatchSummary] = [], invitations: [MatchSummary] = [],
    offers: [RematchOfferView] = []
  ) -> HomeView {
    let daily = DailyKey(day: Day(containing: .noon))
    return HomeView(
      matches: matches, invitations: invitations, rematchOffers: offers,
      daily: DailyStatus(
        daily: daily, isDealt: true, endsAt: daily.day.end, match: nil, isOver: false,
        points: nil))
  }

  func answer(_ home: HomeView) {
    world.desk.answer = { query in
      guard case .match(let asked) = query.kind else {
        return AnswerCodec.encode(home, query: query.id)
      }
      return AnswerCodec.encode(MatchView.test(id: asked.match), query: query.id)
    }
  }

  @Test(
    "Any seed and strength plays a game to its end by legal turns",
    arguments: 0..<8)
  func playsToTheEnd(seed: UInt64) throws {
    let seatCount = seed.isMultiple(of: 2) ? 2 : 1
    let strength = BotStrength.allCases[Int(seed) % BotStrength.allCases.count]
    let brain = BotBrain(strength: strength, randomness: .seeded(seed))
    // A short list, so that the game is about removals too.
    let words = Lexicon.english.words(on: CubeGame(puzzle: .test)).prefix(30).map(\.word)
    let lexicon = Lexicon.only(words)
    var game = CubeGame(puzzle: .test)
    var turns = 0
    var removals = 0
    while !game.isOver {
      turns += 1
      try #require(turns < 300, "seed \(seed)")
      let moves = brain.turn(in: game, seatCount: seatCount, lexicon: lexicon)
      if case .removal? = moves.first { removals += 1 }
      _ = try game.applyTurn(moves, seatCount: seatCount, words: lexicon)
    }
    #expect(removals > 0 && removals < turns, "seed \(seed)")
    #expect(brain.turn(in: game, seatCount: seatCount, lexicon: lexicon) == [])
  }

  @Test("A bot without the match's word list removes cubes")
  func unknownList() throws {
    let brain = BotBrain(strength: .easy, randomness: .seeded(1))
    let moves = brain.turn(in: CubeGame(puzzle: .test), seatCount: 2, lexicon: nil)
    var game = CubeGame(puzzle: .test)
    #expect(try game.applyTurn(moves, seatCount: 2, words: Lexicon.everyWord) == [0, 0])
    let view = MatchView.test(lexicon: .only(["CAT"]))
    #expect(try bot().decide(view).count == 2)
  }

  @Test("The last cube goes by a single removal")
  func lastCube() throws {
    var game = CubeGame(puzzle: .test)
    for cube in Cube.all.sorted(by: >).dropLast() {
      try game.apply(.removal(cube), words: Lexicon.everyWord)
    }
    let brain = BotBrain(strength: .hard, randomness: .seeded(1))
    #expect(
      brain.turn(in: game, seatCount: 2, lexicon: nil) == [.removal(Cube(notation: "000")!)])
  }

  @Test("A bot takes invitations and rematches, plays its turns, and asks for a match")
  func step() throws {
    let (invited, old, playing, waiting) = (
      MatchID(rawValue: 1), MatchID(rawValue: 2), MatchID(rawValue: 3), MatchID(rawValue: 4)
    )
    let offer = RematchOfferView(
      match: old, opponent: PlayerID(rawValue: 9), opponentName: nil, isYours: false,
      offeredAt: .noon, expiresAt: .noon)
    var own = offer
    own.isYours = true
    answer(
      home(
        [.test(playing), .test(waiting, yourTurn: false)], invitations: [.test(invited)],
        offers: [offer, own]))
    let acts = try bot().step()
    #expect(acts.count == 4)
    let actions = world.desk.handled.map(\.action)
    #expect(
      actions.dropFirst().prefix(2)
        == [.invitationAccepted(invited, code: nil), .rematchRequested(old)])
    guard case .turnPlayed(let played)? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(played.match == playing && played.turn.number == 1 && played.turn.moves.count == 1)
    #expect(
      actions.last
        == .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 86_400)))
  }

  @Test("A bot keeps one match open at most, and none if it is busy or told not to")
  func open() throws {
    answer(home([.test(MatchID(rawValue: 3), yourTurn: false, stage: .waiting)]))
    #expect(try bot().step() == [])
    answer(home([.test(MatchID(rawValue: 3), yourTurn: false)]))
    var habits = Bot.Habits()
    habits.matchLimit = 1
    #expect(try bot(habits).step() == [])
    habits.matchLimit = 2
    #expect(try bot(habits).step().count == 1)
    habits.openTurnLimitSeconds = nil
    #expect(try bot(habits).step() == [])
  }

  @Test("A bot for one match leaves everything else alone")
  func onlyMatch() throws {
    answer(
      home(
        [.test(MatchID(rawValue: 3), yourTurn: true)],
        invitations: [.test(MatchID(rawValue: 1))]))
    #expect(try bot(Bot.Habits(only: MatchID(rawValue: 4))).step() == [])
    #expect(world.desk.handled.isEmpty)
  }

  @Test("A bot leaves alone the matches that its habits exclude")
  func habits() throws {
    var habits = Bot.Habits()
    habits.acceptsInvitations = false
    habits.acceptsRematches = false
    habits.openTurnLimitSeconds = nil
    let offer = RematchOfferView(
      match: MatchID(rawValue: 2), opponent: PlayerKey.bob.player, opponentName: .bob,
      isYours: false, offeredAt: .noon, expiresAt: .noon)
    answer(home(invitations: [.test(MatchID(rawValue: 1))], offers: [offer]))
    #expect(try bot(habits).step() == [])
    #expect(world.desk.handled.isEmpty)
  }

  @Test("A refusal in one match hinders no other")
  func refused() throws {
    let (gone, playing) = (MatchID(rawValue: 1), MatchID(rawValue: 3))
    answer(home([.test(playing)], invitations: [.test(gone)]))
    world.desk.judge = { event in
      if case .invitationAccepted = event.action { return .refused(.seatTaken) }
      return Desk.standard(event)
    }
    let acts = try bot().step()
    guard case .played? = acts.first,
      case .failed(gone, .refused("seatTaken", _, _))? = acts.dropFirst().first,
      case .requested? = acts.dropFirst(2).first
    else {
      Issue.record("\(acts)")
      return
    }
  }

  @Test("A bot asks once for a match that is damaged, and again when it has another version")
  func damaged() throws {
    let (broken, playing) = (MatchID(rawValue: 1), MatchID(rawValue: 3))
    var listed = MatchSummary.test(broken)
    var isDamaged = true
    world.desk.answer = { query in
      guard case .match(let asked) = query.kind else {
        return AnswerCodec.encode(self.home([listed, .test(playing)]), query: query.id)
      }
      return asked.match == broken && isDamaged
        ? AnswerCodec.encode(refusal: .matchDamaged, query: query.id)
        : AnswerCodec.encode(MatchView.test(id: asked.match), query: query.id)
    }
    var habits = Bot.Habits()
    habits.openTurnLimitSeconds = nil
    let bot = bot(habits)
    func turns(_ acts: [Bot.Act]) -> Int {
      acts.count { if case .played = $0 { true } else { false } }
    }
    var acts = try bot.step()
    #expect(acts.count == 2 && turns(acts) == 1)
    acts = try bot.step()
    #expect(acts.count == 1 && turns(acts) == 1)
    // Its operator has mended it.
    (listed.version, isDamaged) = (2, false)
    acts = try bot.step()
    #expect(acts.count == 2 && turns(acts) == 2)
  }

  @Test("Hundreds of invitations keep a bot from no turn, and cost it one refusal at most")
  func crowded() throws {
    let playing = MatchID(rawValue: 1)
    let invitations = (100..<300).map { MatchSummary.test(MatchID(rawValue: $0)) }
    answer(home([.test(playing)], invitations: invitations))
    world.desk.judge = { event in
      if case .invitationAccepted = event.action {
        return .refused(.rateLimited(.runningMatches, retryAfterSeconds: nil))
      }
      return Desk.standard(event)
    }
    var habits = Bot.Habits()
    habits.openTurnLimitSeconds = nil
    let acts = try bot(habits).step()
    #expect(acts.count == 2)
    guard case .played? = acts.first else {
      Issue.record("\(acts)")
      return
    }
    #expect(Bot.pause(after: acts) == .seconds(10))
    #expect(Bot.pause(after: []) == .seconds(1))
    // A bot that plays enough matches takes no further one.
    let matches = (1..<51).map { MatchSummary.test(MatchID(rawValue: $0), yourTurn: false) }
    answer(home(matches, invitations: invitations))
    #expect(try bot(habits).step() == [])
  }

  @Test("A bot plays on whatever runs, and takes on three of a player, a day a turn, with room")
  func limits() throws {
    var habits = Bot.Habits()
    habits.openTurnLimitSeconds = nil
    func summary(_ number: Int, of player: Int, limit: Int64 = 86_400) -> MatchSummary {
      var summary = MatchSummary.test(MatchID(rawValue: UInt128(number)), yourTurn: false)
      (summary.opponent, summary.turnLimit) = (PlayerID(rawValue: UInt128(player)), limit)
      return summary
    }
    func offer(_ number: Int, of player: Int) -> RematchOfferView {
      RematchOfferView(
        match: MatchID(rawValue: UInt128(number)), opponent: PlayerID(rawValue: UInt128(player)),
        opponentName: nil, isYours: false, offeredAt: .noon, expiresAt: .noon)
    }
    func taken() throws -> [Event.Action] {
      let before = world.desk.handled.count
      _ = try bot(habits).step()
      return world.desk.handled.dropFirst(before).map(\.action)
    }
    func accepts(_ number: Int) -> Event.Action {
      .invitationAccepted(MatchID(rawValue: UInt128(number)), code: nil)
    }
    // Two of a player are as good as three with the first invitation.
    var long = summary(1, of: 7, limit: 30 * 86_400)
    long.yourTurn = true
    answer(
      home(
        [long, summary(2, of: 7)],
        invitations: [summary(3, of: 7), summary(4, of: 7), summary(5, of: 8, limit: 86_401)],
        offers: [offer(6, of: 7), offer(7, of: 8)]))
    let actions = try taken()
    guard case .turnPlayed(let played)? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(played.match == long.id)
    #expect(actions.dropFirst() == [accepts(3), .rematchRequested(MatchID(rawValue: 7))])
    // The last places are kept.
    let common = BotLimits.matches - BotLimits.keptForNewcomers
    let many = (100..<(100 + common)).map { summary($0, of: $0) }
    answer(
      home(
        many, invitations: [summary(8, of: 100), summary(9, of: 7)],
        offers: [offer(10, of: 101), offer(11, of: 8)]))
    #expect(try taken() == [accepts(9), .rematchRequested(MatchID(rawValue: 11))])
  }

  @Test("A bot that nothing but refusals met waits before it looks again")
  func pauses() {
    let failed = Bot.Act.failed(nil, .refused(name: "seatTaken", message: "", refusal: .seatTaken))
    let accepted = Bot.Act.accepted(.test(MatchID(rawValue: 1)))
    #expect(Bot.pause(after: [failed]) == .seconds(1))
    #expect(Bot.pause(after: [failed, accepted]) == .zero)
  }

  @Test("A bot does not play on in a view that contradicts itself")
  func brokenView() throws {
    let playing = MatchID(rawValue: 3)
    let home = home([.test(playing)])
    world.desk.answer = { query in
      guard case .match(let asked) = query.kind else {
        return AnswerCodec.encode(home, query: query.id)
      }
      var view = MatchView.test(id: asked.match)
      view.uses = "1" + view.uses.dropFirst()
      return AnswerCodec.encode(view, query: query.id)
    }
    var habits = Bot.Habits()
    habits.openTurnLimitSeconds = nil
    guard case .failed(playing, .unreadable)? = try bot(habits).step().first else {
      Issue.record("played")
      return
    }
    #expect(world.desk.handled.isEmpty)
  }

  @Test("A bot's step says so if the service cannot be reached")
  func unreachable() {
    world.desk.faults = [.broken(.disconnected("gone"))]
    let error = thrown(try bot().step())
    #expect(error == .unreachable(.disconnected("gone")))
  }

  @Test("A turn is played once even if its reply is lost")
  func lostTurn() throws {
    answer(home([.test(MatchID(rawValue: 3))]))
    var habits = Bot.Habits()
    habits.openTurnLimitSeconds = nil
    var bus = world.desk.bus
    let request = bus.request
    bus.request.answer { message, timeout throws(BusError) in
      let answer = try request(message, timeout)
      return message.event == nil ? answer : .unknown
    }
    guard case .failed(_, .pending)? = try bot(habits, bus: bus).step().first else {
      Issue.record("not pending")
      return
    }
    answer(home())
    #expect(try bot(habits).step() == [])
    #expect(world.desk.handled.count == 1)
    #expect(world.memory.pending.isEmpty)
  }
}
