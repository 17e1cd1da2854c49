import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import cubistd

@Suite("Notifications of an operator's decisions", .serialized)
struct RulingPushTests {
  @Test(
    "Both are told once that it is over, find it in their inboxes, and are not told to hurry",
    .timeLimit(.minutes(15)))
  func told() async throws {
    var options = ServiceLab.Options()
    options.roles = [.reader, .relay, .push, .scheduler]
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let connection = try lab.connection()
      defer { connection.close() }
      let (ended, annulled) = (try lab.begin(ann, bob), try lab.begin(ann, bob))
      let running = try lab.begin(ann, bob)
      for match in [ended, annulled, running] {
        #expect(try lab.match(match).reminderAt != nil)
      }
      _ = try desk.rule(.ended, .agreement, ended)
      _ = try desk.rule(.annulled, .fault, annulled)
      let waiting = try connection.query("SELECT id FROM matches WHERE remind_at IS NOT NULL")
      #expect(waiting.count == 1, "only the one that goes on has a reminder to come")
      // Most of an hour later the one that goes on is found, with all others that are due.
      let job = try #require(try lab.match(running).turnReminder)
      try waitUntil("who is to play in the one that goes on is reminded") {
        for match in [ended, annulled, running] {
          try ReminderTests.letTimePass(3_000, of: match, lab)
        }
        return lab.pushes.taken.contains(job)
      }
      let told = try lab.jobs().filter { $0.fate == .delivered }.map(\.job)
      #expect(told.filter { $0.kind == .turnRunningOut } == [job])
      for match in [ended, annulled] {
        let players = told.filter { $0.kind == .matchEnded && $0.match == match }.map(\.player)
        #expect(players.sorted() == [ann.player, bob.player].sorted())
      }
      let taken = lab.pushes.taken
      #expect(taken.count == Set(taken.map(\.id)).count, "each once")
      for player in [ann, bob] {
        let ends = try player.inbox().items.filter { $0.kind == "matchEnded" }
        #expect(Set(ends.map(\.match)) == [ended, annulled] && ends.count == 2)
        #expect(try player.match(annulled).ruledFor == .fault)
      }
    }
  }

  @Test(
    "A reminder that was on its way when the match was annulled is not sent any more",
    .timeLimit(.minutes(15)))
  func onItsWay() async throws {
    var options = ServiceLab.Options()
    options.roles = [.reader, .scheduler]
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let match = try lab.begin(ann, bob)
      let job = try #require(try lab.match(match).turnReminder)
      try waitUntil("the reminder is owed") {
        try ReminderTests.letTimePass(3_000, of: match, lab)
        return try lab.looking { try $0.jobs(nil, 100) }.contains { $0.job == job && $0.isOwed }
      }
      _ = try desk.rule(.annulled, .cheating, match)
      for role in [RoleName.relay, .push] { try lab.start(role) }
      let jobs = try lab.jobs()
      #expect(jobs.filter { $0.job == job }.map(\.fate) == [.dropped])
      let ends = jobs.filter { $0.job.kind == .matchEnded }
      #expect(ends.map(\.job.player).sorted() == [ann.player, bob.player].sorted())
      #expect(ends.allSatisfy { $0.fate == .delivered })
      #expect(!lab.pushes.taken.contains(job))
      #expect(try [ann, bob].allSatisfy { try !$0.inbox().items.contains { $0.id == job.id } })
    }
  }
}
