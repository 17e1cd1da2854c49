import CubistBasics
import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let rating: [StoreCase] = [
    StoreCase("A rated match that has ended waits to be rated, once, and others never do") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      #expect(try stores.rater.take(10) == RatingWork())
      let first = try lab.lose()
      _ = try lab.lose(isCasual: true)
      let second = try lab.lose()
      try checkAgreement(stores)
      let work = try stores.rater.take(10)
      let expected = try [first, second].map { try #require(try lab.match($0)?.rated) }
      expectNoDifference(work, RatingWork(matches: expected))
      try stores.rater.finish(work.rated(), [])
      #expect(try stores.rater.take(10) == RatingWork(lastNumber: 2))
      try checkAgreement(stores)

      // A player's rating comes with the match, and numbers go on.
      let third = try lab.lose()
      let more = try stores.rater.take(10)
      #expect(more.lastNumber == 2)
      #expect(more.matches.map(\.match) == [third])
      var ledger = RatingLedger()
      for match in expected { _ = ledger.rate(match) }
      expectNoDifference(more.ratings, ledger.ratings)
      try stores.rater.finish(more.rated(), [])
      let rows = try stores.reader.players([TestPlayer.ann.id, TestPlayer.bob.id])
      for match in more.matches { _ = ledger.rate(match) }
      expectNoDifference(rows.mapValues(\.rating), ledger.ratings)
      #expect(try stores.rater.recount() == 0)
    },
    StoreCase("A match that is annulled does not wait any more; one that was rated stays rated") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (rated, waiting) = (try lab.lose(), try lab.lose())
      let work = try stores.rater.take(1)
      #expect(work.matches.map(\.match) == [rated])
      try stores.rater.finish(work.rated(), [])
      for match in [rated, waiting] {
        try lab.act(.ruled(match, Ruling(.annulled, for: .cheating)), by: .ann)
      }
      #expect(try stores.rater.take(10) == RatingWork(lastNumber: 1))
      let question = ReaderStore.PastGamesQuestion(
        player: TestPlayer.bob.id, opponent: nil, before: nil, limit: 10)
      let games = try stores.reader.pastGames(question).map(\.game)
      #expect(games.map(\.reason) == [.annulled, .annulled])
      #expect(games.map(\.result) == [.none, .none])
      let rows = try stores.reader.players([TestPlayer.bob.id])
      #expect(rows[TestPlayer.bob.id]?.rating.matchCount == 1)
      try checkAgreement(stores)
    },
    StoreCase("Only so many are taken, those that ended first") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let matches = try [lab.lose(), lab.lose(), lab.lose()]
      for match in matches {
        let work = try stores.rater.take(1)
        #expect(work.matches.map(\.match) == [match])
        try stores.rater.finish(work.rated(), [])
      }
    },
    StoreCase("One rater at a time has matches; when it is gone they wait as before") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let match = try lab.lose()
      let work = try stores.rater.take(10)
      #expect(work.matches.map(\.match) == [match])
      #expect(try stores.otherRater.take(10) == RatingWork())
      // Matches that end meanwhile are taken too.
      let second = try lab.lose()
      try stores.end(.rater)
      let again = try stores.otherRater.take(10)
      #expect(again.matches.map(\.match) == [match, second])
      #expect(again.lastNumber == 0)
      try stores.otherRater.finish(again.rated(), [])
      try checkAgreement(stores)
    },
    StoreCase("Work that a rater gave up cannot be written, nor a match be rated twice") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      _ = try lab.lose()
      let work = try stores.rater.take(10)
      try stores.rater.finish(work.rated(), [])
      #expect(try storeError { try stores.rater.finish(work.rated(), []) }.isConflict)
      _ = try lab.lose()
      _ = try stores.rater.take(10)
      #expect(try storeError { try stores.rater.finish(work.rated(), []) }.isConflict)
      #expect(try stores.rater.take(10).lastNumber == 1)
      try stores.rater.finish([], [])
      #expect(try stores.rater.recount() == 0)
    },
    StoreCase("The ladder is that of a plain sort, from any place of it") { stores in
      let lab = StoreLab(stores.worker)
      var generator = SplitMix64(state: 7)
      let crowd = (0..<24).map(TestPlayer.member)
      try lab.register(crowd)
      try lab.register(.ann, .bob)
      var standings: [PlayerID: PlayerRating] = [:]
      for round in 0..<4 {
        _ = try lab.lose()
        let work = try stores.rater.take(10)
        // A played match begins the transaction; the written results are made up.
        var results: [RatingResult] = []
        for player in crowd where round == 0 || generator.next() % 2 == 0 {
          let before = standings[player.id] ?? .initial
          let points = 1_400 + Int64(generator.next() % 12)
          let after = PlayerRating(
            rating: Rating(
              valueMillionths: points * 1_000_000 + Int64(generator.next() % 400_000),
              deviationMillionths: 80_000_000, volatilityBillionths: 60_000_000),
            ratedAt: Instant(microseconds: 5_000_000 + Int64(round)),
            matchCount: before.matchCount + 1)
          results.append(
            RatingResult(
              number: work.lastNumber + 1, match: MatchID(rawValue: UInt128(round + 1)),
              player: player.id, result: .won, before: before, after: after))
          standings[player.id] = after
        }
        try stores.rater.finish(results, work.matches.map(\.match))
        for asker in crowd {
          for (limit, neighborLimit) in [(100, 5), (3, 1), (1, 100)] {
            let question = LadderQuestion(
              player: asker.id, limit: limit, neighborLimit: neighborLimit)
            let page = try stores.reader.ladder(question)
            expectNoDifference(LadderOutline(page), LadderOutline(standings, question))
          }
        }
      }
      // A player without a rating sees the first places.
      let page = try stores.reader.ladder(
        LadderQuestion(player: TestPlayer.ann.id, limit: 2, neighborLimit: 5))
      #expect(page.own == nil && page.above.isEmpty && page.below.isEmpty)
      #expect(page.first.count == 2 && page.playerCount == crowd.count)
      #expect(try stores.rater.recount() == 0)
    },
    StoreCase("A bot is rated as its opponents are, and has no place on the ladder") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      func rate() throws -> RatingWork {
        let work = try stores.rater.take(10)
        try stores.rater.finish(work.rated(), [])
        return work
      }
      func ladder(_ asker: TestPlayer) throws -> LadderPage {
        try stores.reader.ladder(
          LadderQuestion(player: asker.id, limit: 9, neighborLimit: 5))
      }
      _ = try lab.lose()
      try stores.rater.finish(try stores.rater.take(10).rated(isSure: true), [])
      #expect(try ladder(.bob).first.map(\.id) == [TestPlayer.ann.id, TestPlayer.bob.id])
      #expect(try ladder(.bob).higherCount == 1)

      // One is declared a bot when it has a place, another one before it is ever rated.
      for bot in [TestPlayer.ann, .cyd] {
        try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: bot)
      }
      _ = try stores.rater.take(10)
      try stores.rater.finish([], [])
      for _ in 0..<2 {
        let page = try ladder(.bob)
        #expect(page.first.map(\.id) == [TestPlayer.bob.id] && page.above.isEmpty)
        #expect(page.playerCount == 1 && page.higherCount == 0)
        #expect(try ladder(.ann).own == nil && ladder(.cyd).own == nil)
        #expect(try stores.rater.recount() == 0)
        try checkAgreement(stores)
        _ = try lab.lose()
        let match = try lab.begin(.cyd, .bob)
        try lab.act(lab.turn(in: #require(try lab.match(match))), by: .cyd)
        try lab.playWord(in: match, by: .bob)
        try lab.act(.matchForfeited(match), by: .cyd)
        #expect(try rate().matches.count == 2)
      }
      let rows = try stores.reader.players([TestPlayer.ann.id, TestPlayer.bob.id])
      #expect(rows[TestPlayer.ann.id]?.rating.matchCount == 3)
      #expect(rows[TestPlayer.bob.id]?.rating.matchCount == 5)
      #expect(try stores.rater.recount() == 0)
    },
    StoreCase("A provisional rating has no place on the ladder, and counts for nobody's rank") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      for isSure in [false, true, false, true] {
        _ = try lab.lose()
        try stores.rater.finish(try stores.rater.take(10).rated(isSure: isSure), [])
        let page = try stores.reader.ladder(
          LadderQuestion(player: TestPlayer.bob.id, limit: 9, neighborLimit: 5))
        #expect(page.first.map(\.id) == (isSure ? [TestPlayer.ann.id, TestPlayer.bob.id] : []))
        #expect(page.own?.id == (isSure ? TestPlayer.bob.id : nil))
        #expect(page.above.count == (isSure ? 1 : 0) && page.below.isEmpty)
        #expect(page.playerCount == (isSure ? 2 : 0))
        #expect(try stores.rater.recount() == 0)
      }
      // A player who is declared a bot without a place takes nobody else's.
      _ = try lab.lose()
      try stores.rater.finish(try stores.rater.take(10).rated(isSure: false), [])
      try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: .ann)
      _ = try stores.rater.take(10)
      try stores.rater.finish([], [])
      #expect(try stores.rater.recount() == 0)
    },
    StoreCase("Only so many matches of the same two players count within a day") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let players = [TestPlayer.ann.id, TestPlayer.bob.id].sorted()
      var times: [Instant] = []
      let limit = RatingLedger.meetingLimit
      for number in 0..<limit + 2 {
        let match = try lab.lose()
        let work = try stores.rater.take(10)
        #expect((work.meetings[players] ?? []) == times)
        let results = work.rated()
        try stores.rater.finish(results, [])
        let counts = number < limit
        #expect(results.map { $0.result != .none } == [counts, counts])
        if counts { times.append(try #require(results.first?.after.ratedAt)) }
        let stored = try #require(try stores.check.stored([match])[match]).rating.results
        expectNoDifference(stored.map(\.result), results)
        #expect(stored.first?.boundSince == (counts ? nil : times.first))
        #expect(stored.allSatisfy { $0.previous ?? .initial == $0.result.before })
      }
      // The matches of one batch count together.
      _ = try lab.lose()
      let other = try lab.begin(.cyd, .bob)
      try lab.playWord(in: other, by: .cyd)
      try lab.act(.matchForfeited(other), by: .bob)
      let work = try stores.rater.take(10)
      #expect(work.rated().map { $0.result != .none } == [false, false, true, true])
      try stores.rater.finish(work.rated(), [])
      let rows = try stores.reader.players([TestPlayer.ann.id, TestPlayer.bob.id])
      #expect(rows[TestPlayer.ann.id]?.rating.matchCount == limit)
      #expect(rows[TestPlayer.bob.id]?.rating.matchCount == limit + 1)
      #expect(try stores.rater.recount() == 0)
      try checkAgreement(stores)
    },
  ]
}

/// The players' order, by ids.
private struct LadderOutline: Equatable {
  var first: [PlayerID]
  var above: [PlayerID]
  var own: PlayerID?
  var below: [PlayerID]
  var higherCount: Int
  var playerCount: Int

  init(_ page: LadderPage) {
    first = page.first.map(\.id)
    above = page.above.map(\.id)
    own = page.own?.id
    below = page.below.map(\.id)
    (higherCount, playerCount) = (page.higherCount, page.playerCount)
  }

  /// By sorting and counting everybody.
  init(_ standings: [PlayerID: PlayerRating], _ question: LadderQuestion) {
    let sorted = standings.sorted {
      ($0.value.rating.points, $0.key) > ($1.value.rating.points, $1.key)
    }
    let order = sorted.map(\.key)
    let place = order.firstIndex(of: question.player) ?? 0
    let points = sorted[place].value.rating.points
    first = Array(order.prefix(question.limit))
    above = order[..<place].suffix(question.neighborLimit)
    own = question.player
    below = Array(order[(place + 1)...].prefix(question.neighborLimit))
    higherCount = Set(sorted.map(\.value.rating.points).filter { $0 > points }).count
    playerCount = order.count
  }
}

extension RatingWork {
  /// The results that the rater computes.
  func rated() -> [RatingResult] {
    var ledger = RatingLedger(lastNumber: lastNumber, ratings: ratings, meetings: meetings)
    return matches.flatMap { ledger.rate($0) }
  }

  /// The same with ratings that have a place on the ladder, or have none.
  func rated(isSure: Bool) -> [RatingResult] {
    rated().map { result in
      var result = result
      result.after.rating.deviationMillionths =
        Rating.provisionalMillionths - (isSure ? 1 : 0)
      return result
    }
  }
}

extension StoreLab {
  /// A match that Bob gives up after Ann's word.
  func lose(isCasual: Bool = false) throws -> MatchID {
    let request = MatchRequest(
      opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 60, isCasual: isCasual)
    let asked = try event(.matchRequested(request), by: .ann)
    try send([asked])
    try act(.invitationAccepted(asked.newMatch, code: nil), by: .bob)
    try playWord(in: asked.newMatch, by: .ann)
    try act(.matchForfeited(asked.newMatch), by: .bob)
    return asked.newMatch
  }
}
