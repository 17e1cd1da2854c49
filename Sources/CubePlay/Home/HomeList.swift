/// The home list as it arrives: everything that waits for the player.
public struct HomeList: Hashable, Sendable {
  /// The player's name; nil where it is not known.
  public var name: String?
  /// Everything, the most urgent first.
  public var rows: [HomeRow]

  /// The outcome of something that an earlier program had pending, in words.
  public var told: String?
  /// The answer to a start that was pending; nil: there is none.
  public var started: StartAnswer?
  /// The entries that are not listed, in words; nil: everything is.
  public var more: String?
  /// What becomes of the account unless the player stops it; nil: nothing.
  public var warning: AccountWarning?

  /// A home list.
  public init(name: String?, rows: [HomeRow], told: String? = nil) {
    (self.name, self.rows, self.told) = (name, rows, told)
  }
}

/// A change of the whole account that is under way.
public struct AccountWarning: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// A recovery is to put one new key in the place of all others.
    case recovery
    /// The account is to end.
    case departure
  }

  public var kind: Kind
  /// What comes, when, and whether it is meant.
  public var text: String
  /// The same in a line of a terminal, with the command that stops it.
  public var line: String

  public init(_ kind: Kind, text: String, line: String) {
    (self.kind, self.text, self.line) = (kind, text, line)
  }
}

/// Something that waits for the player.
public struct HomeRow: Hashable, Sendable {
  /// The match of the row. A challenge that was not begun has its name here.
  public var key: MatchKey
  public var kind: Kind
  /// The opponent, or the sort of game.
  public var opponent: String
  /// The last digits of the match's id, where another row is of the same opponent or sort; else nil.
  public var mark: String?
  /// The name of the other player; nil: there is none yet, or never.
  public var player: String?
  /// The points, the player's own first; empty before a match.
  public var points: [Int]
  /// The seconds until time is up; nil where there is no limit.
  public var secondsLeft: Int?
  /// Whether it can be taken back: nobody has joined it yet.
  public var isWithdrawable = false
  /// Whether opening it only shows it.
  public var isOnlyOpened: Bool {
    switch kind {
    case .yourTurn, .theirTurn, .waiting, .ownOffer: true
    case .invitation, .rematchOffer, .daily, .alone: false
    }
  }
  /// The code by which somebody can join it; nil: there is none.
  public var code: String?

  /// A kind of entry in the home list.
  public enum Kind: Hashable, Sendable {
    /// A match in which it is the player's turn.
    case yourTurn
    /// A match in which it is the other one's turn.
    case theirTurn
    /// A match that nobody has joined yet.
    case waiting
    /// An invitation to the player.
    case invitation
    /// A rematch that the other one offers.
    case rematchOffer
    /// A rematch that the player offers.
    case ownOffer
    /// Today's challenge, which the player has not begun.
    case daily(GameClock)
    /// A game alone that the player can begin, without a service.
    case alone
  }

  /// The opponent or the sort of game, as no other row has it.
  public var label: String { mark.map { "\(opponent) \($0)" } ?? opponent }

  /// Something that waits.
  public init(
    _ key: MatchKey, _ kind: Kind, opponent: String, points: [Int] = [], secondsLeft: Int? = nil
  ) {
    self.key = key
    self.kind = kind
    self.opponent = opponent
    self.points = points
    self.secondsLeft = secondsLeft
  }
}
