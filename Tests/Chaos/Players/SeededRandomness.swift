public import MatchInterfaces
import Synchronization

/// A seeded generator (SplitMix64, Steele, Lea and Flood 2014).
public struct SplitMix: RandomNumberGenerator {
  /// The state from which the next number is made.
  public var state: UInt64

  /// The generator of a seed.
  public init(state: UInt64) { self.state = state }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  /// True in so many of a hundred cases.
  mutating func happens(_ percent: UInt64) -> Bool { next() % 100 < percent }

  /// A number from a range.
  mutating func number(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11)
      / Double(UInt64(1) << 53)
  }
}

extension Randomness {
  /// The same numbers for the same seed.
  public static func seeded(_ seed: UInt64) -> Randomness {
    let state = Mutex(SplitMix(state: seed))
    return Randomness { state.withLock { $0.next() } }
  }
}
