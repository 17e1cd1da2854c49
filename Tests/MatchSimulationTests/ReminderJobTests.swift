import MatchCore
import MatchInterfaces
import MatchService
import Testing

@testable import MatchSimulation

@Suite("Checking the push jobs of a match that runs")
struct ReminderJobTests {
  private static let runningSeed = World.quietSeed { $0.running != nil }

  /// The findings when a match is stored otherwise.
  private func violations(
    _ world: World, _ id: MatchID, changing change: @escaping (inout StoredMatch) -> Void
  ) throws -> [Violation.Kind] {
    let check = world.store.check
    var changed = check
    changed.stored.answer { ids throws(StoreError) in
      var page = try check.stored(ids)
      if var match = page[id] {
        change(&match)
        page[id] = match
      }
      return page
    }
    var run = StoreCheck(
      changed, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier,
      jobsAreComplete: true)
    return try run.run().map(\.kind)
  }

  @Test("A reminder of the turn that is due needs its row, and a row its job")
  func nudged() throws {
    let world = try World.undisturbed(seed: ReminderJobTests.runningSeed)
    let match = try #require(world.running)
    let player = try #require(match.seats[match.seatToPlay].player)
    let nudge = StoredNudge(turn: match.turnNumber, at: match.dealtAt)
    let job = PushJob(nudged: match.id, turn: match.turnNumber, to: player)
    let cases: [(Bool, Bool, [Violation.Kind])] = [
      (false, false, []), (true, true, []), (true, false, [.jobMissing]),
      (false, true, [.jobUnexpected]),
    ]
    for (hasRow, hasJob, expected) in cases {
      let found = try violations(world, match.id) { stored in
        stored.nudge = hasRow ? nudge : nil
        stored.jobs.removeAll { $0.job.id == job.id }
        if hasJob { stored.jobs.append(StoredJob(job: job, isOwed: false, fate: .delivered)) }
      }
      #expect(found == expected, "row: \(hasRow), job: \(hasJob)")
    }
  }
}

extension World {
  /// A match in which the player to move may be reminded by the other.
  fileprivate var running: Match? {
    store.matches.values.filter { $0.nudgeAt != nil }.min { $0.id < $1.id }
  }
}
