import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("A match that is shown")
struct ShowTests {
  private static let match = Made.match(0x1234)

  @Test("All turns of a match that is over stand below its cube, the first one first")
  func allTurns() throws {
    let lab = CommandLab()
    let moves = [
      "020T 120T 220T", "002L 102L 202L", "220R 210R 200R", "222T 222L 222R", "222L 222R 222T",
      "022T 122T 122L", "022L 122L 122T", "220T 221T 221R", "220R 221R 221T",
    ]
    let view = try Made.view(
      Self.match, moves: moves,
      outcome: Outcome(reason: .cleared, seat: nil, results: [.won, .lost]))
    lab.service.views[Self.match] = view
    lab.service.past = PastGames(games: [Made.pastGame(Self.match)], next: nil)
    let run = lab.run("show 1234")
    let turns = view.turns.map { turn in
      "\(turn.number). \(turn.seat == 0 ? "you" : "grace") \(turn.words[0]) \(turn.scores[0])"
    }
    #expect(run.output.split(separator: "\n").suffix(9).map(String.init) == turns, "\(run)")
  }
}
