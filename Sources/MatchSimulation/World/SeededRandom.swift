import MatchInterfaces
import Synchronization

/// SplitMix64. All chance of a simulation comes from one of these, so that a seed determines the
/// whole run.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
final class SeededRandom: Sendable {
  private let state: Mutex<UInt64>

  init(seed: UInt64) { state = Mutex(seed) }

  /// The next 64 bits.
  func next() -> UInt64 {
    let bits = state.withLock { state in
      state &+= 0x9e37_79b9_7f4a_7c15
      return state
    }
    var mixed = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number below a limit. The limit must be positive.
  func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Whether something of a probability happens.
  func happens(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    return Double(next() >> 11) * 0x1p-53 < probability
  }

  /// One of several. Nil if there are none.
  func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  /// A separate generator for one part of the world, so that parts do not disturb one another.
  func fork() -> SeededRandom { SeededRandom(seed: next()) }

  /// The same as an interface.
  var randomness: Randomness { Randomness { self.next() } }
}
