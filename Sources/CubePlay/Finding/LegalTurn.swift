public import CubeLexicon
public import CubeRules

/// A turn that the rules allow, with its effects.
public struct LegalTurn: Hashable, Sendable {
  /// The moves, in order.
  public internal(set) var moves: [Move]
  /// The word in capitals, `QU` as two; empty where cubes are removed only.
  public internal(set) var word: String
  /// The faces that spell the word, in order.
  public internal(set) var faces: [Face]
  /// The score of the whole turn.
  public internal(set) var score: Int
  /// The cubes that vanish by the word, without those removed by hand.
  public internal(set) var vanishing: CubeSet

  /// A turn judged by the rules.
  ///
  /// Of several words, which only a turn in a game of one seat can have, the last is told.
  ///
  /// - Parameter words: The match's word list; nil leaves words to the service.
  /// - Throws: `TurnRefusal` with the move and the rule that refuses it.
  public init(
    _ moves: [Move], on game: CubeGame, seatCount: Int, words: Lexicon?
  ) throws(TurnRefusal) {
    var after = game
    let scores = try after.applyTurn(moves, seatCount: seatCount, words: words ?? .everyWord)
    self.moves = moves
    word = ""
    faces = []
    score = scores.reduce(0, +)
    vanishing = game.inPlay.subtracting(after.inPlay)
    for move in moves {
      switch move {
      case .word(let faces):
        self.faces = faces
        word = game.spelling(of: faces).description
      case .removal(let cube): vanishing.remove(cube)
      }
    }
  }

  /// A turn put together from parts that are known to be legal.
  init(removing removals: [Cube], thenBy way: Way?, word: String, score: Int) {
    moves = removals.map { .removal($0) }
    if let way { moves.append(.word(way.faces)) }
    self.word = word
    faces = way?.faces ?? []
    self.score = score
    vanishing = way?.vanishing ?? CubeSet()
  }
}
