/// A list of results, each of a player or of a day.
public enum Board: Hashable, Sendable {
  /// Today's challenge: how far the player is, and the points of each player.
  case today(GameClock)
  /// The best games, or words, of playing alone.
  case games(Games, GameClock, Span, Measure)
  /// The players by rating.
  case ladder
  /// The player's results in the challenges of the last days.
  case history
  /// The player's games of the last seven days, and places on the week's lists.
  case review

  /// Which games of one player.
  public enum Games: Hashable, Sendable {
    /// Games that a player starts at any time.
    case solo
    /// Challenges of the day.
    case daily
  }

  /// Which games count, by their end.
  public enum Span: Hashable, Sendable, CaseIterable {
    /// Of 24 hours.
    case day
    /// Of seven days.
    case week
    /// All of them.
    case all
  }

  /// The measure of a game: the part of it that counts.
  public enum Measure: Hashable, Sendable {
    case points
    /// Its best word.
    case words
  }
}

/// A list of results as it arrives.
public struct BoardNews: Hashable, Sendable {
  /// The sentence before the list.
  public var head: String
  /// The headings of the columns.
  public var columns: [String]
  /// The best, or the newest, first. The player's own is the last row if it is not among them.
  public var rows: [BoardRow]
  /// The player's options in today's challenge; nil on other boards.
  public var today: TodayNews?

  /// A list that arrives.
  public init(head: String, columns: [String], rows: [BoardRow], today: TodayNews? = nil) {
    self.head = head
    self.columns = columns
    self.rows = rows
    self.today = today
  }
}

/// One result.
public struct BoardRow: Hashable, Sendable {
  /// The text of each column.
  public var cells: [String]
  /// Whether it is the player's own.
  public var isOwn: Bool
  /// The name of its player; nil where it is of a day.
  public var player: String?

  /// One result.
  public init(_ cells: [String], isOwn: Bool = false, player: String? = nil) {
    (self.cells, self.isOwn, self.player) = (cells, isOwn, player)
  }
}

/// The player's options in today's challenge.
public enum TodayNews: Hashable, Sendable {
  /// There is none yet.
  case missing
  /// It can be begun.
  case open
  /// It was begun, and can be played on or looked at.
  case begun(MatchKey)
}
