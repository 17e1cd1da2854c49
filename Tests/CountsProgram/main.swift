import CubeLexicon
import CubeRules
import Glibc
import MatchInterfaces
import MatchLoad

// The work that a test counts, by a preloaded library or under callgrind:
//
//   cubist-counts turns MATCHES TURNS   the worker plays so many turns of so many matches, without
//                                       verifying signatures
//   cubist-counts words                 the rules judge every word of a full cube
//
// Prints the number of turns or words and, where the library `counting` is preloaded, the
// allocations of one.

func show(_ count: Int, _ allocations: Double?) {
  print("count \(count)")
  if let allocations { print("allocations \(allocations)") }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst().compactMap { Int($0) }
if arguments.first == "turns", numbers.count == 2, numbers.allSatisfy({ 1...10_000 ~= $0 }) {
  let figures = try WorkerAlone(matches: numbers[0], verifier: .noop).play(turns: numbers[1])
  show(figures.turns, figures.allocations)
} else if arguments == ["words"] {
  let game = CubeGame(puzzle: .candidate(0, seed: 1))
  let moves = Lexicon.english.words(on: game).map { Move.word($0.faces) }
  let before = Allocations.now()
  var score = 0
  for move in moves { score += try game.judge(move, words: Lexicon.english) }
  let counted = Allocations.now().flatMap { after in before.map { after - $0 } }
  guard score > 0 else { throw LoadFailure("words that score nothing") }
  show(moves.count, counted.map { Double($0) / Double(moves.count) })
} else {
  print("usage: cubist-counts turns MATCHES TURNS, or cubist-counts words")
  exit(64)
}
