/// One of the first steps: one task for a new player.
public enum FirstStep: Int, Hashable, Sendable, CaseIterable {
  /// To look at the cube.
  case welcome = 1
  /// To type the first letter of a word.
  case firstLetter
  /// To type the next one, which touches it.
  case nextLetter
  /// To type the rest.
  case wholeWord
  case playWord
  /// To see the other one's turn.
  case theirTurn
  /// To look at a turn that was played before.
  case lookBack
  /// To come back to the match as it stands.
  case backToNow
  /// To play a word over corners.
  case corners
  /// To see that some letters are no word.
  case notAWord
  /// To take the last letter back.
  case takeBack
  /// To take everything back.
  case clear
  /// To see that a word is played once.
  case playedBefore
  /// To take that back.
  case sawPlayedBefore
  /// To type a word that can go two ways.
  case twoWays
  /// To see the other way.
  case nextWay
  case playWay
  /// To type a word that takes a cube away.
  case vanishing
  case playVanishing
  /// To move the cursor.
  case cursor
  /// To mark a cube for removal.
  case mark
  case markSecond
  /// To remove both.
  case playRemoval
  /// To know how it ends.
  case farewell

  public static var count: Int { allCases.count }

  /// The next step; nil after the last.
  var next: FirstStep? { FirstStep(rawValue: rawValue + 1) }
}

extension FirstStep {
  /// The event that a step waits for.
  enum Goal: Hashable {
    /// That the player has read it, and presses the key that plays.
    case read
    /// That these letters are chosen.
    case letters(String)
    /// That fewer letters are chosen than these.
    case fewer(than: String)
    /// That nothing is chosen.
    case nothing
    /// That another than the first way is shown.
    case otherWay(of: String)
    /// That the player has played so many turns, the last one this word.
    case turn(Int, of: String)
    /// That the player has played so many turns, the last one a removal.
    case removal(Int)
    /// That the player looks back, or does not any more.
    case lookingBack(Bool)
    case cursor
    /// That so many cubes are marked.
    case marks(Int)
  }

  var goal: Goal {
    switch self {
    case .welcome, .theirTurn, .farewell: .read
    case .firstLetter: .letters("G")
    case .nextLetter: .letters("GA")
    case .wholeWord: .letters("GAME")
    case .playWord: .turn(1, of: "GAME")
    case .lookBack: .lookingBack(true)
    case .backToNow: .lookingBack(false)
    case .corners: .turn(2, of: "CUBES")
    case .notAWord: .letters("BAC")
    case .takeBack: .fewer(than: "BAC")
    case .clear, .sawPlayedBefore: .nothing
    case .playedBefore: .letters("GAME")
    case .twoWays: .letters("TIN")
    case .nextWay: .otherWay(of: "TIN")
    case .playWay: .turn(3, of: "TIN")
    case .vanishing: .letters("GAMES")
    case .playVanishing: .turn(4, of: "GAMES")
    case .cursor: .cursor
    case .mark: .marks(1)
    case .markSecond: .marks(2)
    case .playRemoval: .removal(5)
    }
  }

  /// Whether the player only has to read it.
  public var isRead: Bool { goal == .read }

  /// The word that is typed in this step; nil where the step is not about letters.
  public var word: String? {
    switch self {
    case .firstLetter, .nextLetter, .wholeWord: "GAME"
    default:
      switch goal {
      case .letters(let word), .otherWay(let word), .turn(_, let word), .fewer(let word): word
      case .read, .nothing, .removal, .lookingBack, .cursor, .marks: nil
      }
    }
  }

  /// Whether cubes may be marked in it.
  var isAboutRemoval: Bool {
    switch goal {
    case .cursor, .marks, .removal: true
    default: false
    }
  }

  /// Whether it begins with nothing chosen.
  var beginsEmpty: Bool {
    switch self {
    case .notAWord, .vanishing, .cursor: true
    default: false
    }
  }
}

/// How far the first steps have come.
public enum FirstStepsProgress: Hashable, Sendable {
  /// Nobody has seen them.
  case unseen
  /// They wait at a step.
  case at(FirstStep)
  case done

  /// As text that is kept.
  public var text: String {
    switch self {
    case .unseen: "unseen"
    case .at(let step): "\(step.rawValue)"
    case .done: "done"
    }
  }

  /// The progress that was kept; anything else has them begin anew.
  public init(_ text: String) {
    switch text {
    case "unseen": self = .unseen
    case "done": self = .done
    default: self = .at(Int(text).flatMap { FirstStep(rawValue: $0) } ?? .welcome)
    }
  }

  /// Where they go on.
  public var step: FirstStep {
    guard case .at(let step) = self else { return .welcome }
    return step
  }
}
