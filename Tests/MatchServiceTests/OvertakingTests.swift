import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Messages that may have overtaken the ticks of their queue")
struct OvertakingTests {
  let given = Given.playing

  private static func refusal(_ priority: UInt8) -> Reply {
    .refused(.malformed("its message has priority \(priority), and 4 is the most"))
  }

  // Failure: Refusal.malformed
  @Test(
    "A turn with a priority above 4 is refused by name, and the player's own copy counts",
    arguments: [5, 9, 255] as [UInt8])
  func refused(priority: UInt8) throws {
    let lab = WorkerLab(.lookUp, .abandon, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let event = TestPlayer.ann.event(given.turn())
    var urgent = lab.delivery(
      TestPlayer.ann.body(event), queue: lab.queue(of: event), id: "urgent")
    urgent.priority = priority
    lab.arriving = [urgent]
    try lab.step()
    expectNoDifference(lab.replies, ["urgent": Self.refusal(priority)])
    #expect(lab.writes.isEmpty)

    // Anybody may have sent it so: the player's own copy counts, also behind another one.
    lab.forget()
    lab.arriving = [urgent]
    lab.deliver(event, by: .ann)
    try lab.step()
    let replies = lab.replies
    expectNoDifference(replies["urgent"], Self.refusal(priority))
    guard case .accepted(.turnAccepted)? = replies["Ann"] else {
      Issue.record("\(replies)")
      return
    }
    #expect(lab.writes.map(\.replies.count) == [1])
  }

  @Test("A priority up to 4 changes nothing", arguments: [0, 3, 4] as [UInt8])
  func ordinary(priority: UInt8) throws {
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let event = TestPlayer.ann.event(given.turn())
    var delivery = lab.delivery(
      TestPlayer.ann.body(event), queue: lab.queue(of: event), id: "Ann")
    delivery.priority = priority
    lab.arriving = [delivery]
    try lab.step()
    guard case .accepted(.turnAccepted)? = lab.replies["Ann"] else {
      Issue.record("\(lab.replies)")
      return
    }
  }

  @Test("Not even the service's own word counts if it comes with such a priority")
  func service() throws {
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .publish, .heartbeats)
    try lab.settleIn()
    let tick = Event(
      service: .test, id: TestPlayer.ann.event(given.turn()).id,
      player: ServiceIdentity.test.player, action: .ticked(queue: 0, time: .noon))
    var delivery = lab.delivery(
      Envelope.encode(
        TestPlayer.bob.signer.signed(PayloadCodec.encode(tick), as: .service)),
      queue: 0, id: "tick")
    delivery.priority = 9
    lab.arriving = [delivery]
    try lab.step()
    expectNoDifference(lab.replies, ["tick": Self.refusal(9)])
    #expect(lab.writes.isEmpty)
  }
}
