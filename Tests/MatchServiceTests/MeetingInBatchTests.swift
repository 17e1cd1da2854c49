import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Several seekers of anyone in one batch")
struct MeetingInBatchTests {
  /// The replies to Ann and then Bob, who ask for anyone at once.
  private func replies(blocks: Set<Block>) throws -> [String: Reply] {
    let lab = WorkerLab(.lookUp, .resolve, .commit, .acknowledge, .publish, .heartbeats)
    lab.known.blocks = blocks
    try lab.settleIn()
    let request = Event.Action.matchRequested(
      MatchRequest(opponent: .random, turnLimitSeconds: 60))
    lab.deliver(TestPlayer.ann.event(request, 1), by: .ann)
    lab.deliver(TestPlayer.bob.event(request, 2), by: .bob)
    try lab.step()
    #expect(lab.writes.count == 1)
    return lab.replies
  }

  private func hasJoined(_ reply: Reply?) -> Bool? {
    switch reply {
    case .accepted(.matchJoined): true
    case .accepted(.matchStarted): false
    default: nil
    }
  }

  @Test("Two fitting players meet")
  func meet() throws {
    let replies = try replies(blocks: [])
    #expect(hasJoined(replies["Ann"]) == false)
    #expect(hasJoined(replies["Bob"]) == true)
  }

  @Test("Two players with a block between them begin a match each", arguments: [true, false])
  func blocked(byFirst: Bool) throws {
    let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
    let block = byFirst ? Block(ann, bob) : Block(bob, ann)
    let replies = try replies(blocks: [block])
    #expect(hasJoined(replies["Ann"]) == false)
    #expect(hasJoined(replies["Bob"]) == false)
  }
}
