import CubistBasics
package import MatchInterfaces
import Synchronization

extension SplitMix64 {
  /// Whether something happens that happens so often of a hundred times.
  mutating func happens(_ percent: UInt64) -> Bool { next() % 100 < percent }

  /// A number from a range.
  mutating func number(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11)
      / Double(UInt64(1) << 53)
  }
}

extension Randomness {
  /// The same numbers for the same seed.
  package static func seeded(_ seed: UInt64) -> Randomness {
    let state = Mutex(SplitMix64(state: seed))
    return Randomness { state.withLock { $0.next() } }
  }
}
