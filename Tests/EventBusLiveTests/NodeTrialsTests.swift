import Conformance
import CubistBasics
import Testing

@testable import EventBusLive

@Suite("Nodes that may be made up")
struct NodeTrialsTests {
  private static let second: UInt64 = 1_000_000_000

  /// Trials as a reference, so that a call that changes them can stand in an expectation.
  private final class Box {
    var trials = NodeTrials()
    func keep(_ reply: ReplyLines.Reply, for node: UInt32, at now: UInt64) -> Bool {
      trials.keep(reply, for: node, at: now)
    }
    func next(at now: UInt64) -> UInt32? { trials.next(at: now)?.node }
    func succeed(_ node: UInt32) -> Int { trials.succeed(node).count }
    func fail(at now: UInt64) -> Int { trials.fail(at: now) }
  }

  private static func reply(_ node: UInt32, bytes: Int = 1) -> ReplyLines.Reply {
    ReplyLines.Reply(
      replyTo: "at \(node)", correlationID: "1", body: Array(repeating: 0, count: bytes))
  }

  @Test("One node is tried at a time, and its waiting messages go once it is there")
  func oneAtATime() throws {
    let trials = Box()
    for node: UInt32 in [1, 2, 2] { #expect(trials.keep(Self.reply(node), for: node, at: 0)) }
    let begun = trials.trials.next(at: 0)
    let first = try #require(begun)
    #expect(first.node == 2 && first.address == "at 2", "the one that is asked for most often")
    #expect(trials.next(at: 0) == nil)
    #expect(trials.succeed(2) == 2)
    #expect(trials.next(at: 0) == 1)
    trials.trials.abort()
    #expect(trials.next(at: 0) == 1, "an attempt that could not be made counts for nothing")
  }

  @Test("A missing node is left alone for a while")
  func failing() {
    let trials = Box()
    #expect(trials.keep(Self.reply(1), for: 1, at: 0))
    #expect(trials.next(at: 0) == 1)
    #expect(trials.fail(at: 0) == 1)
    #expect(!trials.keep(Self.reply(1), for: 1, at: 599 * Self.second))
    #expect(trials.next(at: 599 * Self.second) == nil)
    #expect(trials.keep(Self.reply(1), for: 1, at: 600 * Self.second))
    #expect(trials.next(at: 600 * Self.second) == 1)
  }

  @Test(
    "Twenty may fail at once, then one a minute; a node known from before is tried all the same")
  func failures() {
    let trials = Box()
    var failed = 0
    for node in (100..<1_000) as Range<UInt32> {
      _ = trials.keep(Self.reply(node), for: node, at: Self.second)
      guard trials.next(at: Self.second) != nil else { continue }
      failed += 1
      _ = trials.fail(at: Self.second)
    }
    #expect(failed == 20)
    trials.trials.prefer([7])
    #expect(trials.keep(Self.reply(7), for: 7, at: Self.second))
    #expect(trials.next(at: Self.second) == 7)
    #expect(trials.succeed(7) == 1)
    #expect(trials.next(at: 60 * Self.second) == nil)
    #expect(trials.next(at: 61 * Self.second) != nil)
    _ = trials.fail(at: 61 * Self.second)
    #expect(trials.next(at: 62 * Self.second) == nil)
  }

  @Test("A real node is found among any number of made-up ones, and memory is bounded")
  func flood() throws {
    var random = SplitMix64(state: 16)
    let trials = Box()
    var found: UInt64?
    // A hundred made-up addresses and one true one a second.
    for second in 1...600 as ClosedRange<UInt64> where found == nil {
      let now = second * Self.second
      for _ in 0..<100 {
        let node = UInt32(truncatingIfNeeded: random.next())
        _ = trials.keep(Self.reply(node, bytes: 100_000), for: node, at: now)
      }
      _ = trials.keep(Self.reply(1), for: 1, at: now)
      for _ in 0..<4 {
        guard let node = trials.next(at: now) else { continue }
        if node == 1 { found = second } else { _ = trials.fail(at: now) }
      }
      let kept = trials.trials.kept
      #expect(kept.candidates <= 256 && kept.replies <= 1_024 && kept.bytes <= 4 * 1_024 * 1_024)
    }
    #expect(try #require(found) < 120)
  }
}
