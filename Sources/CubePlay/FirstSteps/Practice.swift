internal import CubeLexicon
internal import CubeRules

/// The match of the first steps: its cube and the turns that belong to it.
enum Practice {
  /// Dealt so that each word of the steps can be spelled in one place only.
  static let puzzle: Puzzle = {
    let letters = """
      URRRXICWDEUROPITNENAKTGEPKNHVNCSNVOMYAVELFSIMINHUEECGTEHHJHFTRDFETQHDIOLTDYSWEBAM
      """
    guard let puzzle = Puzzle(letters) else { preconditionFailure("81 letters are a puzzle") }
    return puzzle
  }()

  static let opponent = "Robot"

  /// The other one's word after each of the player's words.
  static let answers = ["WORD", "OLD", "ROW", "INK"]

  /// The only word of the steps that can go two ways.
  static let wordOfTwoWays = "TIN"

  /// The player's words. The program plays them when it takes the steps up again.
  static let words = ["GAME", "CUBES", "TIN", "GAMES"]

  /// The match as it stands after so many turns of the player's.
  static func match(after count: Int) -> LocalMatch {
    var match = LocalMatch(on: puzzle, against: .robot(.easy, first: .me))
    for word in words.prefix(count) {
      play(word, in: &match)
      answer(&match)
    }
    if count > words.count { play(removalOfTwo(match.game), in: &match) }
    return match
  }

  /// Has the other one play, where there is a turn left.
  static func answer(_ match: inout LocalMatch) {
    let number = match.turnCount / 2
    guard match.player == .them, answers.indices.contains(number) else { return }
    play(answers[number], in: &match)
  }

  private static func play(_ word: String, in match: inout LocalMatch) {
    let finder = WordFinder(game: match.game, seatCount: 2, lexicon: .english)
    do throws(WordFinderError) {
      if let turn = try finder.choices(for: word).first { play(turn.moves, in: &match) }
    } catch {
      preconditionFailure("the cube was dealt for the words")
    }
  }

  static func play(_ moves: [Move], in match: inout LocalMatch) {
    do throws(TurnRefusal) {
      try match.play(moves, words: .english)
    } catch {
      preconditionFailure("only legal turns are played")
    }
  }

  private static func removalOfTwo(_ game: CubeGame) -> [Move] {
    guard let first = game.playable.map({ $0.cube }).first,
      let second = game.without([first]).playable.map({ $0.cube }).first
    else { return [] }
    return [.removal(first), .removal(second)]
  }
}
