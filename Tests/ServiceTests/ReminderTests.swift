import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import cubistd

@Suite("Reminders and sent notifications", .serialized)
struct ReminderTests {
  @Test(
    "Bob lets his time run down and is reminded once; he finds it in his inbox, and sees it off",
    .timeLimit(.minutes(15)))
  func reminded() async throws {
    var options = ServiceLab.Options()
    options.roles = [.reader, .relay, .push, .scheduler]
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try ann.startMatch(
        MatchRequest(opponent: .player(bob.player), turnLimitSeconds: 3_600)
      ).ticket.match
      _ = try bob.accept(match)
      let job = try #require(try lab.match(match).turnReminder)
      // Most of an hour later.
      try waitUntil("whoever is to play is reminded") {
        try ReminderTests.letTimePass(3_000, of: match, lab)
        return lab.pushes.taken.contains(job)
      }
      let reminded = job.player == ann.player ? ann : bob
      try waitUntil("it is in the inbox") {
        try reminded.inbox().items.contains { $0.id == job.id }
      }
      try reminded.see(.one(job.id))
      #expect(try !reminded.inbox().items.contains { $0.id == job.id })
      #expect(try !reminded.inbox().items.isEmpty || job.player == bob.player)
      try reminded.see(.all)
      #expect(try reminded.inbox().items.isEmpty)
      #expect(lab.pushes.taken.count { $0 == job } == 1)
    }
  }

  /// Moves the time by which reminders are found, as if so much of the turn's time had passed.
  static func letTimePass(
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
}
