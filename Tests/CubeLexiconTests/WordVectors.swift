import CubeLexicon
import CubeRules
import CubistBasics

// deploy/wasm compiles this file too: lists have the same words and versions in a browser's engine.

/// Words with the versions, places and numbers that every build comes to.
enum WordVectors {
  struct Version {
    var words: [String]
    var hash: String

    var found: String { Lexicon.only(words).version.rawValue }
  }

  /// The versions that matches of every release pin, in any format.
  static let versions = [
    Version(words: [], hash: "4d25767f9dce13f5"),
    Version(words: ["a"], hash: "9d19bf4bd820c6f2"),
    Version(words: ["a", "ab"], hash: "ee10261856f298f0"),
    Version(words: ["cat", "cats", "cot", "cots"], hash: "9d8566b277591a40"),
    Version(words: ["b", "ab", "bb", "abb"], hash: "abd8dfb4eeba3ffa"),
  ]

  /// A puzzle with the face QU: 122L, 222L, 222R and 221R touch one after the other.
  static let letters = ["122L": "Q", "222L": "I", "222R": "Z", "221R": "U"]
  static let words = ["qui", "quiz", "qi", "qiz", "quu", "quuzi", "zip", "ziqu"]
  /// The words that are found there.
  static let found = [
    "QUIZ 122L 222L 222R = 100", "ZIQU 222R 222L 122L = 100", "QUI 122L 222L = 42",
  ]

  static func find() -> [String] {
    guard let puzzle = Puzzle(Face.all.map { letters[$0.description] ?? "X" }.joined()) else {
      return []
    }
    return Lexicon.only(words).words(on: CubeGame(puzzle: puzzle)).map {
      "\($0.word) \(Move.word($0.faces)) = \($0.score)"
    }
  }

  /// The number of `english`.
  static let englishGolden: UInt64 = 433_749_403_347_341_165

  /// The words of the English list in their order as one number. One that is not found counts too.
  static func english() -> UInt64 {
    var hash = FNV1a()
    Lexicon.english.forEachWord { word in
      for byte in word.utf8 { hash.add(byte) }
      hash.add(Lexicon.english.contains(word) && Lexicon.english.isPrefix(word) ? 10 : 0)
    }
    return hash.value
  }

  /// The first version, or the words found, that come out otherwise; nil: nothing does.
  static func firstWrong() -> String? {
    for vector in versions where vector.found != "only-\(vector.hash)" {
      return "the version of \(vector.words.joined(separator: ", "))"
    }
    let found = find()
    return found == Self.found ? nil : "found are \(found.joined(separator: ", "))"
  }
}
