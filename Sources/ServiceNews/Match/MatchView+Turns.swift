import CubeLexicon
package import CubePlay
import CubeRules
package import MatchCore
package import MatchWire

extension MatchView {
  /// Each turn on its cube.
  package func replays() throws(MatchViewFault) -> [TurnReplay] {
    guard let rules = Rulebook.standard.named(rules) else { throw .rules(rules) }
    guard let puzzle = Puzzle(letters) else { throw .letters }
    var game = CubeGame(puzzle: puzzle, rules: rules)
    var replays: [TurnReplay] = []
    for turn in turns {
      let moves = turn.moves.compactMap { try? Move(notation: $0) }
      guard moves.count == turn.moves.count,
        let legal = try? LegalTurn(moves, on: game, seatCount: seats.count, words: .everyWord)
      else { throw .turn(turn.number) }
      replays.append(TurnReplay(legal, on: game))
      guard (try? game.applyTurn(moves, seatCount: seats.count, words: Lexicon.everyWord)) != nil
      else { throw .turn(turn.number) }
    }
    return replays
  }

  /// The seconds until the deadline, counting the one that has begun; below 0 after it.
  package func secondsLeft(_ now: Instant) -> Int? {
    deadline.map { deadline in
      let left = deadline.microseconds(since: now)
      return Int(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
    }
  }

  /// The seconds of the next turn, as far as they are known without a question.
  package func secondsAfterTurn(_ now: Instant) -> Int? {
    mode == .timed ? secondsLeft(now) : turnLimit.map { Int(clamping: $0) }
  }

  /// Whether the result changes ratings, as far as is known.
  var isRated: Bool {
    guard seats.count > 1, casual != true else { return false }
    guard let outcome else { return true }
    return outcome.isPlayed && !outcome.wasLeftUnplayed(points: seats.map { $0.points })
  }
}

extension Outcome {
  /// Whether the match counts.
  fileprivate var isPlayed: Bool { results.contains { $0 != .none } }
}
