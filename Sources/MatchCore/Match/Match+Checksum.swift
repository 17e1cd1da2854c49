import CubistBasics

// The checksum of a stored state. It follows the format's byte, and what it covers follows it. A
// state that somebody or a disk has changed would otherwise be judged by: most changed bytes leave
// a state that can be read.

extension Match {
  /// The bytes of a stored state before those that its checksum covers.
  private static let uncoveredBytes = 9

  /// Whether bytes are a state whose checksum does not fit them or the match. Then it is not folded
  /// anew: whoever changed one table may have changed others.
  public static func isChanged(_ encodedState: [UInt8], of id: MatchID) -> Bool {
    guard encodedState.first == stateFormat else { return false }
    guard encodedState.count >= uncoveredBytes else { return true }
    let written = encodedState[1..<uncoveredBytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return written != checksum(of: encodedState, id)
  }

  /// Each step is one-to-one, so one changed word never goes unnoticed. The id keeps a state from
  /// fitting another match.
  static func checksum(of encodedState: [UInt8], _ id: MatchID) -> UInt64 {
    encodedState.withUnsafeBytes { bytes in
      var sum = SplitMix64.mix(UInt64(truncatingIfNeeded: id.rawValue &>> 64))
      sum = SplitMix64.mix(sum ^ UInt64(truncatingIfNeeded: id.rawValue))
      sum = SplitMix64.mix(sum ^ UInt64(bytes.count))
      var offset = uncoveredBytes
      while offset + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        sum = SplitMix64.mix(sum ^ UInt64(littleEndian: word))
        offset += 8
      }
      var rest: UInt64 = 0
      while offset < bytes.count {
        rest = rest << 8 | UInt64(bytes[offset])
        offset += 1
      }
      return SplitMix64.mix(sum ^ rest)
    }
  }
}
