internal import CubeLexicon
internal import CubeRules

/// The first steps: a match that is played by steps. Each step waits for the player's own move.
///
/// A layer over a normal match. It lets through the actions of the step, says something helpful
/// about the others, and plays the other side.
public struct FirstSteps: Hashable, Sendable {
  /// The player's task.
  public internal(set) var step: FirstStep
  public internal(set) var shown: ShownMatch
  /// The reply to the last action, which was not the one of the step.
  public internal(set) var advice: Advice?
  var match: LocalMatch

  /// The first steps from one of them on.
  public init(at step: FirstStep = .welcome) {
    self.step = step
    advice = nil
    match = Practice.match(after: step.turnsBefore)
    shown = ShownMatch(match.practiceNews)
    prepare()
  }

  /// The reply to an action that does not belong to the step.
  public enum Advice: Hashable, Sendable {
    /// The word goes on with another letter than this.
    case otherLetter(wanted: String)
    /// The word is whole. The step tells the next action.
    case wordIsWhole(String)
    /// The step is not about letters.
    case noLetters
    /// Nothing is played yet.
    case notYet
    /// The rest of the word comes first.
    case unfinished(String)
    /// Cubes are removed later.
    case removalIsLater
    /// This step is about removing cubes.
    case wantsRemoval
    /// Two cubes have to be marked before that.
    case needsTwo
    /// That cube cannot be removed, or another one needs it.
    case otherCube
    /// The letters have to be typed, so that both ways are open.
    case typeInstead
  }
}

/// An effect of the first steps.
public enum FirstStepsEffect: Hashable, Sendable {
  /// Remember how far they have come.
  case keep(FirstStepsProgress)
  /// They are over.
  case leave
}

extension FirstStep {
  /// How many turns of the player's own were played before it.
  var turnsBefore: Int {
    FirstStep.allCases.prefix { $0.rawValue < rawValue }.reduce(0) { count, step in
      switch step.goal {
      case .turn, .removal: count + 1
      default: count
      }
    }
  }
}

extension LocalMatch {
  /// The robot of the steps plays by their list, so it has no strength in its name.
  var practiceNews: MatchNews {
    var news = news(words: .english, .impossible)
    news.opponent = Practice.opponent
    return news
  }
}

extension FirstSteps {
  /// Sets up the state that earlier steps left. A player who starts at this step needs it too.
  private mutating func prepare() {
    let play = Self.play
    func act(_ action: MatchAction) { _ = play.reduce(&shown, action) }
    func type(_ word: String) {
      for letter in word {
        if let letter = Letter(letter) { act(.play(.draft(.letterTyped(letter)))) }
      }
    }
    switch step {
    case .nextLetter: type("G")
    case .wholeWord: type("GA")
    case .playWord: type("GAME")
    case .backToNow: act(.lookedBack(1))
    case .takeBack: type("BAC")
    case .clear: type("BA")
    case .sawPlayedBefore: type("GAME")
    case .nextWay: type("TIN")
    case .playWay:
      type("TIN")
      act(.play(.draft(.nextWay)))
    case .playVanishing: type("GAMES")
    case .mark: act(.cursorMoved(.up))
    case .markSecond, .playRemoval:
      act(.cursorMoved(.up))
      act(.cursorMarked)
      guard step == .playRemoval else { break }
      act(.cursorMoved(.down))
      act(.cursorMarked)
    case .welcome, .firstLetter, .theirTurn, .lookBack, .corners, .notAWord, .playedBefore,
      .twoWays, .vanishing, .cursor, .farewell:
      break
    }
  }

  static let play = ShownMatch.reducer(words: .english)
}
