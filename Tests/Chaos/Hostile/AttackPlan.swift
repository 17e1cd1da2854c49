/// The order of a run's attacks: the same for the same seed.
struct AttackPlan {
  private var random: SplitMix
  /// The kinds that are still to come in this round of the deck: all kinds come equally often.
  private var deck: [AttackKind] = []

  init(seed: UInt64) { random = SplitMix(state: seed) }

  /// The next attack, and the seed of its random choices.
  mutating func next() -> (kind: AttackKind, seed: UInt64) {
    if deck.isEmpty { deck = AttackKind.allCases.shuffled(using: &random) }
    return (deck.removeLast(), random.next())
  }
}
