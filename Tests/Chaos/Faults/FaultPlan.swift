import CubistBasics

/// Which faults come when: the same for the same seed.
struct FaultPlan {
  /// Faults that come together, and the quiet time before them.
  struct Round {
    var pause: Double
    var faults: [(kind: FaultKind, seed: UInt64)]
  }

  private let kinds: [FaultKind]
  private let pauses: ClosedRange<Double>
  private var random: SplitMix64
  /// The kinds that have not come yet in this round: every kind comes as often as any other.
  private var deck: [FaultKind] = []

  init(_ kinds: [FaultKind], seed: UInt64, pauses: ClosedRange<Double>) {
    precondition(!kinds.isEmpty, "a plan needs faults")
    self.kinds = kinds
    self.pauses = pauses
    random = SplitMix64(state: seed)
  }

  /// The next round: mostly one fault, else two or three that take hold of different things.
  mutating func next() -> Round {
    let count = random.happens(70) ? 1 : random.happens(70) ? 2 : 3
    var faults = [draw { _ in true }].compactMap { $0 }
    while faults.count < count {
      let held = Set(faults.flatMap(\.holds))
      guard let kind = draw({ held.isDisjoint(with: $0.holds) }) else { break }
      faults.append(kind)
    }
    return Round(
      pause: random.number(pauses), faults: faults.map { ($0, random.next()) })
  }

  /// Takes the next fitting kind from the deck.
  private mutating func draw(_ fits: (FaultKind) -> Bool) -> FaultKind? {
    if deck.isEmpty { deck = kinds.shuffled(using: &random) }
    guard let index = deck.firstIndex(where: fits) else { return nil }
    return deck.remove(at: index)
  }
}
