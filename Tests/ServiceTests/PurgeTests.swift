import CubeLexicon
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import TestedService
import Testing

@Suite("Rows deleted for their age are not missed", .serialized)
struct PurgeTests {
  private static let isOfDay = "board IN (SELECT id FROM boards WHERE day IS NOT NULL)"
  private static let tables = [
    "rematch_offers", "daily_scores", "board_places WHERE \(isOfDay)",
    "board_counts WHERE \(isOfDay)", "board_buckets WHERE \(isOfDay)",
  ]

  private func counts(_ connection: PostgreSQLConnection) throws -> [Int64] {
    try PurgeTests.tables.map { table in
      try connection.query("SELECT count(*) FROM \(table)").only[0].int64
    }
  }

  @Test("Check misses no old score, board or offer, and rows that a rebuild brings back go again")
  func old() async throws {
    try await ServiceLab.run { lab in
      let connection = try lab.connection()
      defer { connection.close() }
      let own = try lab.connection()
      defer { own.close() }
      let scheduler = SchedulerStore.live(own)
      let (ann, bob) = try lab.pair()
      let over = try lab.begin(ann, bob)
      for player in [ann, bob] {
        try player.must(.turnPlayed(over, lab.turn(lab.match(over))))
      }
      try ann.must(.matchForfeited(over))
      try bob.must(.rematchRequested(over))
      let now = try scheduler.now()
      let key = DailyKey(day: Day(containing: now))
      _ = try scheduler.keepDaily(
        Dealer.daily(key, lexicon: .everyWord, secret: lab.identity.secret))
      try ann.must(.dailyStarted(key))
      while try scheduler.rank(100) {}
      #expect(try counts(connection) == [1, 1, 1, 1, 1])
      #expect(try lab.violations() == [])

      let later = now.adding(seconds: 100 * 86_400)
      func purge() throws {
        try connection.query(
          "UPDATE housekeeping SET horizon = $1", [.timestamp(microseconds: later.microseconds)])
        try scheduler.rotatePartitions(later, .seconds(3_600))
      }
      let reading = try lab.connection()
      defer { reading.close() }
      var store = CheckStore.live(reading)
      store.now.answer { later }
      func violations() throws -> [Violation] {
        var check = StoreCheck(store, identity: lab.identity, lexicons: lab.lexicons)
        return try check.run()
      }
      try purge()
      #expect(try counts(connection) == [0, 0, 0, 0, 0])
      #expect(try violations() == [])
      // By today's time it would be missed.
      #expect(try lab.violations().count { $0.kind == .rowsDiffer } == 2)

      try connection.script("UPDATE matches SET state = '\\x00'")
      let check = StoreCheck(store, identity: lab.identity, lexicons: lab.lexicons)
      let writing = try lab.connection()
      defer { writing.close() }
      let rebuilder = MatchRebuilder(check, .live(writing, RebuildTally(run: 1, by: "olga")))
      for match in try lab.matches() {
        #expect(try rebuilder.rebuild(match)?.left == [])
      }
      while try scheduler.rank(100) {}
      #expect(try counts(connection) == [0, 1, 1, 1, 1])
      #expect(try violations() == [])
      try purge()
      #expect(try counts(connection) == [0, 0, 0, 0, 0])
      #expect(try violations() == [])
      // A rebuild does not write a match again because of purged rows.
      for match in try lab.matches() {
        #expect(try rebuilder.rebuild(match)?.mended == [])
      }
    }
  }

  @Test("Check and rebuild miss no game that went, and a late event makes nothing of it anew")
  func games() async throws {
    try await ServiceLab.run { lab in
      let connection = try lab.connection()
      defer { connection.close() }
      let own = try lab.connection()
      defer { own.close() }
      let (ann, bob) = try lab.pair()
      let over = try lab.begin(ann, bob)
      try ann.must(.turnPlayed(over, lab.turn(lab.match(over), fromEnd: false)))
      try bob.must(.turnPlayed(over, lab.firstWord(lab.match(over))))
      try ann.must(.matchForfeited(over))
      for player in [ann, bob] { try player.must(.rematchRequested(over)) }
      let rater = RaterStore.live(connection)
      let work = try rater.take(10)
      var ledger = RatingLedger(lastNumber: work.lastNumber, ratings: work.ratings)
      try rater.finish(work.matches.flatMap { ledger.rate($0) }, [])
      // Every notification has come.
      #expect(try lab.violations() == [])

      var retention = Retention()
      retention.games = retention.leastGames
      let scheduler = SchedulerStore.live(own, keeping: retention)
      let later = try scheduler.now().adding(seconds: 33 * 86_400)
      try connection.query(
        "UPDATE housekeeping SET horizon = $1", [.timestamp(microseconds: later.microseconds)])
      try scheduler.rotatePartitions(later, .seconds(3_600))
      let next = MatchID(successorOf: over)
      #expect(try lab.matches() == [next])
      let reading = try lab.connection()
      defer { reading.close() }
      var store = CheckStore.live(reading)
      store.now.answer { later }
      func expectAgreement() throws {
        var check = StoreCheck(
          store, identity: lab.identity, lexicons: lab.lexicons, jobsAreComplete: true)
        #expect(try check.run() == [])
        var jobs = JobCheck(store, jobsAreComplete: true)
        while !jobs.isDone {
          // The lab has jobs of its own, about a day long ago.
          #expect(try jobs.next().filter { $0.job.match != nil } == [])
        }
      }
      try expectAgreement()
      // The worker remembers the match.
      #expect(try ann.act(.rematchRequested(over)).refusal == .unknownMatch)
      #expect(try bob.act(.gameShared(over)).refusal == .unknownMatch)
      let turn = try lab.turn(lab.match(next))
      let player = try lab.match(next).players[0] == ann.id ? ann : bob
      try player.must(.turnPlayed(next, turn))
      #expect(try lab.matches() == [next])
      try expectAgreement()
      let check = StoreCheck(store, identity: lab.identity, lexicons: lab.lexicons)
      let rebuilder = MatchRebuilder(check, .live(connection, RebuildTally(run: 1, by: "olga")))
      #expect(try rebuilder.rebuild(over) == nil)
      #expect(try rebuilder.rebuild(next)?.mended == [])
      let results = "SELECT count(*) FROM rating_results"
      #expect(try connection.query(results).only[0].int64 == 2)
    }
  }
}
