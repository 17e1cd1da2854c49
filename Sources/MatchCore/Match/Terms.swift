/// The terms agreed when a match was asked for.
public struct Terms: Hashable, Sendable {
  /// The kind of match.
  public enum Kind: Hashable, Sendable {
    /// Two players, met by chance.
    case random
    /// Two players, one invited the other by name.
    case invitation
    /// Two players, one had the other's code.
    case open
    /// Two players, after another match.
    case rematch
    /// One player.
    case solo(SoloMode)
    /// One player on the puzzle of the day.
    case daily(DailyKey)
  }

  public var kind: Kind
  /// Seconds for a turn. Nil: no limit.
  public var turnLimitSeconds: Int64?
  /// The language of the words.
  public var language: Language
  /// Whether the players agreed that the result changes no rating.
  public var isCasual: Bool

  public init(
    kind: Kind, turnLimitSeconds: Int64?, language: Language, isCasual: Bool = false
  ) {
    self.kind = kind
    self.turnLimitSeconds = turnLimitSeconds
    self.language = language
    self.isCasual = isCasual
  }

  /// The clock of a game of one player. Nil for any other.
  public var soloMode: SoloMode? {
    switch kind {
    case .solo(let mode): mode
    case .daily(let key): key.mode
    case .random, .invitation, .open, .rematch: nil
    }
  }

  /// Whether the game ends a number of seconds after its deal.
  public var isAgainstClock: Bool { soloMode?.seconds != nil }

  public var seatCount: Int {
    switch kind {
    case .solo, .daily: 1
    case .random, .invitation, .open, .rematch: 2
    }
  }

  /// Whether the result changes ratings, if the match is played to its end.
  public var isRated: Bool { !isCasual && seatCount > 1 }
}
