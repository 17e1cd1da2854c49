/// A match or game that a player wants.
public enum NewMatch: Hashable, Sendable {
  /// Against anyone.
  case anyone(Terms)
  /// Against a player of that name.
  case named(String, Terms)
  /// Against the first player to use a code, which the service gives.
  case open(Terms)
  /// The match of which the player has the code.
  case join(String)
  /// Today's challenge.
  case daily(GameClock)
  case alone(GameClock)

  /// The terms of a match of two.
  public struct Terms: Hashable, Sendable {
    /// The time for a turn as it was typed, such as `1d`.
    public var turnLimit: String
    /// Whether the result changes no rating.
    public var isCasual: Bool

    /// The terms of a match of two.
    public init(turnLimit: String, isCasual: Bool) {
      (self.turnLimit, self.isCasual) = (turnLimit, isCasual)
    }
  }
}

/// How a game of one player is clocked.
public enum GameClock: Hashable, Sendable {
  /// As long as the player likes; a daily until its day ends.
  case unlimited
  /// Until its seconds are over.
  case timed
}

/// The outcome of asking for a match.
public enum StartAnswer: Hashable, Sendable {
  /// It can be played, or waits for somebody.
  case began(MatchKey)
  /// The player has invited the same player before, and there is no answer yet.
  case invitedBefore
  /// There is no such player, in words.
  case wrongName(String)
  /// It cannot be started, for a reason in words.
  case refused(String)
  /// Nobody was there to be asked, in words.
  case away(String)
  /// There is no answer yet. The same start is sent again, and counts once.
  case pending
}
