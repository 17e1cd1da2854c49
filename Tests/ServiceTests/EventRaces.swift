import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Events and time, through broker and database", .serialized, .sharedService())
struct EventRaces {
  @Test("the sender's clock ahead")
  func clockAhead() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let now = WallClock.live.now()
      let sent = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)),
        id: EventID(at: now.adding(seconds: Event.maximumAheadSeconds + 120), random: 1))
      let refusal = try ann.send(sent).refusal
      guard case .clockAhead(let time)? = refusal else {
        Issue.record("not refused for its clock")
        return
      }
      #expect(abs(time.microseconds(since: now)) < 60_000_000)
      #expect(try lab.replies()[sent.key] != nil, "a copy is never taken, whenever it comes")
      #expect(try ann.send(sent).refusal == refusal)
      #expect(try lab.matches(of: ann.id) == [])

      // A copy that becomes valid only in weeks is not kept for so long.
      let far = try ann.sign(
        sent.event.action, id: EventID(at: now.adding(seconds: 40 * 86_400), random: 3))
      let answer = try ann.send(far).refusal
      #expect(answer?.name == "clockAhead")
      #expect(try ann.send(far).refusal?.name == "clockAhead")
      #expect(try lab.replies()[far.key] == nil)

      let stranger = try LabPlayer("Eve", in: lab)
      let early = try stranger.sign(
        .playerRegistered(name: stranger.name, code: nil),
        id: EventID(at: now.adding(seconds: Event.maximumAheadSeconds + 120), random: 4))
      #expect(try stranger.send(early).refusal?.name == "clockAhead")
      #expect(try lab.replies()[early.key] == nil, "what strangers are told is never stored")

      let near = try ann.sign(
        sent.event.action,
        id: EventID(at: now.adding(seconds: Event.maximumAheadSeconds - 60), random: 2))
      #expect(try ann.send(near).ticket?.match == near.newMatch)
      #expect(try lab.matches(of: ann.id) == [near.newMatch])
      try lab.expectTold([], ann)
    }
  }
}
