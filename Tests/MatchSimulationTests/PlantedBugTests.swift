import Testing

@testable import MatchSimulation

@Suite("Planted bugs")
struct PlantedBugTests {
  /// A seed that finds each bug, to save looking for one: without it a bug takes seconds to find.
  /// `cubist-simulate --bug` finds such seeds again after the runs of seeds have changed.
  private static let found: [PlantedBug: UInt64] = [
    .guardAfterCommit: 3, .noVersionGuard: 3, .oldestMatchesOnly: 26,
    .outboxOutsideTransaction: 1, .previousHashNotChecked: 13, .relayDeletesBeforeConfirm: 14,
    .rematchWithoutGuard: 53, .requeueWithNack: 50, .revocationIgnored: 20,
    .seatWithoutCondition: 25, .objectionForgotten: 6, .quietHoursIgnored: 5,
    .newTopicEachTime: 9, .devicesLeft: 2, .newsAtOnce: 3,
  ]

  /// The fault that each bug needs. Only an outdated client binds a turn to another one than the
  /// last. Two workers meet only where one was taken for dead. A list is too long only where
  /// somebody is hostile.
  private static let faults: [PlantedBug: Set<Fault>] = [
    .previousHashNotChecked: [.staleClient], .oldestMatchesOnly: [.invitationFlood],
    .noVersionGuard: [.workerPause], .guardAfterCommit: [.workerPause],
  ]

  @Test("A planted bug is found within two hundred seeds", arguments: PlantedBug.allCases)
  func isFound(bug: PlantedBug) {
    var options = Simulation.Options()
    options.bug = bug
    options.faults = Self.faults[bug] ?? options.faults
    options.hasDevices = [.objectionForgotten, .devicesLeft].contains(bug)
    let seeds = [Self.found[bug] ?? 1] + Array(1...200)
    let found = seeds.first { !Simulation.run(seed: $0, options).violations.isEmpty }
    #expect(found != nil, "\(bug.rawValue) was not found")
  }

  @Test("Only a hostile player makes a list so long that its end is missed")
  func isHiddenFromHonest() {
    var options = Simulation.Options()
    options.bug = .oldestMatchesOnly
    options.faults.subtract(HostileAccounts.attacks)
    options.eventCount = 60
    #expect((1...5).allSatisfy { Simulation.run(seed: $0, options).violations.isEmpty })
  }
}
