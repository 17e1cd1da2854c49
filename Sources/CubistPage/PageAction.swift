package import CubePlay
package import CubeRules

/// An action of the page, as the page writes it: a word and perhaps a value, `face 26`.
package enum PageAction: Hashable, Sendable {
  /// A letter was typed: `letter G`.
  case letter(Letter)
  /// The field for the word has this text now, here its letters: `type GAME`.
  case type([Letter])
  /// A face was tapped, by its number: `face 26`.
  case face(Face)
  /// A finger came to a face while choosing: `drag 26`.
  case drag(Face)
  /// A cube was marked for removal, or its mark taken away, by its index: `mark 13`.
  case mark(Cube)
  /// Another of the ways to spell the word, 1 for the first: `way 2`.
  case way(Int)
  /// `back`: the last letter was taken back.
  case back
  /// `clear`: everything was taken back.
  case clear
  /// `submit`: the turn was played, or the step read.
  case submit
  /// Turns further back, or forwards where it is negative: `look 1`.
  case look(Int)
  /// The turn to be looked at, 1 for the first; 0 for the match as it stands: `turn 3`.
  case turn(Int)
  /// `replay`: the turns one after the other, or no longer.
  case replay
  /// `values`: the values of the letters, or no longer.
  case values
  /// `rematch`
  case rematch
  /// A row of the list, 0 for the first: `row 2`.
  case row(Int)
  /// `yes`: the player confirms the wish in the list.
  case yes
  /// `no`: the player does not.
  case no
  /// `leave`: to the list.
  case leave
  /// `steps`: the first steps.
  case steps
  /// `help`: rules and keys.
  case help
  /// `close`: rules and keys were put away.
  case close
  /// A moment of a shown turn passed: `tick 1`, with the name of the match.
  case tick(MatchKey)
}

extension PageAction {
  /// Reads an action; nil where the text is none.
  package init?(_ text: some Collection<UInt8>) {
    let (word, value) = Self.parts(text)
    self.init(word, value)
  }

  /// The word of an action, and its value if there is a space before it.
  package static func parts(_ text: some Collection<UInt8>) -> (word: String, value: String?) {
    guard let space = text.firstIndex(of: UInt8(ascii: " ")) else {
      return (String(decoding: text, as: UTF8.self), nil)
    }
    return (
      String(decoding: text[..<space], as: UTF8.self),
      String(decoding: text[text.index(after: space)...], as: UTF8.self)
    )
  }

  package init?(_ word: String, _ value: String?) {
    guard let value else {
      guard let plain = Self.plain(word) else { return nil }
      self = plain
      return
    }
    guard let action = Self.action(word, value) ?? Self.action(word, Int(value)) else { return nil }
    self = action
  }

  private static func plain(_ word: String) -> PageAction? {
    switch word {
    case "back": .back
    case "clear": .clear
    case "submit": .submit
    case "replay": .replay
    case "values": .values
    case "rematch": .rematch
    case "yes": .yes
    case "no": .no
    case "leave": .leave
    case "steps": .steps
    case "help": .help
    case "close": .close
    default: nil
    }
  }

  private static func action(_ word: String, _ value: String) -> PageAction? {
    switch word {
    case "letter":
      value.utf8.count == 1 ? letters(value).first.map { .letter($0) } : nil
    case "type": .type(letters(value))
    case "tick": .tick(MatchKey(value))
    default: nil
    }
  }

  /// The letters of a text, without anything else in it.
  private static func letters(_ text: String) -> [Letter] {
    text.utf8.compactMap { Letter(rawValue: ($0 | 0x20) &- UInt8(ascii: "a")) }
  }

  private static func action(_ word: String, _ number: Int?) -> PageAction? {
    guard let number else { return nil }
    return switch word {
    case "face": Face(number: number).map { .face($0) }
    case "drag": Face(number: number).map { .drag($0) }
    case "mark": Cube(index: number).map { .mark($0) }
    case "way": .way(number)
    case "look": .look(max(-999, min(number, 999)))
    case "turn": .turn(number)
    case "row": .row(number)
    default: nil
    }
  }
}
