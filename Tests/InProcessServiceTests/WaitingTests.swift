import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Events and notifications that have to wait")
struct WaitingTests {
  @Test(
    "Blocked and unblocked while nobody answers: the later wish waits for the earlier one, and holds"
  )
  func changedMind() throws {
    let lab = try InProcessService()
    let bob = try lab.player("Bob")
    let profile = ProfileMemory()
    let ann = try lab.client("Ann", profile: profile)
    ann.patience.reply = .milliseconds(500)
    ann.patience.resend = .milliseconds(500)
    lab.stop(.worker)
    #expect(throws: ClientError.self) { try ann.block(bob.id) }
    let event = try #require(profile.pending.values.first)
    do throws(ClientError) {
      try ann.unblock(bob.id)
      Issue.record("the later wish overtook the earlier one")
    } catch {
      #expect(error == .earlierPending(event, .unanswered))
    }
    #expect(Array(profile.pending.keys) == [event.id])

    try lab.start(.worker)
    ann.patience.reply = .seconds(120)
    ann.patience.resend = .seconds(120)
    try ann.unblock(bob.id)
    #expect(profile.pending.isEmpty)
    #expect(try ann.blocks().players.isEmpty)
    #expect(try lab.replies().keys.filter { $0.player == ann.player }.count == 3)
  }

  @Test(
    "Push provider refusing: for now, then tried again; for good, then recorded as failed")
  func pushRefused() throws {
    let lab = try InProcessService()
    lab.pushes.refuse(.invited, with: [.refused("no such device")])
    lab.pushes.refuse(.opponentJoined, with: [.later("busy", after: nil)])
    let (ann, bob) = try lab.pair()
    let asked = try ann.sign(
      .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
    let match = asked.newMatch
    _ = try ann.send(asked)
    // An invitation that is accepted is not told of any more.
    try lab.wait(for: "the invitation is refused") { !lab.pushes.refused.isEmpty }
    try bob.must(.invitationAccepted(match, code: nil))
    func decided() throws -> Int { try lab.stored(match).jobs.count { !$0.isOwed } }
    try lab.wait(for: "both jobs are dealt with") { try decided() == 2 }
    let fates = try lab.stored(match).jobs.map {
      "\($0.job.kind.rawValue) \($0.fate?.rawValue ?? "")"
    }
    #expect(fates.sorted() == ["invited failed", "opponentJoined delivered"])
    #expect(lab.pushes.refused.count { $0.match == match } == 2)
    #expect(lab.pushes.taken.filter { $0.match == match }.map(\.kind) == [.opponentJoined])
    // A turn is never held back by it.
    lab.pushes.refuse(.yourTurn, with: [.refused("no such device")])
    #expect(try ann.act(.turnPlayed(match, lab.turn(lab.match(match)))).receipt?.turn == 1)
    try lab.wait(for: "the third job is dealt with") { try decided() == 3 }
  }
}
