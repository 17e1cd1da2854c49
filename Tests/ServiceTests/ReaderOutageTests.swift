import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

@Suite("A player loses no time while a match cannot be seen", .serialized)
struct ReaderOutageTests {
  @Test(
    "No time passes while no reader runs: a player with seconds left still has them, and plays",
    .timeLimit(.minutes(15)))
  func outage() async throws {
    var options = ServiceLab.Options()
    options.roles = [.reader, .scheduler]
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob, limit: 40)
      let connection = try lab.connection()
      defer { connection.close() }
      let store = SchedulerStore.live(connection)
      let queue = lab.layout.queue(of: Slot(of: match))
      try waitUntil("the queue has a time") {
        try store.queueClocks()[queue]?.time != nil
      }
      for player in [ann, bob] {
        try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
      }
      try lab.stop(.reader)
      let deadline = try #require(try lab.match(match).deadline)
      try waitUntil("the deadline is long gone") {
        try store.now() > deadline.at.adding(seconds: 15)
      }
      #expect(try lab.match(match).outcome == nil)

      try lab.start(.reader)
      try waitUntil("time goes on") {
        try store.queueClocks()[queue]?.time ?? deadline.at > deadline.at
      }
      let state = try lab.match(match)
      let clock = try #require(try store.queueClocks()[queue])
      #expect(state.outcome == nil && !state.isOverdue(clock))
      #expect(state.credit(clock) > 15_000_000)
      try ann.must(.turnPlayed(match, lab.turn(state)))
    }
  }
}
