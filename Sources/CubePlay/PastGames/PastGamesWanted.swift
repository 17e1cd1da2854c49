/// The past games that are wanted.
public struct PastGamesWanted: Hashable, Sendable {
  /// Only games against the player of that name.
  public var player: String?
  /// Only games that came about so.
  public var kind: Kind?
  /// Only games that ended so for the player.
  public var result: Ending?

  /// Every past game.
  public static let all = PastGamesWanted()

  public init(player: String? = nil, kind: Kind? = nil, result: Ending? = nil) {
    (self.player, self.kind, self.result) = (player, kind, result)
  }

  /// How a match came about, in the order in which the kinds are gone through. The raw values
  /// travel to the page.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case random, invitation, open, rematch, solo, daily
  }

  /// The result for the player, in the order in which results are gone through. The raw values
  /// travel to the page.
  public enum Ending: String, Hashable, Sendable, CaseIterable {
    case won, lost, tied
    /// A game alone that was played to an end.
    case completed
    /// It had no result that counts.
    case uncounted = "none"
  }
}

// MARK: - Words

extension PastGamesWanted {
  /// Which games are listed, in a sentence; empty where all of them are.
  public var text: String { self == .all ? "" : "Only \(games)." }

  /// There is none of them, in a sentence.
  public var nothing: String {
    self == .all ? "No match is over yet." : "You have no past \(games)."
  }

  private var games: String {
    let opponent = player.map { " against \($0)" } ?? ""
    return kindText + opponent + resultText
  }

  private var kindText: String {
    switch kind {
    case nil: "games"
    case .random?: "games by chance"
    case .invitation?: "games by invitation"
    case .open?: "games by a code"
    case .rematch?: "rematches"
    case .solo?: "solo games"
    case .daily?: "daily challenges"
    }
  }

  private var resultText: String {
    switch result {
    case nil: ""
    case .won?: " that you won"
    case .lost?: " that you lost"
    case .tied?: " that were tied"
    case .completed?: " that you played to the end"
    case .uncounted?: " that were not counted"
    }
  }
}
