import CubistBasics
import MatchInterfaces
import Synchronization

extension Randomness {
  /// Numbers that follow from a seed.
  static func seeded(_ seed: UInt64) -> Randomness {
    let state = Mutex(SplitMix64(state: seed))
    return Randomness { state.withLock { $0.next() } }
  }
}
