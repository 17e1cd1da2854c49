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

      try ann.must(.recoveryKeyNamed(LabPlayer("words", in: lab).key.publicKey))
      told.append("account Ann")

      try lab.expectTold(told, ann, bob)
      let kinds = Set(told.map { $0.prefix { $0 != " " } })
      #expect(kinds == Set(PushJob.Kind.allCases.map { $0.rawValue[...] }))
    }
  }
}
