import Chaos
import CubeLexicon
import CubeRules
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Leaderboards", .serialized)
struct LeaderboardTests {
  @Test("I play alone and see my place, also when the scheduler was away meanwhile")
  func places() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      // Nobody ranks while these games end.
      let best = try (0..<2).map { _ in try LeaderboardTests.play(ann, words: 2, lab) }.max()
      let other = try LeaderboardTests.play(bob, words: 1, lab)
      let board = Leaderboard(
        games: SoloGames(kind: .solo, mode: .timed), measure: .points, window: .day)
      #expect(try ann.leaderboard(board).rows == [])
      #expect(try lab.violations() == [], "what waits to be ranked is not wrong")
      try lab.start(.scheduler)
      try waitUntil("both are ranked") { try ann.leaderboard(board).outOf == 2 }
      let points = [try #require(best), other]
      for player in [ann, bob] {
        let view = try player.leaderboard(board)
        #expect(view.rows.map(\.points) == points.sorted(by: >))
        #expect(view.rows.map(\.rank) == (points[0] == points[1] ? [1, 1] : [1, 2]))
        #expect(view.rows.allSatisfy { $0.outOf == 2 })
        #expect(view.you?.name == player.profile.name)
      }
      var words = board
      words.measure = .words
      #expect(try bob.leaderboard(words).you?.word?.count ?? 0 >= 3)
      let review = try bob.review()
      #expect(review.games == [.init(kind: .solo, count: 1, won: 0, lost: 0, tied: 0)])
      #expect(review.places.map(\.measure) == [.points, .words])
      #expect(try lab.violations() == [])
      // A board that differs from the records is found, and mended by rebuilding.
      let connection = try lab.connection()
      defer { connection.close() }
      try connection.script(
        """
        UPDATE board_places SET points = 1 WHERE board IN (
          SELECT id FROM boards WHERE kind = 'solo' AND measure = '\(board.measure)'
            AND time_window = '\(board.window)')
        """)
      #expect(try lab.violations().contains { $0.text.contains("\(board)") })
      _ = try RebuildTests.rebuild(lab)
      try waitUntil("the board is right again") {
        try ann.leaderboard(board).rows.map(\.points) == points.sorted(by: >)
      }
      try waitUntil("nothing is wrong") { try lab.violations() == [] }
    }
  }

  /// Plays a timed game of so many words to its end by hand, and gives its points.
  private static func play(_ player: Player, words: Int, _ lab: ServiceLab) throws -> Int {
    let match = try player.startMatch(MatchRequest(alone: .timed)).ticket.match
    var version: Int64 = 0
    for _ in 0..<words {
      let view = try player.match(match, atLeast: version)
      version = try player.play(word(in: view), in: view).version
    }
    return try player.forfeit(match).points[0]
  }

  /// Some word that can be played.
  private static func word(in view: MatchView) throws -> [Move] {
    let game = try view.game()
    let faces = Array(game.playable)
    for one in faces {
      for two in faces {
        for three in faces {
          let move = Move.word([one, two, three])
          if (try? game.judge(move, words: Lexicon.everyWord)) != nil { return [move] }
        }
      }
    }
    throw LabFailure("no word can be played")
  }
}
