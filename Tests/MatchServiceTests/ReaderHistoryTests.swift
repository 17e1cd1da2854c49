import CubeRules
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader on past matches")
struct ReaderHistoryTests {
  let lab = ReaderLab()

  @Test("Past games come in pages, each with the place where the next one begins")
  func pastGames() throws {
    let match = Given.ended.match
    let row = try #require(
      Listing(of: match).pastGames.first { $0.player == TestPlayer.ann.id })
    let ids = [9, 8, 7].map { MatchID(rawValue: $0) }
    var asked: [ReaderStore.PastGamesQuestion] = []
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.pastGames.answer { question in
      asked.append(question)
      return ids.map { .init(match: $0, terms: match.terms, game: row) }
    }
    let cursor = PastGamesCursor(endedAt: .noon, match: MatchID(rawValue: 10))
    lab.ask(.pastGames(.init(with: TestPlayer.bob.id, before: cursor, limit: 2)))
    try lab.step()
    let page = try lab.answer(as: PastGames.self)
    #expect(page.games.map(\.id) == Array(ids.prefix(2)))
    #expect(page.games.first?.result == .won)
    #expect(page.games.first?.opponentName == TestPlayer.bob.name)
    #expect(page.next == page.games.last?.cursor)
    expectNoDifference(
      asked,
      [
        .init(
          player: TestPlayer.ann.id, opponent: TestPlayer.bob.id,
          before: .init(endedAt: .noon, match: MatchID(rawValue: 10)), limit: 3)
      ])
    lab.forget()
    lab.ask(.pastGames(.init(limit: 3)))
    try lab.step()
    #expect(try lab.answer(as: PastGames.self).next == nil)
  }

  @Test("A player is given the rows that are kept of it alone, with the place where they go on")
  func account() throws {
    let rows = (0..<AccountSection.pageSize).map { #"{"row":\#($0)}"# }
    var asked: [(PlayerID, AccountSection, Int)] = []
    lab.expectOwner()
    lab.store.account.answer { player, section, place in
      asked.append((player, section, place))
      return rows
    }
    lab.ask(.account(.init(.soloScores, after: 400)))
    try lab.step()
    #expect(try lab.answer() == AccountRows(rows: rows, next: 600))
    #expect(asked.count == 1)
    #expect(asked.first.map { $0 == (TestPlayer.ann.id, .soloScores, 400) } == true)
  }

  @Test("Two players are summed up by their newest matches, and nobody by an id that no player has")
  func headToHead() throws {
    let match = Given.ended.match
    let row = try #require(
      Listing(of: match).pastGames.first { $0.player == TestPlayer.ann.id })
    let ids = [match.id] + (1...1_000).map { MatchID(rawValue: $0) }
    var asked: [ReaderStore.PastGamesQuestion] = []
    var read: [[MatchID]] = []
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.pastGames.answer { question in
      asked.append(question)
      return ids.map { .init(match: $0, terms: match.terms, game: row) }
    }
    lab.store.matches.answer { ids in
      read.append(ids)
      return [match]
    }
    lab.ask(.headToHead(.init(with: TestPlayer.bob.id)))
    try lab.step()
    let summary = try lab.answer(as: HeadToHead.self)
    #expect(summary.opponentName == TestPlayer.bob.name && summary.score == .init(won: 1_000))
    #expect(summary.hasOlder == true && summary.wordMatches == 100)
    expectNoDifference(
      asked,
      [.init(player: TestPlayer.ann.id, opponent: TestPlayer.bob.id, before: nil, limit: 1_001)])
    #expect(read == [Array(ids.prefix(100))])

    lab.forget()
    lab.ask(.headToHead(.init(with: PlayerID(rawValue: 1))))
    try lab.step()
    #expect(try lab.refusal() == .unknownPlayer && asked.count == 1)
  }

  @Test("An aborted past game names the player that gave it up, if there is one")
  func gaveUpBy() throws {
    let match = Given.ended.match
    var row = try #require(Listing(of: match).pastGames.first { $0.player == TestPlayer.ann.id })
    row.reason = .aborted
    let forfeit = Event(
      service: ServiceIdentity.test.service, id: EventID(rawValue: 1), player: TestPlayer.bob.id,
      action: .matchForfeited(match.id))
    let passed = PayloadCodec.encode(
      .deadlinePassed(turn: 1, deadline: .noon, queueTime: .noon, creditMicroseconds: 0),
      match: match.id, service: ServiceIdentity.test.service)
    let causes = [PayloadCodec.encode(forfeit), passed, nil]
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.pastGames.answer { _ in
      causes.map { .init(match: match.id, terms: match.terms, game: row, cause: $0) }
    }
    lab.ask(.pastGames(.init(limit: 3)))
    try lab.step()
    let games = try lab.answer(as: PastGames.self).games
    #expect(games.map(\.gaveUpBy) == [TestPlayer.bob.id, nil, nil])
  }

  @Test("The record of an own match that is over is given out whole, and verifies")
  func record() throws {
    let given = Given.ended
    lab.expectOwner()
    lab.expectMatches(given)
    lab.ask(.record(.init(given.match.id)))
    try lab.step()
    let document = try RecordDocument(Array(try lab.answer(as: RecordAnswer.self).record.utf8))
    #expect(document.entries == given.entries)
    let report = RecordVerifier(lexicons: .test).report(on: document)
    #expect(report.game.fault == nil)
  }

  @Test("The record of a player who changed devices has what brought the new key in, and verifies")
  func recordOfDevices() throws {
    let phone = TestPlayer("phone", keyByte: 0x70)
    let given = Given.ended(signedBy: .test, on: phone)
    let code = DeviceCode(random: 7)
    func signed(_ action: Event.Action, by device: TestPlayer) -> SignedPayload {
      device.signer.signed(PayloadCodec.encode(TestPlayer.ann.event(action)), as: .event)
    }
    let origin = KeyOrigin(
      invited: signed(.deviceInvited(code.hash(at: .test)), by: .ann),
      added: signed(.keyAdded(code), by: phone))
    lab.expectOwner()
    lab.expectMatches(given)
    var asked: [PublicKey] = []
    lab.store.origins.answer { keys in
      asked += keys
      return [origin]
    }
    lab.ask(.record(.init(given.match.id)))
    try lab.step()
    #expect(asked == [phone.key])
    let document = try RecordDocument(Array(try lab.answer(as: RecordAnswer.self).record.utf8))
    #expect(document.formatVersion == 2)
    #expect(document.seats.map(\.origins) == [[origin], []])
    #expect(RecordVerifier(lexicons: .test).report(on: document).game.fault == nil)
  }

  @Test("A record that no answer has room for is given in parts, which verify as one")
  func recordInParts() throws {
    // Each of Ann's devices has brought the next one in. The last one has played.
    let devices = [.ann] + (1...150).map { TestPlayer("device-\($0)", keyByte: UInt8($0)) }
    func signed(_ action: Event.Action, by device: TestPlayer) -> SignedPayload {
      device.signer.signed(PayloadCodec.encode(TestPlayer.ann.event(action)), as: .event)
    }
    let origins = zip(devices, devices.dropFirst()).enumerated().map { number, pair in
      let code = DeviceCode(random: UInt64(number))
      return KeyOrigin(
        invited: signed(.deviceInvited(code.hash(at: .test)), by: pair.0),
        added: signed(.keyAdded(code), by: pair.1))
    }
    let given = Given.ended(signedBy: .test, on: try #require(devices.last))
    lab.expectOwner()
    lab.expectMatches(given)
    lab.store.origins.answer { _ in origins.reversed() }
    var record = ""
    for part in 1...2 {
      lab.ask(.record(.init(given.match.id, part: part)))
      try lab.step()
      let text = try lab.answer(as: RecordAnswer.self).record
      #expect((text.utf8.count == RecordPart.byteCount) == (part < 2))
      record += text
      lab.forget()
    }
    let document = try RecordDocument(Array(record.utf8))
    #expect(document.seats.map(\.origins) == [origins, []])
    #expect(RecordVerifier(lexicons: .test).report(on: document).game.fault == nil)
    lab.ask(.record(.init(given.match.id, part: 3)))
    try lab.step()
    #expect(try lab.refusal() == .malformed("part is 3, and the record has fewer parts"))
    lab.forget()
    // A client that knows no parts.
    lab.ask(.record(.init(given.match.id)))
    try lab.step()
    #expect(try lab.refusal() == .unavailable)
  }

  // Failure: QueryRefusal.matchNotOver: The service gives out a record only after the match.
  @Test("The record of a match that is running, or somebody else's, is not given out")
  func recordRefused() throws {
    let (running, ended) = (Given.playing, Given.ended)
    lab.expectOwner()
    lab.expectMatches(running)
    lab.ask(.record(.init(running.match.id)))
    try lab.step()
    #expect(try lab.refusal() == .matchNotOver)
    lab.forget()
    let other = ReaderLab()
    other.expectOwner()
    other.expectMatches(ended)
    other.ask(.record(.init(ended.match.id)), by: .cyd)
    try other.step()
    #expect(try other.refusal() == .unknownMatch)
  }

  // Failure: QueryRefusal.dailyNotDealt: That day's challenge is not dealt.
  @Test("Standings rank everybody and show the asker's place; a daily that is not dealt has none")
  func standings() throws {
    let key = DailyKey(day: Day(containing: .noon))
    lab.expectOwner()
    var isDealt = false
    lab.store.daily.answer { isDealt ? DailyChallenge(key: $0, lexicon: "x", letters: "y") : nil }
    lab.store.dailyResults.answer { _, asker, limit in
      Ranking(
        all: [
          .init(player: TestPlayer.bob.id, name: TestPlayer.bob.name, points: 9),
          .init(player: TestPlayer.ann.id, name: TestPlayer.ann.name, points: 5),
        ], asker: asker, limit: limit)
    }
    lab.ask(.standings(.init(key)))
    try lab.step()
    #expect(try lab.refusal() == .dailyNotDealt(key.day))
    isDealt = true
    lab.forget()
    lab.ask(.standings(.init(key)))
    try lab.step()
    let standings = try lab.answer(as: Standings.self)
    #expect(standings.rows.map(\.points) == [9, 5])
    #expect(standings.you?.rank == 2)
  }

  // Failure: QueryRefusal.standingsGone: The service keeps a day's standings for 90 days.
  @Test("Standings are kept for ninety days: those of an earlier day are gone, and said to be")
  func standingsGone() throws {
    lab.expectOwner()
    lab.store.daily.answer { DailyChallenge(key: $0, lexicon: "x", letters: "y") }
    lab.store.dailyResults.answer { _, asker, limit in Ranking(all: [], asker: asker, limit: limit)
    }
    let first = Day(number: Day(containing: .noon).number - 90)
    lab.ask(.standings(.init(DailyKey(day: first))))
    try lab.step()
    #expect(try lab.answer(as: Standings.self).daily.day == first)
    lab.forget()
    lab.ask(.standings(.init(DailyKey(day: first.previous))))
    try lab.step()
    #expect(try lab.refusal() == .standingsGone(first.previous))
  }

  @Test("A week is reviewed by its ended matches and by the places on its boards")
  func review() throws {
    lab.expectOwner()
    var asked: [Leaderboard] = []
    lab.store.tallies.answer { _, since, limit in
      #expect(limit == WeekInReview.countLimit)
      #expect(since == Instant.noon.adding(seconds: -7 * 86_400))
      return [
        .random: [.won: 2, .lost: 1, .none: 1], .invitation: [.none: 1], .solo: [.completed: 3],
      ]
    }
    lab.store.leaderboard.answer { board, asker, limit in
      asked.append(board)
      let isTimed = board.games == SoloGames(kind: .solo, mode: .timed)
      let score = Ranking.Score(
        player: asker, name: TestPlayer.ann.name, points: 9,
        word: board.measure == .words ? "NINE" : nil)
      return Ranking(
        best: [], own: isTimed ? (score, 4) : nil, counted: 70, asker: asker, limit: limit)
    }
    lab.ask(.review)
    try lab.step()
    let review = try lab.answer(as: WeekInReview.self)
    #expect(review.games.map(\.kind) == [.random, .solo])
    #expect(review.games.map(\.count) == [3, 3] && review.games.map(\.won) == [2, 0])
    #expect(review.places.map(\.row.rank) == [4, 4] && review.places.map(\.row.outOf) == [70, 70])
    #expect(review.places.map(\.row.word) == [nil, "NINE"])
    #expect(asked.count == 8 && asked.allSatisfy { $0.window == .week })
  }

  @Test("The code of a shared game opens the game and its record; no other code does")
  func shared() throws {
    let given = Given.ended
    let code = required(ShareCode("ABCD1234"))
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(given)
    lab.store.matchByCode.answer { _ in nil }
    lab.store.sharedMatch.answer { $0 == code ? given.match.id : nil }
    lab.ask(.matchByCode(.init(code)), by: .cyd)
    try lab.step()
    let view = try lab.answer(as: MatchView.self)
    #expect(view.id == given.match.id && view.letters == given.match.game.puzzle.description)
    #expect(view.turns.count == given.match.turnNumber - 1)
    lab.forget()
    lab.ask(.recordByCode(.init(code)), by: .cyd)
    try lab.step()
    let document = try RecordDocument(Array(try lab.answer(as: RecordAnswer.self).record.utf8))
    #expect(document.entries == given.entries)
    for kind in [
      Query.Kind.matchByCode(.init(required(ShareCode("WRONG")))),
      .recordByCode(.init(required(ShareCode("WRONG")))),
    ] {
      lab.forget()
      lab.ask(kind, by: .cyd)
      try lab.step()
      #expect(try lab.refusal() == .codeUnknown)
    }
  }

  // Failure: QueryRefusal.matchGone: The service does not keep games for ever, and would not keep
  //   this one any more. Or a game was shared and is gone.
  @Test(
    "A game that would not be kept any more is said to be gone, whoever asks, by id and by code")
  func gone() throws {
    lab.settings.retention.games = 40
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(Given.ended)
    let code = required(ShareCode("ABCD1234"))
    let asked = EventID(at: lab.now.adding(seconds: -41 * 86_400), random: 7)
    let id = MatchID(askedBy: TestPlayer.ann.id, event: asked)
    lab.store.matchByCode.answer { _ in nil }
    lab.store.sharedMatch.answer { $0 == code ? id : nil }
    let gone: [Query.Kind] = [
      .match(.init(id)), .match(.init(id, atLeast: 3)), .match(.init(id, newerThan: 3)),
      .record(.init(id)), .matchByCode(.init(code)), .recordByCode(.init(code)),
    ]
    for kind in gone {
      lab.forget()
      lab.ask(kind)
      try lab.step()
      #expect(try lab.refusal() == .matchGone, "\(kind)")
    }
    // One of the last days was never there, or is somebody else's.
    let late = EventID(at: lab.now.adding(seconds: -39 * 86_400), random: 7)
    for id in [MatchID(askedBy: TestPlayer.ann.id, event: late), Given.ended.match.id] {
      for kind in [Query.Kind.match(.init(id)), .record(.init(id))] {
        lab.forget()
        lab.ask(kind, by: .cyd)
        try lab.step()
        #expect(try lab.refusal() == .unknownMatch, "\(kind)")
      }
    }
  }

  @Test("Somebody else's old game is refused like one that is gone")
  func goneOrOthers() throws {
    lab.settings.retention.games = 40
    lab.expectOwner()
    lab.expectMatches(Given.ended)
    lab.now = lab.now.adding(seconds: 41 * 86_400)
    lab.ask(.record(.init(Given.ended.match.id)), by: .cyd, at: lab.now)
    try lab.step()
    #expect(try lab.refusal() == .matchGone)
  }
}
