import CubistBasics
import MatchInterfaces
import Synchronization

extension Randomness {
  /// The same bits in every run.
  static func seeded(_ seed: UInt64) -> Randomness {
    let random = SharedGenerator(seed)
    return Randomness { random.next() }
  }
}

private final class SharedGenerator: Sendable {
  private let random: Mutex<SplitMix64>
  init(_ seed: UInt64) { random = Mutex(SplitMix64(state: seed)) }
  func next() -> UInt64 { random.withLock { $0.next() } }
}
