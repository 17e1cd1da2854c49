import Chaos
import CubeRules
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import PlayerClient
import RealServers
import Testing

@Suite("Push jobs of every kind, through broker and database", .serialized)
struct PushKindTests {
  @Test(
    "Exactly the owed push jobs of each kind are handed over, the daily's too",
    .timeLimit(.minutes(15)))
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

      let match = try lab.begin(ann, bob)
      told += ["invited Bob", "opponentJoined Ann"]
      try ann.must(.turnPlayed(match, lab.firstWord(lab.match(match))))
      told.append("yourTurn Bob")
      let word = try #require(try lab.match(match).game.playedWords.first)
      try bob.must(.reacted(match, turn: 1, word: word))
      told.append("reacted Ann")
      try waitUntil("Ann is told of it, while the turn is the last one") {
        lab.pushes.taken.contains { $0.kind == .reacted }
      }
      try bob.must(.matchForfeited(match))
      told.append("matchEnded Ann")
      try ann.must(.rematchRequested(match))
      told.append("rematchRequested Bob")
      try bob.must(.rematchRequested(match))
      told.append("rematchStarted Ann")
      let second = try lab.begin(ann, bob, limit: 7_200)
      try bob.must(.matchForfeited(second))
      try ann.must(.rematchRequested(second))
      try bob.must(.rematchDeclined(second))
      told += [
        "invited Bob", "opponentJoined Ann", "matchEnded Ann", "rematchRequested Bob",
        "rematchDeclined Ann",
      ]
      let again = MatchID(successorOf: match)
      let job = try #require(try lab.match(again).turnReminder)
      try waitUntil("who is to play is reminded") {
        try ReminderTests.letTimePass(3_000, of: again, lab)
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
    }
  }

  /// An offer of a rematch that has waited for two days, and the hours of a digest and a review.
  private func tellByClocks(
    _ ann: LabPlayer, _ bob: LabPlayer, _ lab: ServiceLab, _ connection: PostgreSQLConnection
  ) throws {
    let third = try lab.begin(ann, bob, limit: 7_200)
    try bob.must(.matchForfeited(third))
    try ann.must(.rematchRequested(third))
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
