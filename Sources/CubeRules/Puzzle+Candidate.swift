import CubistBasics

extension Puzzle {
  /// Makes a candidate puzzle of a seed, the same in any build for the same number and seed.
  ///
  /// All arithmetic is modulo 2^64, and a negative number counts as its two's complement.
  /// `mix` is the finalizer of SplitMix64 (Steele, Lea, Flood: *Fast Splittable Pseudorandom
  /// Number Generators*, 2014):
  ///
  /// ```
  /// mix(z):   z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
  ///           z = (z ^ (z >> 27)) * 0x94d049bb133111eb
  ///           return z ^ (z >> 31)
  /// state     = mix(mix(seed) + number)
  /// next():   state += 0x9e3779b97f4a7c15; return mix(state)
  /// ```
  ///
  /// Each face, in canonical order, takes `next()`, and takes it again as long as it is not below
  /// the largest multiple of 196 that 64 bits can hold, 18446744073709551516. The remainder modulo
  /// 196 is a token in the bag. The bag's tokens stand in the order of the alphabet: 0...15 are A,
  /// 16...19 B, and so on with the weight of each letter.
  public static func candidate(_ number: Int, seed: UInt64) -> Puzzle {
    var bag = LetterBag(seed: seed, stream: UInt64(bitPattern: Int64(number)))
    var letters = InlineArray<81, Letter>(repeating: .a)
    for index in letters.indices {
      letters[index] = bag.nextLetter()
    }
    return Puzzle(letters: letters)
  }
}

private struct LetterBag {
  private var generator: SplitMix64

  init(seed: UInt64, stream: UInt64) {
    generator = SplitMix64(state: SplitMix64.mix(SplitMix64.mix(seed) &+ stream))
  }

  mutating func nextLetter() -> Letter {
    let total = UInt64(Letter.totalWeight)
    let bound = UInt64.max - UInt64.max % total
    var draw = generator.next()
    while draw >= bound {
      draw = generator.next()
    }
    var token = Int(draw % total)
    for letter in Letter.allCases {
      token -= letter.weight
      if token < 0 { return letter }
    }
    preconditionFailure("the weights of the letters add up to Letter.totalWeight")
  }
}
