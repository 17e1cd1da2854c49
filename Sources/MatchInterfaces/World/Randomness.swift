import IssueReporting

/// Where randomness comes from: ids, back-off jitter, keys.
public struct Randomness: Sendable {
  /// The next 64 random bits.
  public var next: @Sendable () -> UInt64

  public init(next: @escaping @Sendable () -> UInt64) { self.next = next }

  /// 128 random bits.
  public func next128() -> UInt128 { UInt128(next()) << 64 | UInt128(next()) }

  /// So many random bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let bits = next()
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
      }
    }
    return Array(bytes.prefix(count))
  }
}

extension Randomness {
  /// The operating system's generator.
  public static var live: Randomness {
    Randomness {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    }
  }

  /// Always zero.
  public static var noop: Randomness { Randomness { 0 } }

  /// Reports an issue whenever it is asked.
  public static var failing: Randomness {
    Randomness(next: unimplemented("Randomness.next", placeholder: 0))
  }
}
