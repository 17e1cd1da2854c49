/// Lists of results. One of them is shown.
public struct BoardsScreen: Hashable, Sendable {
  /// Which list is shown.
  public internal(set) var tab = Tab.today
  /// Whether games without or with a clock are shown, where there are both.
  public internal(set) var clock = GameClock.unlimited
  /// Which games count, where they are of more than a day.
  public internal(set) var span = Board.Span.week
  /// The measure of a game, where it is points or words.
  public internal(set) var measure = Board.Measure.points
  /// The list as far as it has loaded.
  public internal(set) var content = Loaded<BoardNews>.loading
  /// The place of the row that is selected.
  public internal(set) var selectedIndex = 0
  /// Whether the player is asked to confirm the start of today's timed challenge.
  public internal(set) var isDoubted = false
  /// Whether today's challenge was asked for and there is no answer yet.
  public internal(set) var isStarting = false
  /// Why the last action failed, in words.
  public internal(set) var notice: String?
  /// Why the service was not heard, in words; until the list arrives, or the next action.
  public internal(set) var trouble: String?

  /// Which list, in the order in which they are gone through.
  public enum Tab: Hashable, Sendable, CaseIterable {
    /// Today's challenge.
    case today
    /// The best of games alone.
    case solo
    /// The best of challenges.
    case dailies
    /// Ratings.
    case ladder
    /// The player's own challenges.
    case history
    /// The player's last seven days.
    case review
  }

  /// Nothing is known yet.
  public init() {}

  /// The list that is shown.
  public var board: Board {
    switch tab {
    case .today: .today(clock)
    case .solo: .games(.solo, clock, span, measure)
    case .dailies: .games(.daily, clock, span, measure)
    case .ladder: .ladder
    case .history: .history
    case .review: .review
    }
  }

  /// The list as it arrived.
  public var news: BoardNews? { content.value }
}

/// An action on the lists of results.
public enum BoardsAction: Hashable, Sendable {
  /// The list came into sight, or was asked for again.
  case appeared
  /// A list arrived.
  case arrived(Board, BoardNews)
  /// A list cannot be shown, for a reason in words.
  case failed(Board, String)
  /// Another list was asked for: so many further on, and round.
  case turned(Int)
  /// Games with a clock were asked for instead of those without, or the other way round.
  case clockChanged
  /// The next span of time was asked for.
  case spanChanged
  /// Words were asked for instead of points, or the other way round.
  case measureChanged
  /// Another row was selected: so many further down.
  case moved(Int)
  /// Today's challenge is to be begun, played on or looked at.
  case chosen
  /// The player's answer to the question.
  case doubtAnswered(Bool)
  /// Today's challenge has begun.
  case began(MatchKey)
  /// Today's challenge cannot be begun, for a reason in words.
  case refused(String)
  /// Nobody was there to begin it, in words.
  case away(String)
}

/// An effect of an action on the lists of results.
public enum BoardsEffect: Hashable, Sendable {
  /// Ask for a list.
  case load(Board)
  /// Begin today's challenge.
  case start(GameClock)
  /// Show a match.
  case open(MatchKey)
}
