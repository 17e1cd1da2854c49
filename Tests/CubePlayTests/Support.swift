import CubeLexicon
import CubeRules

@testable import CubePlay

extension Face {
  /// A face that the test knows to exist.
  init(_ notation: String) { self = known(Self(notation: notation), notation) }
}

extension Cube {
  /// A cube that the test knows to exist.
  init(_ notation: String) { self = known(Self(notation: notation), notation) }
}

/// The faces of a notation such as `212L 202R`.
func faces(_ notation: String) -> [Face] {
  notation.split(separator: " ").map { Face(String($0)) }
}

/// The cubes of a notation such as `212 202`.
func cubes(_ notation: String) -> CubeSet {
  CubeSet(notation.split(separator: " ").map { Cube(String($0)) })
}

/// The moves of some notations.
func moves(_ notations: String...) -> [Move] {
  notations.map { known(try? Move(notation: $0), $0) }
}

/// The letters of a word as they are typed, one key each.
func keys(_ word: String) -> [Letter] { word.map { known(Letter($0), word) } }

extension Puzzle {
  /// `Z` everywhere but on some faces.
  static func showing(_ letters: [String: Character]) -> Puzzle {
    var all = [Character](repeating: "Z", count: 81)
    for (face, letter) in letters { all[Face(face).number] = letter }
    return known(Puzzle(String(all)), "the letters of a puzzle")
  }

  /// A puzzle on which GAME can be spelled in two ways, CUBES in one, and QUIZ.
  static let walk = showing([
    "122L": "G", "222L": "A", "222R": "M", "221R": "E", "122T": "C", "121T": "U", "222T": "B",
    "221T": "S", "112L": "R", "212L": "E", "212R": "O", "211R": "V", "002L": "W", "102L": "O",
    "202L": "R", "202R": "D", "021T": "Q", "020T": "U", "010L": "I", "022T": "I",
  ])

  /// Letters with many words and a `QU`.
  static let test = known(
    Puzzle(
      String(
        """
        STARLINGSTONEQUITEREADERSMATCHLIGHTBORNESALTINGPLANEDCRUSTYFOAMERVINEDWHISKEDJUZAX
        """.prefix(81))), "the test's puzzle")
}

extension Lexicon {
  /// The words of the walk.
  static let walk = Lexicon.only(["game", "cubes", "cube", "gamer", "ambo", "quiz", "bus", "subs"])
}

extension WordDraft {
  /// A word that is being chosen, as a test states it.
  init(
    _ word: String, _ ways: [String], shown: Int = 0, score: Int,
    _ verdict: Verdict = .valid, picks: [Pick]? = nil, vanishing: String = ""
  ) {
    self.init(
      picks: picks ?? keys(word).map { .letter($0) },
      ways: ways.map { Way(faces: faces($0), vanishing: cubes(vanishing)) },
      shownIndex: shown, word: word, score: score, verdict: verdict)
  }
}
