public import CubeLexicon
public import CubeRules
import MatchCore
public import MatchInterfaces

/// Chooses turns. A pure function of the game and the randomness passed in.
public struct BotBrain: Sendable {
  /// 0 plays any word, 1 always the best; in between one of the better ones.
  public var strength: Double
  private let randomness: Randomness

  /// A brain of a strength, which is brought into 0...1.
  public init(strength: Double, randomness: Randomness) {
    self.strength = strength.isNaN ? 0 : min(max(strength, 0), 1)
    self.randomness = randomness
  }

  /// A legal turn: a word where there is one, else removals of cubes that can be seen.
  ///
  /// - Parameter lexicon: The match's word list; nil where this build does not have it: then it
  ///   only removes.
  /// - Returns: The moves; none only where the game is over.
  public func turn(in game: CubeGame, seatCount: Int, lexicon: Lexicon?) -> [Move] {
    guard !game.isOver else { return [] }
    let words = lexicon?.words(on: game) ?? []
    if !words.isEmpty {
      // The best words come first.
      let choices = max(1, Int((Double(words.count) * (1 - strength)).rounded()))
      return [.word(words[number(below: choices)].faces)]
    }
    return removals(in: game, count: seatCount > 1 ? 2 : 1)
  }

  private func removals(in game: CubeGame, count: Int) -> [Move] {
    var game = game
    var moves: [Move] = []
    while moves.count < count, !game.isOver {
      let visible = CubeSet(game.playable.map(\.cube)).map { $0 }
      guard !visible.isEmpty else { break }
      let move = Move.removal(visible[number(below: visible.count)])
      do throws(RuleRefusal) {
        try game.apply(move, words: Lexicon.everyWord)
      } catch {
        preconditionFailure("a cube in play with a playable face can be removed: \(error)")
      }
      moves.append(move)
    }
    return moves
  }

  private func number(below count: Int) -> Int {
    Int(randomness.next().multipliedFullWidth(by: UInt64(count)).high)
  }
}
