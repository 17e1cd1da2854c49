import CubistBasics
import MatchInterfaces
import Synchronization

/// All chance of a simulation comes from one of these, so that a seed tells everything that happens.
final class SeededRandom: Sendable {
  private let generator: Mutex<SplitMix64>

  init(seed: UInt64) { generator = Mutex(SplitMix64(state: seed)) }

  /// The next 64 bits.
  func next() -> UInt64 { generator.withLock { $0.next() } }

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
