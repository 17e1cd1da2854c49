import Chaos
import CubistBasics
import Foundation
import Testing

@Suite("A worker that crashes again and again", .serialized)
struct CrashLoopTests {
  // Six crashes, two each time.
  @Test(
    "A crashing worker takes no queue from lasting ones, and every event is answered",
    arguments: 1...3)
  func crashLoop(part: Int) async throws {
    try await Crew.underLoad(eachPushOnce: true) { crew, load, _, seed in
      var random = SplitMix64(state: seed)
      for _ in 0..<2 {
        // Well before the ten seconds after which it would be one that lasts.
        let crashed = try crew.crash(after: 1 + Double(random.next() % 3_500) / 1_000)
        #expect(crashed.queues == [], "seed \(seed): \(crashed.log.suffix(500))")
        // Both workers go on with their queues.
        try crew.waitForShares([8, 8], atMost: .seconds(1))
        try load.awaitTurns(5)
      }
    }
  }
}
