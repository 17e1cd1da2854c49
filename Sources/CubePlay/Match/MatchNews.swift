/// A match as it arrives, with all that belongs beside the cube.
public struct MatchNews: Hashable, Sendable {
  public var standing: Standing
  /// The other one's name; nil where nobody is there yet, or nobody will be.
  public var opponent: String?
  /// Whether the other one has not accepted yet, or is still to come.
  public var isWaiting: Bool
  /// The turns, in order.
  public var lines: [TurnLine]
  /// How it ended, as a sentence; nil while it is played.
  public var ending: String?
  /// The state of a rematch.
  public var rematch: RematchNews
  /// Whether its result changes the player's rating.
  public var isRated: Bool
  /// The name of the player whose view it is, where the viewer has no seat; else nil.
  public var watched: String?
  /// The sort of a game of one player, in words; nil: there are two, or it has no name.
  public var game: String?
  /// Whether it waited for anybody, by chance or by code, rather than for one player.
  public var waitedForAnyone = false
  /// Why chance let the two players meet, in sentences; empty where it was not chance.
  public var meeting: [String] = []
  /// The player's result in a daily challenge that is over, to be pasted into a chat; else nil.
  public var dailyResult: String?

  /// A match that arrives.
  public init(
    standing: Standing, opponent: String?, lines: [TurnLine], ending: String?,
    rematch: RematchNews, isRated: Bool = false, isWaiting: Bool = false, watched: String? = nil
  ) {
    self.standing = standing
    self.opponent = opponent
    self.lines = lines
    self.ending = ending
    self.rematch = rematch
    self.isRated = isRated
    self.isWaiting = isWaiting
    self.watched = watched
  }
}

/// A turn in the list of turns.
public struct TurnLine: Hashable, Sendable {
  /// Its number, 1 for the first.
  public var number: Int
  public var player: PlayTurn.Player
  /// The word in capitals; empty where cubes were removed only.
  public var word: String
  /// How many cubes were removed by hand.
  public var removedCount: Int
  public var score: Int
  /// The word in capitals with which the other player answered it; nil where there is no answer.
  public var reaction: String?
  /// The best word on the cube at that time; nil where it is not told, as while the match is
  /// played.
  public var best: BestWord?
  /// The turn on its cube, to be looked at again; nil where that is not told.
  public var replay: TurnReplay?

  /// A turn that was played.
  public init(
    number: Int, player: PlayTurn.Player, word: String, removedCount: Int, score: Int,
    reaction: String? = nil, best: BestWord? = nil, replay: TurnReplay? = nil
  ) {
    self.number = number
    self.player = player
    self.word = word
    self.removedCount = removedCount
    self.score = score
    self.reaction = reaction
    self.best = best
    self.replay = replay
  }
}

/// A word that could have been played.
public struct BestWord: Hashable, Sendable {
  /// In capitals.
  public var word: String
  /// The score that it would have had.
  public var score: Int

  public init(_ word: String, _ score: Int) { (self.word, self.score) = (word, score) }
}

/// A rematch as the service tells it.
public enum RematchNews: Hashable, Sendable {
  /// There can be none: the match is not over, has one player, or counts for nobody.
  case impossible
  /// Nobody has asked.
  case open
  case offered(by: PlayTurn.Player)
  case began(MatchKey)
}
