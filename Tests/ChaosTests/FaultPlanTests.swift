import Testing

@testable import Chaos

@Suite("Plans of faults")
struct FaultPlanTests {
  private func rounds(_ seed: UInt64, _ count: Int) -> [FaultPlan.Round] {
    var plan = FaultPlan(FaultKind.allCases, seed: seed, pauses: 0.5...6)
    return (0..<count).map { _ in plan.next() }
  }

  @Test("The same seed gives the same plan, another seed another one")
  func seeds() {
    func text(_ seed: UInt64) -> String { "\(rounds(seed, 50))" }
    #expect(text(7) == text(7))
    #expect(text(7) != text(8))
  }

  @Test("Every kind comes about as often as any other, and pauses stay in their range")
  func fairness() {
    let rounds = rounds(1, 1_000)
    var counts: [FaultKind: Int] = [:]
    for fault in rounds.flatMap(\.faults) { counts[fault.kind, default: 0] += 1 }
    #expect(Set(counts.keys) == Set(FaultKind.allCases))
    #expect((counts.values.max() ?? 0) - (counts.values.min() ?? 0) <= 1)
    #expect(rounds.allSatisfy { 0.5...6 ~= $0.pause })
  }

  @Test("Faults that come together take hold of different things")
  func mixtures() {
    let together = rounds(3, 1_000).map { $0.faults.map(\.kind.holds) }.filter { $0.count > 1 }
    #expect(together.count > 100)
    #expect(
      together.allSatisfy { holds in Set(holds.joined()).count == holds.map(\.count).reduce(0, +) })
  }
}
