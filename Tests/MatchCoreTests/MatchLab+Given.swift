import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

/// A day in seconds.
let day: Int64 = 86_400

extension MatchRequest {
  static let random = MatchRequest(opponent: .random, turnLimitSeconds: day)
  static let open = MatchRequest(opponent: .open, turnLimitSeconds: day)
  static let solo = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
  static func invite(_ player: TestPlayer, turnLimit: Int64 = day) -> MatchRequest {
    MatchRequest(opponent: .player(player.id), turnLimitSeconds: turnLimit)
  }
}

/// Moves from notation.
func moves(_ notations: String...) -> [Move] { notations.map { required(try? Move(notation: $0)) } }

/// Four faces that touch on the full cube, and two removals.
let fourFaces = moves("122L 222L 222R 221R")
let fiveFaces = moves("122T 121T 222T 221R 221T")
let twoRemovals = moves("-222", "-221")

extension MatchLab {
  /// The letters that a match is dealt.
  func letters(of id: MatchID) -> String {
    Dealer.puzzle(seed: ServiceSecret.test.puzzleSeed(for: id), lexicon: .everyWord).description
  }

  /// The turn that is due, with other moves, number or hash where they are given.
  func turn(
    _ id: MatchID, _ moves: [Move], number: Int? = nil, previous: Hash? = nil
  ) -> Event.Action {
    let match = matches[id]
    return .turnPlayed(
      id,
      Turn(
        number: number ?? match?.turnNumber ?? 0,
        previous: previous ?? match?.previousTurnHash ?? .zero, moves: moves))
  }

  /// A reaction to the last turn, by the first word of the match.
  func reaction(_ id: MatchID, turn: Int? = nil, word: String? = nil) -> Event.Action {
    let match = matches[id]
    return .reacted(
      id, turn: turn ?? (match?.turnNumber ?? 0) - 1,
      word: word ?? match?.game.playedWords.first ?? "CAT")
  }

  /// The scores of a turn's word moves, on the present cube.
  func scores(_ id: MatchID, _ moves: [Move]) -> [Int] {
    moves.map {
      if case .word(let faces) = $0 { matches[id]?.game.score(of: faces) ?? 0 } else { 0 }
    }
  }

  /// A match that a player asked for.
  func request(_ request: MatchRequest, by player: TestPlayer) -> MatchID {
    let sent = event(.matchRequested(request), by: player)
    act(sent)
    return sent.newMatch
  }

  /// A random match of Ann and Bob in which Ann has the first turn.
  func runningMatch() -> MatchID {
    let id = request(.random, by: .ann)
    act(.matchRequested(.random), by: .bob)
    return id
  }

  /// A match of Ann and Bob that Bob has given up after a turn of each.
  func finishedMatch() -> MatchID {
    let id = runningMatch()
    act(turn(id, fourFaces), by: .ann)
    act(turn(id, twoRemovals), by: .bob)
    act(.matchForfeited(id), by: .bob)
    return id
  }

  /// Takes cubes away in turns until so many are left.
  func clear(_ id: MatchID, by players: [TestPlayer], leaving rest: Int) {
    while let match = matches[id], match.outcome == nil, match.game.inPlay.count > rest {
      var game = match.game
      var removals: [Move] = []
      let count = players.count == 1 ? 1 : min(2, match.game.inPlay.count - rest)
      for _ in 0..<count {
        guard let cube = game.playable.first(where: { _ in true })?.cube else { break }
        removals.append(.removal(cube))
        _ = try? game.apply(.removal(cube), words: AnyWord())
      }
      let player = players[match.seatToPlay]
      guard case .accepted = act(turn(id, removals), by: player) else {
        Issue.record("a removal was refused")
        return
      }
    }
  }
}
