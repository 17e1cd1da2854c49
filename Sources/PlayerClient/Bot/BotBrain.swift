public import CubeLexicon
public import CubePlay
public import CubeRules
public import MatchInterfaces

/// Chooses turns. A pure function of the game and the randomness passed in.
public struct BotBrain: Sendable {
  /// How strong it plays.
  public var strength: BotStrength
  private let randomness: Randomness

  public init(strength: BotStrength = .hard, randomness: Randomness) {
    self.strength = strength
    self.randomness = randomness
  }

  /// A legal turn: a word where there is one, else removals of cubes that can be seen.
  ///
  /// - Parameter lexicon: The match's word list; nil where this build does not have it: then it
  ///   only removes.
  /// - Returns: The moves; none only where the game is over.
  public func turn(in game: CubeGame, seatCount: Int, lexicon: Lexicon?) -> [Move] {
    strength.turn(on: game, seatCount: seatCount, words: lexicon, random: randomness.next)
  }
}
