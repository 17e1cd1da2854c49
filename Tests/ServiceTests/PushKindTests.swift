import Chaos
import CubeRules
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("Push jobs of every kind, through broker and database", .serialized)
struct PushKindTests {
  @Test("Exactly the owed push jobs of each kind are handed over, the daily's too")
  func everyKind() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = try lab.pair()
      // Every player who is there when the day's challenge is dealt is told of it.
      try lab.start(.scheduler)
      let today = DailyKey(day: Day(containing: WallClock.live.now()))
      try waitUntil("the day's challenge is announced") {
        try lab.looking { try $0.jobs(nil, 100) }.count { $0.job.kind == .dailyReady } == 2
      }
      var told = ["dailyReady Ann", "dailyReady Bob"]
      try ann.must(.dailyStarted(today))
      let connection = try lab.connection()
      defer { connection.close() }
      // The scheduler's work three hours before the day ends.
      while try SchedulerStore.live(connection).remindDaily(today, 100) {}
      told.append("dailyEndsSoon Ann")

      let match = try begin(ann, bob, lab)
      told += ["invited Bob", "opponentJoined Ann"]
      try ann.must(.turnPlayed(match, lab.firstWord(lab.match(match))))
      told.append("yourTurn Bob")
      let word = try #require(try lab.match(match).game.playedWords.first)
      try bob.must(.reacted(match, turn: 1, word: word))
      told.append("reacted Ann")
      // Each is only told while what it tells of lasts.
      try wait(for: .reacted, lab)
      try bob.must(.matchForfeited(match))
      told.append("matchEnded Ann")
      try ann.must(.rematchRequested(match))
      told.append("rematchRequested Bob")
      try wait(for: .rematchRequested, lab)
      try bob.must(.rematchRequested(match))
      told.append("rematchStarted Ann")
      try wait(for: .rematchStarted, lab)
      let second = try begin(ann, bob, lab, limit: 7_200)
      try bob.must(.matchForfeited(second))
      try ann.must(.rematchRequested(second))
      try wait(for: .rematchRequested, lab, count: 2)
      try bob.must(.rematchDeclined(second))
      told += [
        "invited Bob", "opponentJoined Ann", "matchEnded Ann", "rematchRequested Bob",
        "rematchDeclined Ann",
      ]
      let again = MatchID(successorOf: match)
      let job = try #require(try lab.match(again).turnReminder)
      try waitUntil("who is to play is reminded") {
        try Self.letTimePass(3_000, of: again, lab)
        return lab.pushes.taken.contains(job)
      }
      told.append("turnRunningOut \(job.player == ann.id ? "Ann" : "Bob")")

      let late = try lab.match(again)
      let (waiting, mover) = job.player == ann.id ? (bob, "Ann") : (ann, "Bob")
      try waiting.must(.nudged(again, turn: late.turnNumber))
      told.append("nudged \(mover)")
      try bob.must(.notificationTested(Event.NotificationTested()))
      told.append("test Bob")
      try tellByClocks(ann, bob, lab, connection)
      told += [
        "invited Bob", "opponentJoined Ann", "matchEnded Ann", "rematchRequested Bob",
        "rematchWaits Bob", "digest Bob", "weekInReview Bob",
      ]

      try ann.must(.recoveryKeyNamed(LabPlayer("words", in: lab).key.publicKey))
      told.append("account Ann")

      try lab.expectTold(told, ann, bob)
      let kinds = Set(told.map { $0.prefix { $0 != " " } })
      #expect(kinds == Set(PushJob.Kind.allCases.map { $0.rawValue[...] }))
      try expectLossNamed(lab, connection)
    }
  }

  /// A check finds every job, and names each that is lost: by the record of its match, or by the
  /// note that it was owed.
  private func expectLossNamed(_ lab: ServiceLab, _ connection: PostgreSQLConnection) throws {
    let before = try lab.jobViolations()
    #expect(before == [], "\(before)")
    let stored = try lab.looking { try $0.jobs(nil, 1_000) }.map(\.job)
      .filter { $0.day != Day(number: 1) }
    try connection.script("DELETE FROM deliveries")
    let lost = try lab.looking { store in
      var check = JobCheck(store, jobsAreComplete: true)
      var found: [JobViolation] = []
      while !check.isDone { found += try check.next(limit: 3) }
      return found
    }
    #expect(lost.allSatisfy { $0.kind == .jobMissing }, "\(lost)")
    let noted = stored.filter { !$0.kind.isInRecord }
    #expect(lost.map(\.job.id).sorted() == noted.map(\.id).sorted())
    #expect(Set(noted.map(\.kind)) == Set(PushJob.Kind.allCases.filter { !$0.isInRecord }))
    let recorded = try lab.looking { store in
      var check = StoreCheck(
        store, identity: lab.identity, lexicons: lab.lexicons, jobsAreComplete: true)
      return try check.run()
    }
    let matches = Set(stored.filter { $0.kind.isInRecord }.compactMap(\.match))
    #expect(Set(recorded.filter { $0.kind == .jobMissing }.map(\.match)).isSuperset(of: matches))
  }

  /// Moves the time by which reminders are found, as if so much of the turn's time had passed.
  private static func letTimePass(
    _ seconds: Int64, of match: MatchID, _ lab: ServiceLab
  ) throws {
    let connection = try lab.connection()
    defer { connection.close() }
    try connection.script(
      """
      UPDATE queue_clocks SET time = now() + interval '\(seconds) seconds';
      UPDATE matches SET remind_at = now(), remind_due = 0
      WHERE id = '\(match)' AND remind_at IS NOT NULL
      """)
  }

  /// Waits until that many jobs of a kind are handed over.
  private func wait(for kind: PushJob.Kind, _ lab: ServiceLab, count: Int = 1) throws {
    try waitUntil("\(kind.rawValue) is told of, \(count) times") {
      lab.pushes.taken.count { $0.kind == kind } >= count
    }
  }

  /// Begins a match as `ServiceLab.begin` does, and waits until both players are told of it.
  private func begin(
    _ ann: LabPlayer, _ bob: LabPlayer, _ lab: ServiceLab, limit: Int64 = 3_600
  ) throws -> MatchID {
    let asked = try ann.sign(
      .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: limit)))
    _ = try ann.send(asked)
    func hear(_ kind: PushJob.Kind) throws {
      try waitUntil("\(kind.rawValue) is told of") {
        lab.pushes.taken.contains { $0.kind == kind && $0.match == asked.newMatch }
      }
    }
    try hear(.invited)
    try bob.must(.invitationAccepted(asked.newMatch, code: nil))
    try hear(.opponentJoined)
    return asked.newMatch
  }

  /// An offer of a rematch that has waited for two days, and the hours of a digest and a review.
  private func tellByClocks(
    _ ann: LabPlayer, _ bob: LabPlayer, _ lab: ServiceLab, _ connection: PostgreSQLConnection
  ) throws {
    let third = try begin(ann, bob, lab, limit: 7_200)
    try bob.must(.matchForfeited(third))
    try ann.must(.rematchRequested(third))
    try wait(for: .rematchRequested, lab, count: 3)
    try connection.script("UPDATE rematch_offers SET at = at - interval '2 days'")
    let now = WallClock.live.now()
    let store = SchedulerStore.live(connection)
    #expect(try store.remindOffers(now, nil, 10)?.match == third)
    try connection.script("UPDATE rematch_offers SET at = at + interval '2 days'")
    let digest = try #require(MinuteOfDay("08:00"))
    try bob.must(
      .settingsChanged(
        SettingsChange(push: PushChange(digest: .set(digest), review: .set(.sunday)))))
    let today = Day(containing: now)
    let count = try store.remindByLocalTime(now.adding(seconds: 60), 10, { _ in QueueClock() }) {
      wish in
      SchedulerStore.LocalRound(
        jobs: [
          PushJob(digest: today, to: wish.player), PushJob(weekInReview: today, to: wish.player),
        ], next: nil)
    }
    // The scheduler may have looked before; then it owed nothing, since it is not eight o'clock.
    if count == 0 {
      try connection.script("UPDATE player_settings SET next_digest_at = now()")
      _ = try store.remindByLocalTime(now.adding(seconds: 120), 10, { _ in QueueClock() }) { wish in
        SchedulerStore.LocalRound(
          jobs: [
            PushJob(digest: today, to: wish.player), PushJob(weekInReview: today, to: wish.player),
          ], next: nil)
      }
    }
  }
}
