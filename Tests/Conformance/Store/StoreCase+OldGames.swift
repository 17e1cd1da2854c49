import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  /// Games that are kept no longer.
  static let oldGames: [StoreCase] = [
    StoreCase("A game goes with its record, and leaves ratings, boards and the game's code") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let over = try lab.lose()
      let alone = try lab.event(.matchRequested(MatchRequest(alone: .timed)), by: .ann)
      try lab.send([alone])
      try lab.playWord(in: alone.newMatch, by: .ann)
      try lab.act(.matchForfeited(alone.newMatch), by: .ann)
      let declined = try lab.event(
        .matchRequested(MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 60)),
        by: .ann)
      try lab.send([declined])
      try lab.act(.invitationDeclined(declined.newMatch), by: .bob)
      let running = try lab.begin()
      let code = ShareCode(sharing: over, secret: .test)
      try lab.act(.gameShared(over), by: .ann)
      while try stores.scheduler.rank(100) {}
      try settle(stores)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      let board = Leaderboard(
        games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .all)
      func kept() throws -> ([PlayerID: ReaderStore.PlayerRow], Ranking, LadderPage) {
        let question = LadderQuestion(player: ann, limit: 9, neighborLimit: 9)
        return (
          try stores.reader.players([ann, bob]), try stores.reader.leaderboard(board, ann, 9),
          try stores.reader.ladder(question)
        )
      }
      let before = try kept()
      #expect(before.1.outOf == 1 && before.2.playerCount == 2)

      try stores.keepHouse(.shortest, 31 * day)
      #expect(try stores.check.matches(nil, 9).count == 4)
      // Without the setting nothing goes.
      try stores.keepHouse(.standard, 33 * day)
      #expect(try stores.check.matches(nil, 9).count == 4)
      try stores.keepHouse(.shortest, 33 * day)
      #expect(try stores.check.matches(nil, 9) == [running])
      #expect(try stores.check.orphans(nil, nil) == [])
      #expect(try stores.check.existing([over, running]) == [running])
      try checkAgreement(stores)
      #expect(try stores.reader.matches([over]) == [] && stores.reader.entries(over) == [])
      #expect(try stores.reader.sharedMatch(code) == over)
      for player in [ann, bob] {
        let past = try stores.reader.pastGames(
          .init(player: player, opponent: nil, before: nil, limit: 9))
        #expect(past == [])
      }
      #expect(try stores.reader.overviews([ann])[ann]?.matches.map(\.match) == [running])
      while try stores.scheduler.rank(100) {}
      let after = try kept()
      expectNoDifference(after.0, before.0)
      expectNoDifference(after.1, before.1)
      expectNoDifference(after.2, before.2)

      // A late event is refused, and makes nothing anew.
      for action in [Event.Action.rematchRequested(over), .gameShared(over), .matchForfeited(over)]
      {
        #expect(try lab.send([lab.event(action, by: .bob)]) == [.refused(.unknownMatch)])
      }
      #expect(try stores.check.matches(nil, 9) == [running])
      try lab.act(lab.turn(in: #require(try lab.match(running))), by: .ann)
      try checkAgreement(stores)
    },
    StoreCase("A game stays while it waits to be rated, owes a notification or has one") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let match = try lab.lose()
      func isKept() throws -> Bool {
        try stores.keepHouse(.shortest, 33 * day)
        return try lab.match(match) != nil
      }
      #expect(try isKept())
      try rate(stores)
      #expect(try isKept())
      let owed = try relay(stores)
      var retention = Retention.shortest
      retention.jobs = 60
      // The broker has them; then their fate is known, and kept for longer than the game.
      try stores.push.record(.init(owed.map { .init($0, .delivered) }))
      try stores.keepHouse(retention, 33 * day)
      #expect(try lab.match(match) != nil)
      try checkAgreement(stores)
      #expect(try !isKept())
    },
    StoreCase("A batch that was judged before a game went is not committed after it") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let match = try lab.lose()
      try settle(stores)
      let writes = try [Event.Action.rematchRequested(match), .gameShared(match)].map {
        try lab.judge([try lab.event($0, by: .ann)]).write
      }
      // Its transaction is gone, and with it the locks that the housekeeper would wait for.
      try stores.worker.reconnect()
      try stores.keepHouse(.shortest, 33 * day)
      for write in writes {
        #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      }
      #expect(try stores.check.orphans(nil, nil) == [] && stores.check.matches(nil, 9) == [])
      #expect(try stores.reader.sharedMatch(ShareCode(sharing: match, secret: .test)) == nil)
    },
    StoreCase("A rematch goes after the match before it, and is never begun anew") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let first = try lab.lose()
      try lab.act(.rematchRequested(first), by: .ann)
      try lab.act(.rematchRequested(first), by: .bob)
      let second = MatchID(successorOf: first)
      let player = try #require(try lab.match(second)?.players.first)
      try lab.act(
        lab.turn(in: #require(try lab.match(second))), by: player == TestPlayer.ann.id ? .ann : .bob
      )
      try lab.act(.matchForfeited(second), by: .bob)
      try settle(stores)
      try stores.keepHouse(.shortest, 33 * day)
      #expect(try stores.check.matches(nil, 9) == [second])
      try checkAgreement(stores)
      #expect(
        try lab.send([lab.event(.rematchRequested(first), by: .ann)]) == [.refused(.unknownMatch)])
      try stores.keepHouse(.shortest, 33 * day)
      #expect(try stores.check.matches(nil, 9) == [])
      #expect(try stores.check.orphans(nil, nil) == [])
    },
  ]

  private static let day: Int64 = 86_400

  /// Rates every match, and delivers every push job.
  private static func settle(_ stores: StoreSet) throws {
    try rate(stores)
    try stores.push.record(.init(try relay(stores).map { .init($0, .delivered) }))
  }

  private static func rate(_ stores: StoreSet) throws {
    try stores.rater.finish(try stores.rater.take(9).rated(isSure: true), [])
  }

  /// Hands every owed push job to the broker.
  private static func relay(_ stores: StoreSet) throws -> [PushJob] {
    let jobs = try stores.relay.claim(.zero, 99)
    try stores.relay.finish(jobs.map(\.id))
    return jobs
  }
}

extension Retention {
  /// Games are kept for as short as they may be.
  fileprivate static var shortest: Retention {
    var retention = Retention()
    retention.games = retention.leastGames
    return retention
  }
}
