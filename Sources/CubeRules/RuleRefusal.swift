/// Why a move is not legal.
///
/// A refusal travels as its ``name`` and its ``arguments`` and is made from them again.
public enum RuleRefusal: Error, Hashable, Sendable {
  /// A word names no face.
  case emptyWord
  /// A word names a face twice.
  case faceRepeated(Face)
  /// A word spells fewer than three characters; the value is how many.
  case tooShort(Int)
  /// A face of a word is not playable.
  case faceHidden(Face)
  /// A face, the second value, does not touch the face before it, the first.
  case notTouching(Face, Face)
  /// The word list does not have the spelled word.
  case notAWord(String)
  /// Somebody has spelled the word before in this game.
  case wordAlreadyPlayed(String)
  /// A cube to be removed is no longer in play.
  case cubeGone(Cube)
  /// A cube to be removed has no playable face.
  case cubeHidden(Cube)
  /// The moves do not make a turn.
  case turnShape(TurnShape)
  /// No cube is in play.
  case gameOver
}

/// Why moves do not make a turn, where each of them for itself may be legal.
public enum TurnShape: String, Hashable, Sendable, CaseIterable {
  /// A turn has at least one move.
  case empty
  /// A word ends a turn.
  case wordThenMore
  /// A turn has at most two removals.
  case threeRemovals
  /// Two removals end a turn.
  case removalsThenWord
  /// A single removal is a turn only where it leaves no cube in play.
  case singleRemoval
  /// A turn ends with the last cube.
  case afterLastCube
}

/// Why a turn is not legal, and which of its moves is to blame.
public struct TurnRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place of the move in the turn, from 0.
  public var moveIndex: Int

  /// Why the move is not legal there.
  public var reason: RuleRefusal

  public init(moveIndex: Int, reason: RuleRefusal) {
    self.moveIndex = moveIndex
    self.reason = reason
  }

  /// A sentence for a person that says which move, counted from 1, and why.
  public var description: String { "Move \(moveIndex + 1): \(reason)" }
}

extension RuleRefusal {
  /// The stable name of the reason, such as `tooShort`.
  public var name: String {
    switch self {
    case .emptyWord: "emptyWord"
    case .faceRepeated: "faceRepeated"
    case .tooShort: "tooShort"
    case .faceHidden: "faceHidden"
    case .notTouching: "notTouching"
    case .notAWord: "notAWord"
    case .wordAlreadyPlayed: "wordAlreadyPlayed"
    case .cubeGone: "cubeGone"
    case .cubeHidden: "cubeHidden"
    case .turnShape: "turnShape"
    case .gameOver: "gameOver"
    }
  }

  /// The values of the reason in order, each as text: a face or cube in notation, a word, a count.
  public var arguments: [String] {
    switch self {
    case .emptyWord, .gameOver: []
    case .faceRepeated(let face), .faceHidden(let face): [face.description]
    case .tooShort(let count): [String(count)]
    case .notTouching(let first, let second): [first.description, second.description]
    case .notAWord(let word), .wordAlreadyPlayed(let word): [word]
    case .cubeGone(let cube), .cubeHidden(let cube): [cube.description]
    case .turnShape(let shape): [shape.rawValue]
    }
  }

  /// The reason with a name and arguments, or nil where they are not those of any reason.
  public init?(name: String, arguments: [String]) {
    switch (name, arguments.count) {
    case ("emptyWord", 0): self = .emptyWord
    case ("gameOver", 0): self = .gameOver
    case ("notTouching", 2):
      guard
        let first = Face(notation: arguments[0]),
        let second = Face(notation: arguments[1])
      else { return nil }
      self = .notTouching(first, second)
    case (_, 1):
      self.init(name: name, argument: arguments[0])
    default: return nil
    }
  }

  private init?(name: String, argument: String) {
    switch name {
    case "faceRepeated", "faceHidden":
      guard let face = Face(notation: argument) else { return nil }
      self = name == "faceRepeated" ? .faceRepeated(face) : .faceHidden(face)
    case "tooShort":
      guard let count = ["0", "1", "2"].firstIndex(of: argument) else { return nil }
      self = .tooShort(count)
    case "notAWord", "wordAlreadyPlayed":
      guard let spelling = Spelling(argument), spelling.count >= 3 else { return nil }
      self = name == "notAWord" ? .notAWord(argument) : .wordAlreadyPlayed(argument)
    case "cubeGone", "cubeHidden":
      guard let cube = Cube(notation: argument) else { return nil }
      self = name == "cubeGone" ? .cubeGone(cube) : .cubeHidden(cube)
    case "turnShape":
      guard let shape = TurnShape(rawValue: argument) else { return nil }
      self = .turnShape(shape)
    default: return nil
    }
  }
}

extension RuleRefusal: CustomStringConvertible {
  /// A sentence for a person: the reason, the value, and the remedy.
  public var description: String {
    switch self {
    case .emptyWord:
      "The word names no face; name the faces that spell it."
    case .faceRepeated(let face):
      "The word uses the face \(face) twice; use each face once."
    case .tooShort(let count):
      "The word has \(count) of at least 3 characters; spell a longer one."
    case .faceHidden(let face):
      "The face \(face) cannot be played now, it is covered or gone; choose faces in sight."
    case .notTouching(let first, let second):
      "The face \(second) does not touch \(first) before it; go on from face to touching face."
    case .notAWord(let word):
      "\(word) is not in this match's word list; try another word."
    case .wordAlreadyPlayed(let word):
      "\(word) has been played in this game already; try another word."
    case .cubeGone(let cube):
      "The cube \(cube) is no longer in play; remove one that is."
    case .cubeHidden(let cube):
      "The cube \(cube) shows no face that could be played; remove one in sight."
    case .turnShape(let shape):
      shape.description
    case .gameOver:
      "The game is over, no cube is in play; ask for a rematch or start another match."
    }
  }
}

extension TurnShape: CustomStringConvertible {
  /// A sentence for a person with the right shape of a turn.
  public var description: String {
    switch self {
    case .empty:
      "The turn has no move; play a word, a removal and a word, or two removals."
    case .wordThenMore:
      "A word ends the turn; leave out what follows it."
    case .threeRemovals:
      "A turn has at most two removals; leave out the rest."
    case .removalsThenWord:
      "Two removals end the turn; remove one cube before a word, or none."
    case .singleRemoval:
      "A removal alone is no turn while cubes are left; add a word or a second removal."
    case .afterLastCube:
      "The last cube is gone and the turn ends with it; leave out what follows."
    }
  }
}
