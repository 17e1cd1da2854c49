/// Which faults strike how often; the seed decides.
final class FaultPlan {
  /// How often each fault had an effect.
  private(set) var counts: [Fault: Int] = [:]
  /// Whether faults have stopped.
  var isCalm = false
  private let random: SeededRandom
  private var probabilities: [Fault: Double] = [:]

  /// Of the faults that may strike each gets one of a few probabilities, among them none, in rough
  /// runs and in gentle ones: what is killed all the time never gets far enough to be wrong. A
  /// single one is not gentle.
  init(_ faults: Set<Fault>, random: SeededRandom) {
    self.random = random
    let roughness: Double = random.pick([0.1, 0.3, 1]) ?? 1
    for fault in Fault.allCases where faults.contains(fault) {
      let level: Double = random.pick([0.0, 0.002, 0.006, 0.015]) ?? 0
      let chance = faults.count == 1 ? 0.02 : level * roughness
      probabilities[fault] = chance * fault.rarity
    }
  }

  /// Whether a fault strikes here and now.
  func strikes(_ fault: Fault) -> Bool {
    guard begins(fault) else { return false }
    count(fault)
    return true
  }

  /// Whether a fault begins here and now; it counts when it has had an effect.
  func begins(_ fault: Fault) -> Bool {
    guard !isCalm, let probability = probabilities[fault] else { return false }
    return random.happens(probability)
  }

  /// A fault had an effect.
  func count(_ fault: Fault) { counts[fault, default: 0] += 1 }
}
