public import CubeRules

public struct MatchScreen: Hashable, Sendable {
  public let key: MatchKey
  /// The match as far as it has loaded.
  public internal(set) var content: Loaded<ShownMatch>
  /// Whether it is opened at its first turn for a replay, rather than as it stands.
  public let isReplay: Bool

  /// A match of which nothing has loaded yet.
  public init(_ key: MatchKey, isReplay: Bool = false) {
    (self.key, content, self.isReplay) = (key, .loading, isReplay)
  }

  public init(_ key: MatchKey, _ table: ShownMatch) {
    (self.key, content, isReplay) = (key, .shown(table), false)
  }
}

/// A match with all that belongs beside its cube.
public struct ShownMatch: Hashable, Sendable {
  /// The turn that is being played.
  public internal(set) var turn: PlayTurn
  /// The other one's name; nil where nobody is there yet, or nobody will be.
  public internal(set) var opponent: String?
  /// Whether the other one has not accepted yet, or is still to come.
  public internal(set) var isWaiting: Bool
  /// The turns, in order.
  public internal(set) var lines: [TurnLine]
  /// How it ended, as a sentence; nil while it is played.
  public internal(set) var ending: String?
  /// How far a rematch has come.
  public internal(set) var rematch: Rematch
  /// The cube under the cursor; nil while there is none.
  public internal(set) var cursor: Cube?
  /// How many turns the player looks back; 0: at the match as it stands.
  public internal(set) var lookedBack = 0
  /// The turn that is shown for a moment; nil: none.
  public internal(set) var show: TurnShow?
  /// Whether the turns are shown one after the other.
  public internal(set) var isReplaying = false
  /// Whether letters take the cursor to their cubes, rather than spell a word.
  public internal(set) var lettersPoint = false
  /// Whether faces show the values of their letters.
  public internal(set) var showsValues = false
  /// Whether the match is to be given up.
  public internal(set) var givingUp = GivingUp.no
  /// The seconds for which letters do nothing: the match ended while the player may have been
  /// typing.
  public internal(set) var restSeconds = 0
  /// Whether the game is shared.
  public internal(set) var sharing = Sharing.possible(failure: nil)
  /// Whether the player answers the last turn.
  public internal(set) var reacting = Reacting.no(failure: nil)
  /// The player's rating before and after the match.
  public internal(set) var rating = RatingStory.unknown
  /// Whether the result changes the player's rating.
  public internal(set) var isRated: Bool
  /// The name of the player whose view it is, where the viewer has no seat; else nil.
  public let watched: String?
  /// The sort of a game of one player, in words; nil: there are two, or it has no name.
  public let game: String?
  /// Whether it waited for anybody, by chance or by code, rather than for one player.
  let waitedForAnyone: Bool
  /// Why chance let the two players meet, in sentences; empty where it was not chance.
  public internal(set) var meeting: [String]
  /// The player's result in a daily challenge that is over, to be pasted into a chat; else nil.
  public internal(set) var dailyResult: String?

  /// A match as it arrived.
  public init(_ news: MatchNews) {
    turn = PlayTurn(news.standing)
    (opponent, isWaiting) = (news.opponent, news.isWaiting)
    lines = news.lines
    ending = news.ending
    rematch = Rematch.impossible.updated(news.rematch)
    (isRated, watched, game) = (news.isRated, news.watched, news.game)
    waitedForAnyone = news.waitedForAnyone
    (meeting, dailyResult) = (news.meeting, news.dailyResult)
  }
}

/// An action on a match on the screen.
public enum MatchAction: Hashable, Sendable {
  /// It arrived, for the first time or because it changed.
  case arrived(MatchNews)
  /// It cannot be shown, for a reason in words.
  case failed(String)
  /// Something in the turn that is played.
  case play(PlayAction)
  /// The cursor was moved; the first time it appears.
  case cursorMoved(CursorStep)
  /// The cube under the cursor was marked for removal, or its mark was taken away.
  case cursorMarked
  /// Letters should take the cursor to their cubes, or spell again.
  case pointingAsked
  /// The cursor was sent to the next cube that shows a letter.
  case cursorSought(Letter)
  /// Clear was asked for. A player who looks back sees the match as it stands; pointing letters
  /// spell again; else the whole choice is taken back, and the cursor with it.
  case cleared
  /// The values of the letters should be shown, or not any more.
  case valuesAsked
  /// So many earlier turns were asked for; a negative number asks for later ones.
  case lookedBack(Int)
  /// The turns should be replayed from the shown one, or the first; or the replay should end.
  case replayAsked
  /// A moment of a turn that is shown passed.
  case ticked
  /// Something about giving up.
  case giveUp(GiveUpAction)
  /// Something about sharing.
  case share(ShareAction)
  /// Something about answering the last turn.
  case react(ReactAction)
  /// The player's rating arrived.
  case ratingArrived(Strength)
  /// A rematch was asked for or agreed to; once it exists, the player asked to see it.
  case rematchAsked
  /// The service answered that.
  case rematchAnswered(RematchAnswer)
}

/// An effect of an action on a match.
public enum MatchEffect: Hashable, Sendable {
  /// Show the match, and then each of its changes, until another one is followed.
  case follow
  /// An effect of the turn.
  case play(PlayEffect)
  /// Let a moment of a turn that is shown pass.
  case tick
  case askRematch
  case giveUp
  /// Share the game.
  case share
  /// Answer the turn of that number with a word.
  case react(String, turn: Int)
  /// Ask how strong the player is.
  case askRating
  /// Show another match.
  case open(MatchKey)
}

extension ShownMatch {
  /// The player's points as a share of the best words on the cube at each of the player's turns, in
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
