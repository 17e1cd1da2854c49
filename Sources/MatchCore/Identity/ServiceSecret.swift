import SHA2

/// The service's secret. Puzzles and invitation codes are derived from it, so that nobody can know
/// them beforehand and the service can make them again.
public struct ServiceSecret: Sendable {
  let bytes: [UInt8]

  /// Takes at least 16 bytes; nil for fewer.
  public init?(bytes: [UInt8]) {
    guard bytes.count >= 16 else { return nil }
    self.bytes = bytes
  }

  /// The seed of a match's puzzle: the first eight bytes of HMAC-SHA256(secret, match id).
  public func puzzleSeed(for match: MatchID) -> UInt64 { seed(of: match.bytes) }

  /// The seed of the puzzle that a match is dealt after so many players have left it: the first
  /// eight bytes of HMAC-SHA256(secret, match id ‖ count as one byte).
  func puzzleSeed(for match: MatchID, afterLeavings count: Int) -> UInt64 {
    seed(of: match.bytes + [UInt8(truncatingIfNeeded: count)])
  }

  /// The seed of a day's puzzle: the first eight bytes of HMAC-SHA256(secret, day, mode, language).
  public func puzzleSeed(for daily: DailyKey) -> UInt64 { seed(of: Array(daily.description.utf8)) }

  /// A player's id that nobody can know, and so nobody has: the first sixteen bytes of
  /// HMAC-SHA256(secret, `nobody`).
  public var nobody: PlayerID {
    PlayerID(
      rawValue: HMACSHA256.code(for: Array("nobody".utf8), key: bytes).prefix(16)
        .reduce(0) { $0 << 8 | UInt128($1) })
  }

  private func seed(of message: [UInt8]) -> UInt64 {
    HMACSHA256.code(for: message, key: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
