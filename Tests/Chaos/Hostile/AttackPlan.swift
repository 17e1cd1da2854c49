import CubistBasics

/// Which attacks come when: the same for the same seed.
struct AttackPlan {
  private var random: SplitMix64
  /// The kinds that have not come yet in this round: every kind comes as often as any other.
  private var deck: [AttackKind] = []

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  /// The next attack, and the seed of its random choices.
  mutating func next() -> (kind: AttackKind, seed: UInt64) {
    if deck.isEmpty { deck = AttackKind.allCases.shuffled(using: &random) }
    return (deck.removeLast(), random.next())
  }
}
