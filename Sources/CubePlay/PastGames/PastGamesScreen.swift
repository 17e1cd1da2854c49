/// The player's games that are over, the newest first.
public struct PastGamesScreen: Hashable, Sendable {
  /// The games that are listed.
  public internal(set) var wanted: PastGamesWanted
  /// The list as far as it has loaded.
  public internal(set) var content = Loaded<PastGamesNews>.loading
  /// The place of the row that is selected.
  public internal(set) var selectedIndex = 0
  /// Whether older games were asked for and are not there yet.
  public internal(set) var isLoadingMore = false
  /// Why older games did not come, in words; until they do, or the next action.
  public internal(set) var trouble: String?

  /// Nothing is known yet.
  public init(_ wanted: PastGamesWanted = .all) { self.wanted = wanted }

  /// The game that is selected.
  public var selected: PastGameRow? {
    guard let rows = news?.rows, rows.indices.contains(selectedIndex) else { return nil }
    return rows[selectedIndex]
  }

  /// The list as it arrived.
  public var news: PastGamesNews? { content.value }
}

/// Games that are over, as they arrive.
public struct PastGamesNews: Hashable, Sendable {
  /// The newest first.
  public var rows: [PastGameRow]
  /// The place at which the list goes on, in the service's form; nil: it ends here.
  public var next: String?

  /// A list that arrives.
  public init(rows: [PastGameRow], next: String? = nil) {
    (self.rows, self.next) = (rows, next)
  }
}

/// A game that is over. Its texts are for the player to read.
public struct PastGameRow: Hashable, Sendable {
  public var key: MatchKey
  /// The other player's name, or the sort of game.
  public var opponent: String
  /// The name of the other player; nil: there was none.
  public var player: String?
  /// How the match came about.
  public var kind: String
  /// The result for the player, and its reason.
  public var result: String
  /// The player's points, then the other one's.
  public var points: [Int]
  /// How long it has been over.
  public var ended: String

  public init(
    _ key: MatchKey, opponent: String, kind: String, result: String, points: [Int], ended: String,
    player: String? = nil
  ) {
    (self.key, self.opponent, self.kind) = (key, opponent, kind)
    self.player = player
    (self.result, self.points, self.ended) = (result, points, ended)
  }
}

/// An action on the list of past games.
public enum PastGamesAction: Hashable, Sendable {
  /// The list came into sight, or was asked for again.
  case appeared
  /// Games arrived: the newest ones, or those after a place in the list.
  case arrived(PastGamesWanted, PastGamesNews, after: String?)
  /// Games cannot be shown, for a reason in words.
  case failed(PastGamesWanted, String, after: String?)
  /// Only games of a kind are to be listed; nil: of every kind.
  case kindChosen(PastGamesWanted.Kind?)
  /// Only games with a result are to be listed; nil: with every result.
  case resultChosen(PastGamesWanted.Ending?)
  /// Every game is to be listed.
  case allChosen
  /// Another row was selected: so many further down.
  case moved(Int)
  /// Older games were asked for.
  case moreAsked
  /// The selected game is to be seen.
  case chosen
}

/// An effect of an action on the list of past games.
public enum PastGamesEffect: Hashable, Sendable {
  /// Ask for the newest games, or for those after a place in the list.
  case load(PastGamesWanted, after: String?)
  /// Show a match.
  case open(MatchKey)
}
