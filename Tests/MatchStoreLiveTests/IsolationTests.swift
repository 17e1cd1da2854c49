import Conformance
import CubeLexicon
import CustomDump
import LibPQ
import MatchCore
import MatchInterfaces
import MatchStoreLive
import Testing

@Suite("A match or player that cannot be handled keeps no other one waiting")
struct IsolationTests {
  /// The subjects that were passed over, each with its "part: reason".
  private func problems(_ connection: PostgreSQLConnection) throws -> [UInt128: String] {
    let rows = try connection.query("SELECT subject, part, reason FROM problems")
    return try Dictionary(
      uniqueKeysWithValues: rows.map { row in
        (try row[0].uuid, "\(try row[1].text): \(try row[2].text)")
      })
  }

  @Test("One unreadable match is named, and the others are reminded of")
  func reminders() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let (broken, whole, other) = (try lab.begin(), try lab.begin(), try lab.begin())
      let at = try #require(
        try [whole, other].compactMap { try lab.match($0)?.reminderAt }.max())
      try connection.query(
        "UPDATE matches SET state = '' WHERE id = $1", [.uuid(broken.rawValue)])
      try connection.query("DELETE FROM entries WHERE match = $1", [.uuid(broken.rawValue)])
      let scheduler = SchedulerStore.live(connection)
      let now = at.adding(seconds: 60)
      let clock = QueueClock(time: now)
      #expect(try scheduler.remindTurns(now, 10) { _ in clock } == 3)
      let reminded = try connection.query(
        "SELECT match FROM outbox WHERE kind = 'turnRunningOut'"
      ).map { row in try row[0].uuid }
      #expect(Set(reminded) == [whole.rawValue, other.rawValue])
      #expect(try scheduler.remindTurns(now, 10) { _ in clock } == 0, "not at once")
      #expect(try problems(connection).keys.map { $0 } == [broken.rawValue])
      #expect(try problems(connection)[broken.rawValue]?.hasPrefix("reminders: ") == true)
      // The passed-over match is tried again.
      #expect(try scheduler.remindTurns(now.adding(seconds: 3_700), 10) { _ in clock } == 1)
      let operators = OperatorStore.live(try stores.connect())
      #expect(try operators.status().problems.map(\.subject) == ["\(broken)"])
    }
  }

  @Test("A match that an older build has queued to be rated leaves the queue when it is annulled")
  func annulled() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let match = try lab.begin()
      try lab.act(lab.turn(in: #require(try lab.match(match))), by: .ann)
      try lab.act(.matchForfeited(match), by: .bob)
      // Ann has played no word, so this build rates nothing.
      #expect(try connection.query("SELECT FROM rating_queue").count == 0)
      try connection.query(
        """
        INSERT INTO rating_queue (match, player, ended_at, result)
        SELECT $1, id, now(), 'lost' FROM players
        """, [.uuid(match.rawValue)])
      try lab.act(.ruled(match, Ruling(.annulled, for: .cheating)), by: .ann)
      #expect(try connection.query("SELECT FROM rating_queue").count == 0)
    }
  }

  @Test("One match that cannot be read for its rating waits, and the others are rated")
  func ratings() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let matches = try (0..<3).map { _ in try lab.begin() }
      for match in matches {
        for player in [TestPlayer.ann, .bob] {
          try lab.playWord(in: match, by: player)
        }
        try lab.act(.matchForfeited(match), by: .ann)
      }
      #expect(try connection.query("SELECT FROM rating_queue").count == 6)
      try connection.query(
        "UPDATE rating_queue SET result = 'unheard of' WHERE match = $1",
        [.uuid(matches[0].rawValue)])
      let rater = RaterStore.live(try stores.connect())
      let work = try rater.take(10)
      #expect(work.matches.map(\.match) == Array(matches.dropFirst()))
      try rater.finish([], [])
      #expect(try problems(connection).keys.map { $0 } == [matches[0].rawValue])
      // One that the store does not take is set aside by hand.
      try rater.setAside(matches[1], "no")
      #expect(try rater.take(10).matches.map(\.match) == [matches[2]])
      try rater.finish([], [])
      #expect(try problems(connection)[matches[1].rawValue] == "ratings: no")
      try connection.script("UPDATE rating_queue SET next_try_at = now(), result = 'won'")
      #expect(try rater.take(10).matches.count == 3)
    }
  }

  @Test("A player that cannot be owed a job is named, and everybody else is told of the daily")
  func daily() throws {
    try LiveStores.run { stores in
      let connection = try stores.connect()
      let lab = StoreLab(.live(try stores.connect()))
      let crowd = (0..<20).map(TestPlayer.member)
      try lab.register(crowd)
      let bad = crowd[7].id
      try connection.script(
        """
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
          $$BEGIN RAISE EXCEPTION 'no job for %', NEW.player; END$$;
        CREATE TRIGGER fails BEFORE INSERT ON outbox FOR EACH ROW
          WHEN (NEW.player = '\(bad)') EXECUTE FUNCTION fail();
        """)
      let scheduler = SchedulerStore.live(try stores.connect())
      let key = DailyKey(day: Day(containing: lab.now))
      _ = try scheduler.keepDaily(Dealer.daily(key, lexicon: .everyWord, secret: .test))
      var rounds = 0
      while try scheduler.fanOutDaily(key, 16), rounds < 100 { rounds += 1 }
      let told = try connection.query("SELECT player FROM outbox").map { row in try row[0].uuid }
      #expect(Set(told) == Set(crowd.map(\.id.rawValue)).subtracting([bad.rawValue]))
      #expect(told.count == 19)
      #expect(try problems(connection)[bad.rawValue]?.contains("no job for") == true)
    }
  }
}
