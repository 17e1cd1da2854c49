import CubeLexicon
import CubeRules
import CubistBasics
import CustomDump
package import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  static let ranking: [StoreCase] = [
    StoreCase("Leaderboards agree with a plain sort, for everyone and on every board") {
      stores in
      let lab = StoreLab(stores.worker)
      let crowd = try Crowd(lab, count: 7)
      var random = SplitMix64(state: 11)
      for _ in 0..<5 { try crowd.play(using: &random) }
      while try stores.scheduler.rank(3) {}
      try crowd.expectSorted(stores.reader)
      try checkAgreement(stores)
      // Ranking again changes nothing, and better games move their players up.
      for _ in 0..<2 { try crowd.play(using: &random) }
      while try stores.scheduler.rank(100) {}
      try crowd.expectSorted(stores.reader)
      #expect(try stores.scheduler.rank(100) == false)
    },
    StoreCase("A game to be ranked waits for the scheduler, and does not count before") {
      stores in
      let lab = StoreLab(stores.worker)
      let crowd = try Crowd(lab, count: 2)
      var random = SplitMix64(state: 3)
      try crowd.play(using: &random)
      let board = Leaderboard(
        games: SoloGames(kind: .solo, mode: .timed), measure: .points, window: .day)
      #expect(try stores.reader.leaderboard(board, TestPlayer.member(0).id, 10).rows == [])
      // Nothing is wrong while it waits.
      try checkAgreement(stores)
      #expect(try stores.otherScheduler.rank(100) == true)
      #expect(try stores.scheduler.rank(100) == false)
      #expect(try stores.reader.leaderboard(board, TestPlayer.member(0).id, 10).outOf == 2)
    },
    StoreCase("A game leaves the boards of the day and of the week with its time") { stores in
      let lab = StoreLab(stores.worker)
      let crowd = try Crowd(lab, count: 3)
      var random = SplitMix64(state: 4)
      try crowd.play(using: &random)
      while try stores.scheduler.rank(100) {}
      let asker = TestPlayer.member(0).id
      func counts() throws -> [Int] {
        try Leaderboard.Window.allCases.flatMap { window in
          try Leaderboard.Measure.allCases.map { measure in
            let games = SoloGames(kind: .solo, mode: .timed)
            let board = Leaderboard(games: games, measure: measure, window: window)
            return try stores.reader.leaderboard(board, asker, 10).outOf
          }
        }
      }
      #expect(try counts() == [3, 3, 3, 3, 3, 3])
      try stores.age(86_000)
      while try stores.scheduler.rank(100) {}
      #expect(try counts() == [3, 3, 3, 3, 3, 3])
      try stores.age(500)
      while try stores.scheduler.rank(100) {}
      #expect(try counts() == [0, 0, 3, 3, 3, 3])
      try stores.age(6 * 86_400)
      while try stores.scheduler.rank(100) {}
      #expect(try counts() == [0, 0, 0, 0, 3, 3])
    },
    StoreCase("The results of a daily show a player's rank, and the history every day's") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let day = Day(containing: lab.now)
      for mode in SoloMode.allCases {
        let key = DailyKey(day: day, mode: mode)
        _ = try stores.scheduler.keepDaily(
          Dealer.daily(key, lexicon: .everyWord, secret: .test))
        for player in [TestPlayer.ann, .bob, .cyd] {
          try lab.act(.dailyStarted(key), by: player)
        }
      }
      let key = DailyKey(day: day, mode: .timed)
      for player in [TestPlayer.ann, .bob] {
        try lab.playWord(in: MatchID(daily: key, player: player.id), by: player)
      }
      while try stores.scheduler.rank(100) {}
      let results = try stores.reader.dailyResults(key, TestPlayer.cyd.id, 2)
      #expect(results.rows.map(\.rank) == [1, 1])
      #expect(results.rows.map(\.player) == [TestPlayer.ann.id, TestPlayer.bob.id].sorted())
      #expect(results.own?.rank == 2 && results.own?.outOf == 3 && results.outOf == 3)
      let history = try stores.reader.dailyHistory(TestPlayer.cyd.id, day.previous)
      #expect(history.map(\.daily.mode) == [.timed, .unlimited])
      #expect(history.map(\.rank) == [2, 1] && history.map(\.outOf) == [3, 3])
      #expect(try stores.reader.dailyHistory(TestPlayer.cyd.id, day) == [])
      try checkAgreement(stores)
    },
    StoreCase("The words of a daily that can still be played are on no board, its points are") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      // The timed one: its words wait some minutes longer than a day that ends just now.
      let key = DailyKey(day: Day(containing: lab.now), mode: .timed)
      _ = try stores.scheduler.keepDaily(
        Dealer.daily(key, lexicon: .everyWord, secret: .test))
      try lab.act(.dailyStarted(key), by: .ann)
      let game = MatchID(daily: key, player: TestPlayer.ann.id)
      try lab.playWord(in: game, by: .ann)
      try lab.act(.matchForfeited(game), by: .ann)
      let points = try #require(try lab.match(game)).points
      while try stores.scheduler.rank(100) {}
      for window in Leaderboard.Window.allCases {
        var board = Leaderboard(
          games: SoloGames(kind: .daily, mode: .timed), measure: .words, window: window)
        for asker in [TestPlayer.ann, .bob] {
          let words = try stores.reader.leaderboard(board, asker.id, 10)
          #expect(words.rows == [] && words.own == nil && words.outOf == 0, "\(window)")
        }
        board.measure = .points
        #expect(
          try stores.reader.leaderboard(board, TestPlayer.bob.id, 10).rows.map(\.points) == points)
      }
      try checkAgreement(stores)
    },
    StoreCase("Past games are found by opponent, kind, result and time, page by page") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      for round in 0..<4 {
        let solo = try lab.event(
          .matchRequested(MatchRequest(alone: round < 2 ? .timed : .unlimited)), by: .ann)
        try lab.send([solo])
        try lab.act(.matchForfeited(solo.newMatch), by: .ann)
        let opponent = round == 0 ? TestPlayer.cyd : .bob
        let match = try lab.begin(.ann, opponent)
        try lab.act(lab.turn(in: #require(try lab.match(match))), by: .ann)
        try lab.act(.matchForfeited(match), by: round.isMultiple(of: 2) ? .ann : opponent)
        try stores.age(0)
      }
      func page(
        _ opponent: TestPlayer?, _ filter: PastGamesFilter,
        before: ReaderStore.PastGamesQuestion.Position? = nil, limit: Int = 100
      ) throws -> [ReaderStore.PastGameRow] {
        try stores.reader.pastGames(
          .init(
            player: TestPlayer.ann.id, opponent: opponent?.id, filter: filter, before: before,
            limit: limit))
      }
      let all = try page(nil, PastGamesFilter())
      #expect(all.count == 8)
      let middle = all[3].game.endedAt
      let filters = [
        PastGamesFilter(kind: .solo), PastGamesFilter(result: .won), PastGamesFilter(result: .lost),
        PastGamesFilter(kind: .invitation, result: .lost), PastGamesFilter(kind: .daily),
        PastGamesFilter(kind: .solo, result: .won), PastGamesFilter(from: middle),
        PastGamesFilter(until: middle), PastGamesFilter(kind: .solo, from: middle),
        PastGamesFilter(result: .lost, until: middle), PastGamesFilter(from: middle, until: middle),
      ]
      for filter in filters {
        for opponent in [nil, TestPlayer.bob, .cyd] {
          let wanted = all.filter { row in
            (opponent == nil || row.game.opponent == opponent?.id)
              && (filter.kind == nil || row.terms.kind.name == filter.kind)
              && (filter.result == nil || row.game.result == filter.result)
              && filter.from.map { row.game.endedAt >= $0 } ?? true
              && filter.until.map { row.game.endedAt < $0 } ?? true
          }
          #expect(try page(opponent, filter) == wanted, "\(filter)")
          // In pages of one.
          var found: [ReaderStore.PastGameRow] = []
          while let next = try page(
            opponent, filter,
            before: found.last.map { .init(endedAt: $0.game.endedAt, match: $0.match) }, limit: 1
          ).first { found.append(next) }
          #expect(found == wanted, "\(filter), page by page")
        }
      }
    },
    StoreCase("Either player shares a game once, and its code alone finds it") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let match = try lab.begin()
      try lab.act(.matchForfeited(match), by: .bob)
      let code = ShareCode(sharing: match, secret: .test)
      #expect(try stores.reader.sharedMatch(code) == nil)
      // Both in one batch, and once more.
      let replies = try lab.send([
        lab.event(.gameShared(match), by: .ann), lab.event(.gameShared(match), by: .bob),
      ])
      let again = try lab.act(.gameShared(match), by: .ann)
      #expect(again == .gameShared(match, code: code))
      #expect(replies == [.accepted(again), .accepted(again)])
      #expect(try stores.reader.sharedMatch(code) == match)
      #expect(try stores.reader.matchByCode(code) == nil)
      #expect(try stores.reader.sharedMatch(ShareCode(invitationTo: match, secret: .test)) == nil)
      try checkAgreement(stores)
    },
    StoreCase("A bot leaves every board for good, and the others stand as if it were not there") {
      stores in
      let lab = StoreLab(stores.worker)
      let crowd = try Crowd(lab, count: 4)
      var random = SplitMix64(state: 11)
      let key = DailyKey(day: Day(containing: lab.now))
      _ = try stores.scheduler.keepDaily(
        Dealer.daily(key, lexicon: .everyWord, secret: .test))
      for player in crowd.players { try lab.act(.dailyStarted(key), by: player) }
      let everybody = crowd.players
      try lab.playWord(in: MatchID(daily: key, player: everybody[0].id), by: everybody[0])
      try crowd.play(using: &random)
      while try stores.scheduler.rank(100) {}
      try crowd.expectSorted(stores.reader)
      #expect(try stores.reader.dailyResults(key, everybody[1].id, 9).own?.rank == 2)

      let bot = try crowd.declareFirst()
      #expect(try stores.reader.settings(bot.id).settings.isBot)
      #expect(try stores.reader.players([bot.id])[bot.id]?.isBot == true)
      #expect(try stores.reader.players([everybody[1].id])[everybody[1].id]?.isBot == false)
      for round in 0..<2 {
        while try stores.scheduler.rank(100) {}
        try crowd.expectSorted(stores.reader)
        let board = Leaderboard(
          games: SoloGames(kind: .solo, mode: .timed), measure: .points, window: .all)
        #expect(try stores.reader.leaderboard(board, bot.id, 9).own == nil)
        let results = try stores.reader.dailyResults(key, everybody[1].id, 9)
        #expect(results.rows.map(\.player).sorted() == everybody.dropFirst().map(\.id).sorted())
        #expect(results.own?.rank == 1 && results.outOf == 3)
        #expect(try stores.reader.dailyResults(key, bot.id, 9).own == nil)
        #expect(try stores.reader.dailyHistory(bot.id, key.day.previous).isEmpty)
        try checkAgreement(stores)
        // Later games of the bot change nothing, nor does declaring it again.
        guard round == 0 else { break }
        try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: bot)
        let solo = try lab.event(.matchRequested(MatchRequest(alone: .timed)), by: bot)
        try lab.send([solo])
        try lab.playWord(in: solo.newMatch, by: bot)
        try lab.act(.matchForfeited(solo.newMatch), by: bot)
        try lab.act(
          .matchForfeited(MatchID(daily: key, player: bot.id)), by: bot)
      }
    },
    StoreCase("A hidden word leaves the boards at once, and comes back when it is shown again") {
      stores in
      let lab = StoreLab(stores.worker)
      let crowd = try Crowd(lab, count: 3)
      var random = SplitMix64(state: 5)
      for _ in 0..<2 { try crowd.play(using: &random) }
      while try stores.scheduler.rank(100) {}
      let board = Leaderboard(
        games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .all)
      let asker = TestPlayer.member(0).id
      func words() throws -> [String?] {
        try stores.reader.leaderboard(board, asker, 100).rows.map(\.word)
      }
      let before = try words()
      let best = try #require(before.first ?? nil)
      let word = try #require(HiddenWord(best))
      #expect(try stores.administration.setWord(word, true))
      #expect(try stores.administration.setWord(word, true) == false)
      #expect(try words() == before.filter { $0 != word.word }, "shown until it is ranked anew")
      while try stores.scheduler.rank(100) {}
      let hidden = try words()
      #expect(hidden.count == 3 && !hidden.contains(word.word))
      try checkAgreement(stores)
      #expect(try stores.administration.setWord(word, false))
      #expect(try stores.administration.setWord(word, false) == false)
      while try stores.scheduler.rank(100) {}
      #expect(try words() == before)
      try crowd.expectSorted(stores.reader)
    },
    StoreCase("A player's ended games are counted by kind and result, up to a limit") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let start = lab.now.adding(seconds: -1)
      let match = try lab.begin()
      for player in [TestPlayer.ann, .bob] {
        try lab.act(lab.turn(in: #require(try lab.match(match))), by: player)
      }
      try lab.act(.matchForfeited(match), by: .bob)
      for _ in 0..<3 {
        let solo = try lab.event(.matchRequested(MatchRequest(alone: .unlimited)), by: .ann)
        try lab.send([solo])
        try lab.act(.matchForfeited(solo.newMatch), by: .ann)
      }
      for (limit, counted) in [(1, 1), (2, 2), (3, 3), (4, 3)] {
        expectNoDifference(
          try stores.reader.tallies(TestPlayer.ann.id, start, limit),
          [.invitation: [.won: 1], .solo: [.completed: counted]])
      }
      expectNoDifference(
        try stores.reader.tallies(TestPlayer.bob.id, start, 10), [.invitation: [.lost: 1]])
      let later = lab.now.adding(seconds: 60)
      #expect(try stores.reader.tallies(TestPlayer.bob.id, later, 10) == [:])
    },
  ]
}

/// Players of timed solo games, and their results.
private final class Crowd {
  let lab: StoreLab
  /// The players that have a place.
  private(set) var players: [TestPlayer]
  private var games: [PlayerID: [(points: Int, words: [WordScore])]] = [:]

  init(_ lab: StoreLab, count: Int) throws {
    self.lab = lab
    players = (0..<count).map(TestPlayer.member)
    try lab.register(players)
  }

  /// Each plays a game of one to three words and ends it.
  func play(using random: inout SplitMix64) throws {
    let asked = try players.map {
      try lab.event(.matchRequested(MatchRequest(alone: .timed)), by: $0)
    }
    try lab.send(asked)
    for (sent, player) in zip(asked, players) {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        try lab.playWord(
          in: sent.newMatch, by: player, number: Int.random(in: 0..<60, using: &random))
      }
      try lab.act(.matchForfeited(sent.newMatch), by: player)
      let match = try #require(try lab.match(sent.newMatch))
      let words = match.game.playedWordScores.map { WordScore(word: $0.word, points: $0.score) }
      games[player.id, default: []].append((match.points[0], words))
    }
  }

  /// The first player is declared a bot.
  func declareFirst() throws -> TestPlayer {
    let bot = players.removeFirst()
    try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: bot)
    return bot
  }

  /// Compares every board with the games sorted.
  func expectSorted(_ reader: ReaderStore) throws {
    for measure in Leaderboard.Measure.allCases {
      let best = players.map { player -> (player: TestPlayer, points: Int) in
        let made = (games[player.id] ?? []).flatMap { game in
          measure == .points ? [game.points] : game.words.map(\.points)
        }
        return (player, made.max() ?? 0)
      }
      let sorted = best.sorted { ($1.points, $0.player.id) < ($0.points, $1.player.id) }
      let different = Set(sorted.map(\.points)).sorted(by: >)
      for window in Leaderboard.Window.allCases {
        let board = Leaderboard(
          games: SoloGames(kind: .solo, mode: .timed), measure: measure, window: window)
        for limit in [2, 100] {
          for asker in best {
            let ranking = try reader.leaderboard(board, asker.player.id, limit)
            let rank = (different.firstIndex(of: asker.points) ?? 0) + 1
            #expect(ranking.rows.map(\.points) == sorted.prefix(limit).map(\.points), "\(board)")
            #expect(ranking.rows.map(\.player) == sorted.prefix(limit).map(\.player.id))
            #expect(ranking.own?.rank == rank, "\(board)")
            #expect(ranking.own?.points == asker.points, "\(board)")
            #expect(ranking.outOf == players.count && ranking.own?.outOf == players.count)
            #expect((ranking.own?.word != nil) == (measure == .words))
          }
        }
      }
    }
  }
}

extension StoreLab {
  /// Plays the word of three faces of that number among the playable ones, or the last one before.
  package func playWord(in id: MatchID, by player: TestPlayer, number: Int = 0) throws {
    let match = try #require(try match(id))
    let faces = Array(match.game.playable)
    var found: [Face]?
    var count = 0
    search: for one in faces {
      for two in faces {
        for three in faces
        where (try? match.game.judge(.word([one, two, three]), words: Lexicon.everyWord)) != nil {
          found = [one, two, three]
          if count == number { break search }
          count += 1
        }
      }
    }
    let turn = Turn(
      number: match.turnNumber, previous: match.previousTurnHash,
      moves: [.word(try #require(found))])
    try act(.turnPlayed(id, turn), by: player)
  }
}
