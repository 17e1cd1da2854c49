/// What may travel at most.
public enum WireLimits {
  /// The payload of a turn, in bytes.
  public static let turnPayloadBytes = 4_096
  /// Bytes that a player's turn may have beyond the form that ``PayloadCodec`` writes: fields that this
  /// build does not know. A record keeps them for ever, and has to fit into one answer.
  public static let spareTurnBytes = 256
  /// Any other payload, in bytes.
  public static let payloadBytes = 1_024
  public static let movesPerTurn = 81
  /// The seats of a match; the rules of today fill one or two.
  public static let seatCount = 8
  /// The slots that events are routed by.
  public static let slotCount = 1_024
  /// The highest number that a turn can have.
  public static let turnNumber = 1_000_000

  package static let lastSeat = Int64(seatCount - 1)
  package static let turnNumbers: ClosedRange<Int64> = 1...Int64(turnNumber)
}

/// What sort of match it is, as it travels.
public enum MatchKind: String, Hashable, Sendable, CaseIterable {
  /// Two players, met by chance.
  case random
  /// Two players, one invited the other by name.
  case invitation
  /// Two players, one had the other's code.
  case open
  /// Two players, after another match.
  case rematch
  /// One player.
  case solo
  /// One player on the puzzle of the day.
  case daily
}
