public import CubeRules

/// A match on the screen.
public struct MatchScreen: Hashable, Sendable {
  /// Which.
  public let key: MatchKey
  /// What is known of it.
  public internal(set) var content: Content

  /// What is known of a match.
  public enum Content: Hashable, Sendable {
    /// Nothing yet.
    case loading
    /// It cannot be shown, for a reason in words.
    case failed(String)
    /// All of it.
    case shown(ShownMatch)
  }

  /// A match of which nothing is known yet.
  public init(_ key: MatchKey) { (self.key, content) = (key, .loading) }

  /// A match that is shown.
  public init(_ key: MatchKey, _ table: ShownMatch) { (self.key, content) = (key, .shown(table)) }
}

/// A match with all that belongs beside its cube.
public struct ShownMatch: Hashable, Sendable {
  /// The turn that is being played.
  public internal(set) var turn: PlayTurn
  /// The other one's name; nil where nobody is there yet, or nobody will be.
  public internal(set) var opponent: String?
  /// What was played, in order.
  public internal(set) var lines: [TurnLine]
  /// How it ended, as a sentence; nil while it is played.
  public internal(set) var ending: String?
  /// How far a rematch has come.
  public internal(set) var rematch: Rematch
  /// The cube under the cursor; nil while there is none.
  public internal(set) var cursor: Cube?
  /// How many turns the player looks back; 0: at the match as it stands.
  public internal(set) var lookedBack = 0

  /// A match as it arrived.
  public init(_ news: MatchNews) {
    turn = PlayTurn(news.standing)
    opponent = news.opponent
    lines = news.lines
    ending = news.ending
    rematch = Rematch.impossible.updated(news.rematch)
  }
}

/// What happens to a match on the screen.
public enum MatchAction: Hashable, Sendable {
  /// It arrived, for the first time or because it changed.
  case arrived(MatchNews)
  /// It cannot be shown, for a reason in words.
  case failed(String)
  /// Something in the turn that is played.
  case play(PlayAction)
  /// The cursor was moved; the first time it appears.
  case cursorMoved(CursorStep)
  /// The cube under the cursor was marked for removal, or its mark taken away.
  case cursorMarked
  /// Who looks back sees the match as it stands; else everything that is chosen was taken back, and
  /// the cursor with it.
  case cleared
  /// So many turns before were asked for, or after where the number is negative.
  case lookedBack(Int)
  /// A rematch was asked for or agreed to; once there is one, it was asked to be shown.
  case rematchAsked
  /// The service answered that.
  case rematchAnswered(RematchAnswer)
}

/// What has to be done because of an action on a match.
public enum MatchEffect: Hashable, Sendable {
  /// Show the match, and from then on each of its changes, until another one is followed.
  case follow
  /// Something that the turn wants.
  case play(PlayEffect)
  /// Ask for a rematch.
  case askRematch
  /// Show another match.
  case open(MatchKey)
}

extension ShownMatch {
  /// What the player made of the best words that were on the cube at each of the player's turns, in
  /// hundredths; nil where that is not told. Removing a cube first may make it more than all.
  public var shareOfBest: Int? {
    var (made, possible) = (0, 0)
    for line in lines where line.player == .me {
      guard let best = line.best else { return nil }
      (made, possible) = (made &+ line.score, possible &+ best.score)
    }
    let (hundredfold, isTooLarge) = made.multipliedReportingOverflow(by: 100)
    return possible > 0 && made >= 0 && !isTooLarge ? hundredfold / possible : nil
  }
}
