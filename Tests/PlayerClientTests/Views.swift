// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import CubeLexicon
import CubeRules
import MatchCore
import PlayerClient

@testable import MatchWire

extension Puzzle {
  /// Letters with many words and a `QU`.
  static let test = Puzzle(
    "STARLINGSTONEQUITEREADERSMATCHLIGHTBORNESALTINGPLANEDCRUSTYFOAMERVINEDWHISKEDJUZAX"
      .prefix(81).description)!
}

extension MatchView {
  /// A match of Ann and Bob after some turns, judged with every word allowed.
  static func test(
    id: MatchID = MatchID(rawValue: 0xabc), turns: [[Move]] = [], seats: Int = 2,
    lexicon: Lexicon = .english, puzzle: Puzzle = .test
  ) -> MatchView {
    var game = CubeGame(puzzle: puzzle)
    var played: [MatchView.Turn] = []
    for (index, moves) in turns.enumerated() {
      let words = moves.map { move in
        if case .word(let faces) = move { game.spelling(of: faces).description } else { "" }
      }
      let scores = try! game.applyTurn(moves, seatCount: seats, words: Lexicon.everyWord)
      played.append(
        MatchView.Turn(
          number: index + 1, seat: index % seats, moves: moves.map(\.description), words: words,
          scores: scores, acceptedAt: .noon, hash: .zero))
    }
    let players: [(PlayerID, PlayerName)] = [
      (PlayerKey.ann.player, .ann), (PlayerKey.bob.player, .bob),
    ]
    return MatchView(
      id: id, version: Int64(turns.count + 1), kind: seats == 1 ? .solo : .random, daily: nil,
      turnLimit: 86_400, language: .english, lexicon: lexicon.version.rawValue, rules: "cube-1",
      letters: puzzle.description,
      seats: players.prefix(seats).map {
        MatchView.Seat(player: $0.0, name: $0.1, points: 0, turns: 0, state: .taken)
      },
      stage: .playing, outcome: nil, turn: turns.count + 1, seatToPlay: turns.count % seats,
      previous: .zero, deadline: nil, startedAt: .noon, endedAt: nil,
      uses: Face.all.map { String(game.uses(of: $0)) }.joined(),
      inPlay: Cube.all.map { game.inPlay.contains($0) ? "1" : "0" }.joined(),
      playable: game.playable.digits, turns: played, predecessor: nil, successor: nil,
      rematchOfferBy: nil, code: nil)
  }
}

extension MatchSummary {
  static func test(
    _ id: MatchID, yourTurn: Bool = true, kind: MatchKind = .random,
    stage: MatchStage = .playing
  ) -> MatchSummary {
    MatchSummary(
      id: id, version: 1, kind: kind, daily: nil, turnLimit: 86_400,
      opponent: PlayerKey.bob.player, opponentName: .bob, yourSeat: 0, points: [0, 0], turn: 1,
      yourTurn: yourTurn, stage: stage, deadline: nil, startedAt: .noon, code: nil)
  }
}
