/// The limits of messages.
public enum WireLimits {
  /// The payload of a turn, in bytes.
  public static let turnPayloadBytes = 4_096
  /// The most bytes of unknown fields in a player's turn, beyond the form that ``PayloadCodec``
  /// writes. A record keeps them for ever, and must fit into one answer.
  public static let spareTurnBytes = 256
  /// The payload of a device's registration, in bytes: a browser's endpoint is long.
  public static let registrationPayloadBytes = 2_048
  /// Any other payload, in bytes.
  public static let payloadBytes = 1_024
  public static let movesPerTurn = 81
  /// The seats of a match. Today's rules fill one or two.
  public static let seatCount = 8
  /// The slots that events are routed by.
  public static let slotCount = 1_024
  /// The highest number that a turn can have.
  public static let turnNumber = 1_000_000

  package static let lastSeat = Int64(seatCount - 1)
  package static let turnNumbers: ClosedRange<Int64> = 1...Int64(turnNumber)
}

/// The kind of match, as it travels.
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
