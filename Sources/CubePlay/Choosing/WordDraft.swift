internal import CubeLexicon
public import CubeRules

/// One step of choosing a word.
public enum Pick: Hashable, Sendable {
  /// A letter, on whichever face the path then takes; `q` is the whole face `QU`.
  case letter(Letter)
  /// The face `QU` by its Q alone. A U typed next is the one of that face.
  case qWithoutU
  /// Exactly this face.
  case face(Face)
}

/// The verdict on some letters as a word.
public enum Verdict: Hashable, Sendable {
  /// It can be played.
  case valid
  /// It can be sent: the match's word list is not here, and only the service can judge it.
  case unknown
  /// It has fewer than three characters.
  case tooShort
  /// The match's word list does not have it.
  case notAWord
  /// Somebody has played it in this match.
  case playedBefore

  /// Whether the word may be sent.
  public var mayBeSent: Bool { self == .valid || self == .unknown }

  init(_ spelling: Spelling, on game: CubeGame, words: Lexicon?) {
    if spelling.count < 3 {
      self = .tooShort
    } else if let words, !words.contains(spelling) {
      self = .notAWord
    } else if game.hasPlayed(spelling) {
      self = .playedBefore
    } else {
      self = words == nil ? .unknown : .valid
    }
  }
}

/// A word that is being chosen: at least one letter that has a path over the cube.
///
/// It keeps the picks rather than a path, so that a letter typed later may still move the path to
/// other faces.
public struct WordDraft: Hashable, Sendable {
  /// The typed letters and tapped faces, in order; never empty.
  public internal(set) var picks: [Pick]
  /// The different ways that the picks can take, never none.
  public internal(set) var ways: [Way]
  /// The place of the way that is shown.
  public internal(set) var shownIndex: Int
  /// The letters in capitals, `QU` as two.
  public internal(set) var word: String
  /// The score of the letters as a word.
  public internal(set) var score: Int
  /// The verdict on the letters as a word.
  public internal(set) var verdict: Verdict

  /// The way that is shown, and played.
  public var shown: Way { ways[shownIndex] }

  /// The last face of the path that is shown.
  var lastFace: Face? { shown.faces.last }
}

extension WordDraft {
  /// Finds the ways of some picks; nil where there is no pick, or no path for them.
  ///
  /// The first way is shown. A way that begins as the path before, or ends earlier on it, comes
  /// before all others, so that the lit faces stay where they are if they can.
  init?(_ picks: [Pick], keeping before: [Face] = [], on game: CubeGame, words: Lexicon?) {
    let stages = picks.map { pick in
      switch pick {
      case .letter(let letter): game.playableFaces(showing: letter)
      case .qWithoutU: game.playableFaces(showing: .q)
      case .face(let face): FaceSet([face])
      }
    }
    var found = DistinctWays(game.paths(through: stages, limit: Way.pathLimit), in: game)
    let kept = Self.path(through: stages, keeping: before, on: game)
    let shownIndex = kept.map { found.prefer($0) } ?? 0
    guard let any = found.ways.first else { return nil }
    let spelling = game.spelling(of: any.faces)
    self.init(
      picks: picks, ways: found.ways, shownIndex: shownIndex, word: spelling.description,
      score: game.score(of: any.faces),
      verdict: Verdict(spelling, on: game, words: words))
  }

  /// The first path that has the same faces as another one as far as both go.
  private static func path(
    through stages: [FaceSet], keeping before: [Face], on game: CubeGame
  ) -> [Face]? {
    guard !before.isEmpty else { return nil }
    var stages = stages
    for (index, face) in zip(stages.indices, before) {
      stages[index].formIntersection([face])
    }
    return game.paths(through: stages, limit: 1).first
  }
}
