import Chaos
import CubistBasics
import Foundation
import TestedService
import RealServers
import Testing

@Suite("Workers that are killed", .serialized)
struct KillTests {
  @Test(
    "A worker killed at ten random points under load: every confirmed event is answered once",
    .timeLimit(.minutes(15)))
  func killedUnderLoad() async throws {
    try await Crew.underLoad(eachPushOnce: true, KillTests.disturb)
  }

  /// Kills, adds and takes away workers while players play.
  private static func disturb(
    _ crew: inout Crew, _ load: Load, _ lab: ServiceLab, _ seed: UInt64
  ) throws {
    var random = SplitMix64(state: seed)
    for _ in 0..<10 {
      // Nothing is awaited: the worker should die at any point of its work.
      Patience.passAny(upTo: 0.8, random.next())
      crew.kill(Int(random.next() % 2))
      try crew.add(1)
      // A dead worker's heartbeat counts for ten seconds; ten times that would leave little load.
      try lab.forgetWorkers()
      try load.awaitTurns(3)
    }
    try crew.waitForShares([8, 8])

    // Its heartbeat alone has to run out: then the other worker takes over.
    crew.kill(0)
    try crew.waitForShares([16])
    try crew.add(1)
    try crew.waitForShares([8, 8])
    try crew.add(1)
    try crew.waitForShares([5, 5, 6])
    try load.awaitTurns(10)
    #expect(crew.terminate(1) == 0)
    try crew.waitForShares([8, 8])
    try load.awaitTurns(10)
  }
}
