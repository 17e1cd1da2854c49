public import CubeRules

/// A match as one of its players plays it: the cube, the player on turn, and the choice so far.
public struct PlayTurn: Hashable, Sendable {
  /// The game as the accepted turns left it.
  public internal(set) var game: CubeGame
  /// The players and their points.
  public internal(set) var players: Players
  /// The number of the turn to be played next, 1 for the first.
  public internal(set) var turnNumber: Int
  /// How far the match has come.
  public internal(set) var stage: Stage
  /// The turn that was played last; nil before the first.
  public internal(set) var lastTurn: PlayedTurn?
  /// Why the last action failed.
  public internal(set) var notice: Notice?

  /// A match as the service shows it.
  public init(_ standing: Standing) {
    game = standing.game
    players = standing.players
    turnNumber = standing.turnNumber
    lastTurn = standing.lastTurn
    switch standing.stage {
    case .yours(let seconds): stage = .playing(.mine(.empty), secondsLeft: seconds)
    case .theirs(let seconds): stage = .playing(.theirs(.empty), secondsLeft: seconds)
    case .over(let ending): stage = .over(ending)
    }
  }
}

extension PlayTurn {
  /// The players and their points.
  public enum Players: Hashable, Sendable {
    /// A game of one seat.
    case alone(points: Int)
    /// A match of two.
    case two(mine: Int, theirs: Int)

    /// How many seats the match has.
    public var seatCount: Int {
      switch self {
      case .alone: 1
      case .two: 2
      }
    }

    /// The player with more points; nil: nobody.
    public var leader: Player? {
      guard case .two(let mine, let theirs) = self, mine != theirs else { return nil }
      return mine > theirs ? .me : .them
    }

    /// The points of each seat, the player's own first.
    public var points: [Int] {
      switch self {
      case .alone(let points): [points]
      case .two(let mine, let theirs): [mine, theirs]
      }
    }

    /// Adds the score of a turn. It does not trap for any points that the service told.
    mutating func add(_ score: Int, to player: Player) {
      switch (self, player) {
      case (.alone(let points), _): self = .alone(points: points &+ score)
      case (.two(let mine, let theirs), .me): self = .two(mine: mine &+ score, theirs: theirs)
      case (.two(let mine, let theirs), .them): self = .two(mine: mine, theirs: theirs &+ score)
      }
    }
  }

  public enum Player: Hashable, Sendable {
    /// The player of this view.
    case me
    /// The other one.
    case them

    /// The other one of two.
    public var other: Player { self == .me ? .them : .me }
  }

  /// How far a match has come.
  public enum Stage: Hashable, Sendable {
    /// It is being played. The seconds until time is up are nil where there is no limit. Below 0
    /// the service gives time back.
    case playing(Turn, secondsLeft: Int?)
    case over(Ending)
  }

  public enum Turn: Hashable, Sendable {
    /// The player's own: the choice may be sent.
    case mine(Draft)
    /// The player's own, and sent.
    case sent(SentTurn)
    /// The other one's: the player may choose and see the score, but not send.
    case theirs(Draft)
  }
}

/// A turn without an answer.
public struct SentTurn: Hashable, Sendable {
  /// The draft of the turn, so that a refusal loses nothing.
  public internal(set) var draft: Draft
  public internal(set) var turn: LegalTurn
  /// How far it has come.
  public internal(set) var delivery: Delivery

  /// How far a turn has come.
  public enum Delivery: Hashable, Sendable {
    case onItsWay
    /// The service is away: it is sent again when that is back.
    case waits
  }
}

/// A played turn and its player.
public struct PlayedTurn: Hashable, Sendable {
  public var player: PlayTurn.Player
  public var turn: LegalTurn

  public init(by player: PlayTurn.Player, _ turn: LegalTurn) {
    self.player = player
    self.turn = turn
  }
}

/// How a match ended.
public enum Ending: Hashable, Sendable {
  /// No cube is left.
  case cleared
  /// A player gave up.
  case forfeited(by: PlayTurn.Player)
  /// A player's time for a turn ran out.
  case timedOut(PlayTurn.Player)
  /// The player of a game of one seat ended it.
  case finished
  /// The time of a game of one seat is over.
  case timeUp
  /// The service ended it as it stood.
  case stopped
  /// It counts for nobody.
  case void
}

/// A match as the service shows it.
public struct Standing: Hashable, Sendable {
  /// The game as the accepted turns left it.
  public var game: CubeGame
  /// The players and their points.
  public var players: PlayTurn.Players
  /// The number of the turn to be played next, 1 for the first.
  public var turnNumber: Int
  /// The turn that was played last; nil before the first.
  public var lastTurn: PlayedTurn?
  /// How far it has come.
  public var stage: Stage

  /// How far the match has come, as the service knows it.
  public enum Stage: Hashable, Sendable {
    /// It is the player's own turn; the seconds are nil where there is no limit, and below 0 where
    /// the service gives time back.
    case yours(secondsLeft: Int?)
    /// It is the other one's turn; the seconds are nil where there is no limit.
    case theirs(secondsLeft: Int?)
    case over(Ending)
  }

  /// A match that is shown.
  public init(
    game: CubeGame, players: PlayTurn.Players, turnNumber: Int, lastTurn: PlayedTurn? = nil,
    stage: Stage
  ) {
    self.game = game
    self.players = players
    self.turnNumber = turnNumber
    self.lastTurn = lastTurn
    self.stage = stage
  }
}
