import LibPQ
import Testing

@Suite("Back-off")
struct BackoffTests {
  /// SplitMix64, for draws that repeat.
  struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }
  }

  @Test("A pause lies in the upper half below a limit that doubles up to the longest")
  func range() {
    let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))
    let limits: [Int64] = [100, 200, 400, 800, 1600, 3200, 5000, 5000]
    for seed in UInt64(0)..<200 {
      var generator = Seeded(state: seed)
      for (attempt, limit) in limits.enumerated() {
        let delay = backoff.delay(attempt: attempt, using: &generator)
        #expect(delay >= .milliseconds(limit / 2), "seed \(seed)")
        #expect(delay <= .milliseconds(limit), "seed \(seed)")
      }
    }
  }

  @Test("Different generators draw different pauses, the same one the same")
  func jitter() {
    let backoff = Backoff()
    let delays = (UInt64(0)..<50).map { seed in
      var generator = Seeded(state: seed)
      return backoff.delay(attempt: 5, using: &generator)
    }
    #expect(Set(delays).count > 40)
    var generator = Seeded(state: 7)
    #expect(backoff.delay(attempt: 5, using: &generator) == delays[7])
  }

  @Test(
    "Extreme attempts and limits stay within bounds",
    arguments: [Int.min, -1, 62, 63, 1_000_000, .max])
  func extremes(attempt: Int) {
    var generator = Seeded(state: 1)
    let tiny = Backoff(first: .microseconds(1), longest: .seconds(9))
    #expect(tiny.delay(attempt: attempt, using: &generator) <= .seconds(9))
    let none = Backoff(first: .seconds(-1), longest: .zero)
    #expect(none.delay(attempt: attempt, using: &generator) == .zero)
    let endless = Backoff(first: .seconds(1), longest: .seconds(Int64.max))
    #expect(endless.delay(attempt: attempt, using: &generator) > .zero)
  }
}
