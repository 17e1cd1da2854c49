import CubePlay

enum FirstStepsWording {
  /// The task of a step.
  static func text(_ step: FirstStep) -> String {
    switch step {
    case .welcome:
      "Welcome. This is a cube of 27 small cubes, with letters on their faces. You spell words on it. "
        + "Press Enter to begin."
    case .firstLetter: "The first word is GAME. Type G: its face lights up, in brackets."
    case .nextLetter: "The next letter has to touch the one before. Type A."
    case .wholeWord: "Go on and finish GAME. Typed letters find their path by themselves."
    case .playWord:
      "The tick says that it is a word. Beside it is what it scores: long words score much more. "
        + "Enter plays it."
    case .theirTurn:
      "Then the other one plays. Robot played WORD: it stands in { } now. Points are at the "
        + "top. Press Enter."
    case .lookBack: "What was that? Press page up to see turns before, on the cube as it was."
    case .backToNow: "Page up and page down go through all turns. Esc goes back to now. Press Esc."
    case .corners: "Corners count as touching, too. Type CUBES, then press Enter."
    case .notAWord: "Not everything is a word. Type BAC."
    case .takeBack: "A cross: that cannot be played. Backspace takes the last letter back."
    case .clear: "Esc takes everything back. Press it."
    case .playedBefore: "No word is played twice in a match. Try it: type GAME again."
    case .sawPlayedBefore: "Already played: that cannot be played again. Esc takes it back."
    case .twoWays: "Some words can be spelled in several ways. Type TIN."
    case .nextWay: "There are two ways: which T shall it be? Tab shows the other way."
    case .playWay: "It can matter which faces you use, as you will see. Press Enter."
    case .vanishing:
      "A dot is one use, a colon two. The third use of a face takes its cube away. Type GAMES and "
        + "look for the !."
    case .playVanishing:
      "The cube with the ! will vanish. What lies behind it comes to light. Press Enter."
    case .cursor: "You may also remove cubes, for no points. Arrows move a cursor. Press one."
    case .mark: "The cursor is > <. Go where you like, then mark that cube by the space bar."
    case .markSecond:
      "You see what is behind it. Nothing counts yet. A turn is a word, a cube and a word, or two "
        + "cubes. Mark another one."
    case .playRemoval: "Two cubes are a whole turn. Press Enter."
    case .farewell:
      "When no cube is left, most points win. You can also click faces. ? shows rules and keys. "
        + "Enter ends the first steps. Have fun!"
    }
  }

  /// The reply to an action that does not belong to the step.
  static func text(_ advice: FirstSteps.Advice) -> String {
    switch advice {
    case .otherLetter(let letter): "Here the next letter is \(letter)."
    case .wordIsWhole(let word): "\(word) is whole. Do what is said beside the cube."
    case .noLetters: "No letters yet. Do what is said beside the cube."
    case .notYet: "Nothing is played yet. Do what is said beside the cube."
    case .unfinished(let word): "Type all of \(word) first, then press Enter."
    case .removalIsLater: "Cubes are removed in a later step."
    case .wantsRemoval: "This step is about removing cubes. Letters come again afterwards."
    case .needsTwo: "Mark two cubes first: arrows and the space bar."
    case .otherCube: "That one cannot be removed now. Go to another one."
    case .typeInstead: "Type the letters this time: a click would choose the way already."
    }
  }
}
