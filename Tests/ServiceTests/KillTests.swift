import Chaos
import CubistBasics
import Foundation
import TestedService
import RealServers
import Testing

@Suite("Workers that are killed", .serialized)
struct KillTests {
  // Five points each time.
  @Test(
    "A worker killed at ten random points under load: every confirmed event is answered once",
    arguments: 1...2)
  func killedUnderLoad(half: Int) async throws {
    try await Crew.underLoad(eachPushOnce: true) { crew, load, lab, seed in
      var random = SplitMix64(state: seed)
      for _ in 0..<5 {
        // Nothing is awaited: the worker should die at any point of its work.
        Patience.passAny(upTo: 0.8, random.next())
        crew.kill(Int(random.next() % 2))
        try crew.add(1)
        // A dead worker's heartbeat counts for ten seconds; five times that would leave little load.
        try lab.forgetWorkers()
        try load.awaitTurns(3)
      }
      try crew.waitForShares([8, 8])
    }
  }

  @Test("The queues of a worker that was killed under load go to the other one by themselves")
  func takenOver() async throws {
    try await Crew.underLoad(eachPushOnce: true) { crew, load, _, _ in
      // Its heartbeat alone has to run out.
      crew.kill(0)
      try crew.waitForShares([16])
      try load.awaitTurns(10)
      try crew.add(1)
      try crew.waitForShares([8, 8])
    }
  }

  @Test("Workers that come and leave in order under load share the queues anew")
  func comingAndLeaving() async throws {
    try await Crew.underLoad(eachPushOnce: true) { crew, load, _, _ in
      try crew.add(1)
      try crew.waitForShares([5, 5, 6])
      try load.awaitTurns(10)
      #expect(crew.terminate(1) == 0)
      try crew.waitForShares([8, 8])
      try load.awaitTurns(10)
    }
  }
}
