import CubeLexicon
package import CubeRules
package import MatchCore
import MatchInterfaces
import MatchService
package import MatchWire
package import PlayerClient
import Testing

extension Scenes {
  /// A game against the clock ends by it.
  package static func timedSolo(on service: some TestedService) throws {
    let ann = try service.client("Ann")
    let match = try ann.startMatch(MatchRequest(alone: .timed)).ticket.match
    let view = try ann.match(match)
    #expect(view.mode == .timed)
    #expect(view.deadline == view.startedAt.adding(seconds: 180))
    let bot = Bot(player: ann, lexicons: service.lexicons, randomness: .seeded(7))
    _ = try ann.play(bot.decide(view), in: view)
    try service.passTime(of: match, seconds: 185)
    let late = try ann.match(match)
    let error = #expect(throws: ClientError.self) { try ann.play(bot.decide(view), in: late) }
    guard case .refused(_, _, .matchOver(let outcome)?) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(outcome.reason == .timeUp)
    let game = try #require(try ann.pastGames().games.first)
    #expect(game.mode == .timed && game.kind == .solo && game.points == late.seats[0].points)
    #expect(try service.isVerified(ann.record(of: match)))
    try service.expectNothingWrong()
  }

  /// Both of today's challenges, each once. It needs a scheduler, and nobody else who plays them.
  package static func dailies(on service: some TestedService) throws {
    let ann = try service.client("Ann")
    try service.wait(for: "both are dealt") {
      let home = try ann.home()
      return home.daily.isDealt && home.daily(.timed).isDealt
    }
    let home = try ann.home()
    let (long, short) = (home.daily(.unlimited).daily, home.daily(.timed).daily)
    let (first, second) = (try ann.startDaily(long), try ann.startDaily(short))
    #expect(first.letters != second.letters)
    for key in [long, short] {
      #expect(throws: ClientError.self) { try ann.startDaily(key) }
    }
    try service.passTime(of: second.match, seconds: 185)
    try service.wait(for: "the timed one is over") {
      try ann.match(second.match).outcome != nil
    }
    let after = try ann.home()
    #expect(after.daily(.timed).isOver && !after.daily(.unlimited).isOver)
    let view = try ann.match(first.match)
    let bot = Bot(player: ann, lexicons: service.lexicons, randomness: .seeded(7))
    let receipt = try ann.play(bot.decide(view), in: view)
    #expect(try ann.standings(long).you?.points == receipt.points[0])
    #expect(try ann.standings(short).outOf == 1)
    try service.expectNothingWrong()
  }

  /// The results of the daily, and the history. It needs a scheduler, and nobody else who plays it.
  package static func dailyHistory(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    try service.wait(for: "it is dealt") { try ann.home().daily.isDealt }
    let daily = try ann.home().daily.daily
    for player in [ann, bob] { _ = try player.startDaily(daily) }
    let match = try #require(try ann.home().daily.match)
    let view = try ann.match(match)
    let receipt = try ann.play(try word(in: view), in: view)
    let standings = try bob.standings(daily)
    #expect(standings.rows.map(\.points) == [receipt.points[0], 0])
    #expect(standings.you?.rank == 2 && standings.you?.outOf == 2)
    try service.wait(for: "both are counted") {
      try bob.dailyHistory().results.map { [$0.points, $0.rank, $0.outOf] } == [[0, 2, 2]]
    }
    #expect(try ann.dailyHistory().results.map(\.rank) == [1])
    try service.expectNothingWrong()
  }

  /// Places on leaderboards, once a scheduler ranks. Nobody else may have played alone.
  package static func places(
    on service: some TestedService, rank: () throws -> Void
  ) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    // Nobody ranks while these games end.
    let best = try (0..<2).map { _ in try play(ann, words: 2) }.max()
    let other = try play(bob, words: 1)
    let board = Leaderboard(
      games: SoloGames(kind: .solo, mode: .timed), measure: .points, window: .day)
    #expect(try ann.leaderboard(board).rows == [])
    #expect(try service.violations() == [], "what waits to be ranked is not wrong")
    try rank()
    try service.wait(for: "both are ranked") { try ann.leaderboard(board).outOf == 2 }
    let points = [try #require(best), other]
    for player in [ann, bob] {
      let view = try player.leaderboard(board)
      #expect(view.rows.map(\.points) == points.sorted(by: >))
      #expect(view.rows.map(\.rank) == (points[0] == points[1] ? [1, 1] : [1, 2]))
      #expect(view.rows.allSatisfy { $0.outOf == 2 })
      #expect(view.you?.name == player.profile.name)
    }
    var words = board
    words.measure = .words
    #expect(try bob.leaderboard(words).you?.word?.count ?? 0 >= 3)
    let review = try bob.review()
    #expect(review.games == [.init(kind: .solo, count: 1, won: 0, lost: 0, tied: 0)])
    #expect(review.places.map(\.measure) == [.points, .words])
    try service.expectNothingWrong()
  }

  /// Plays a timed game of so many words to its end by hand, and gives its points.
  private static func play(_ player: Player, words: Int) throws -> Int {
    let match = try player.startMatch(MatchRequest(alone: .timed)).ticket.match
    var version: Int64 = 0
    for _ in 0..<words {
      let view = try player.match(match, atLeast: version)
      version = try player.play(word(in: view), in: view).version
    }
    return try player.forfeit(match).points[0]
  }

  /// Some word that can be played.
  package static func word(in view: MatchView) throws -> [Move] {
    let game = try view.game()
    let faces = Array(game.playable)
    for one in faces {
      for two in faces {
        for three in faces {
          let move = Move.word([one, two, three])
          if (try? game.judge(move, words: Lexicon.everyWord)) != nil { return [move] }
        }
      }
    }
    throw LabFailure("no word can be played")
  }

  /// Ratings and the ladder. It needs a rater, and nobody else whose matches are rated.
  package static func ladder(on service: some TestedService) throws {
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    #expect(try ann.ladder() == Ladder(rows: [], you: nil, around: [], outOf: 0))
    #expect(try ann.whoAmI().rating?.rating == 1_500)

    let casual = try win(ann, bob, isCasual: true)
    #expect(try ann.match(casual).casual == true)
    #expect(try ann.pastGames().games.first?.casual == true)
    let rated = try win(ann, bob)
    try service.wait(for: "the match is rated") { try ann.whoAmI().rating?.matches == 1 }
    #expect(try service.stored(casual).rating == StoredRating())
    #expect(try service.stored(rated).rating.results.count == 2)
    let (winner, loser) = (try #require(ann.whoAmI().rating), try #require(bob.whoAmI().rating))
    #expect(winner.rating == 1_662 && loser.rating == 1_338)
    #expect(winner.deviation == 290 && winner.isProvisional)
    let names = try [ann, bob].map { try #require($0.profile.name) }
    #expect(try bob.player(named: names[0]).rating == winner)

    // A provisional rating has no rank.
    #expect(winner.rank == nil && loser.rank == nil)
    for player in [ann, bob] {
      #expect(try player.ladder() == Ladder(rows: [], you: nil, around: [], outOf: 0))
    }
    // A rematch is rated as its match was.
    _ = ann.rematch(of: rated)
    guard case .started(let ticket) = bob.rematch(of: rated) else {
      Issue.record("no rematch")
      return
    }
    _ = try bob.play(word(in: bob.match(ticket.match)), in: bob.match(ticket.match))
    _ = try ann.forfeit(ticket.match)
    try service.wait(for: "the rematch is rated") { try ann.whoAmI().rating?.matches == 2 }
    #expect(try #require(bob.whoAmI().rating).rating > 1_338)
    try service.expectNothingWrong()
  }

  /// The first player wins a match against the second, who gives it up after a word.
  package static func win(
    _ ann: Player, _ bob: Player, isCasual: Bool = false
  ) throws -> MatchID {
    let name = try #require(bob.profile.name)
    let match = try ann.startMatch(
      against: name, turnLimitSeconds: 3_600, isCasual: isCasual
    ).ticket.match
    _ = try bob.accept(match)
    _ = try ann.play(word(in: ann.match(match)), in: ann.match(match))
    _ = try bob.forfeit(match)
    return match
  }
}
