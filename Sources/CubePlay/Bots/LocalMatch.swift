public import CubeLexicon
public import CubeRules

/// A match that needs no service: it judges each turn and remembers all of them.
public struct LocalMatch: Hashable, Sendable {
  /// The game as it stands.
  public private(set) var game: CubeGame
  public let opponent: Opponent
  /// The turns that were played, in order.
  public private(set) var turns: [TurnLine] = []

  /// A match on a puzzle that nobody has played yet.
  public init(on puzzle: Puzzle, against opponent: Opponent) {
    game = CubeGame(puzzle: puzzle)
    self.opponent = opponent
  }

  /// How many turns were played.
  public var turnCount: Int { turns.count }

  /// The player on turn.
  public var player: PlayTurn.Player {
    guard case .robot(_, let first) = opponent else { return .me }
    return turns.count.isMultiple(of: 2) ? first : first.other
  }

  /// Plays a turn for the player who is on turn.
  public mutating func play(_ moves: [Move], words: Lexicon) throws(TurnRefusal) {
    let turn = try LegalTurn(moves, on: game, seatCount: opponent.seatCount, words: words)
    let before = game
    _ = try game.applyTurn(moves, seatCount: opponent.seatCount, words: words)
    turns.append(
      TurnLine(
        number: turns.count + 1, player: player, word: turn.word,
        removedCount: turn.moves.count { if case .removal = $0 { true } else { false } },
        score: turn.score, replay: TurnReplay(turn, on: before)))
  }

  public func points(of player: PlayTurn.Player) -> Int {
    turns.reduce(0) { $0 + ($1.player == player ? $1.score : 0) }
  }

  /// The players and their points.
  public var players: PlayTurn.Players {
    switch opponent {
    case .nobody: .alone(points: points(of: .me))
    case .robot: .two(mine: points(of: .me), theirs: points(of: .them))
    }
  }

  /// The match as a screen shows it. Once it is over it has the best word of each turn.
  ///
  /// - Parameter rematch: The state of a rematch once it is over. One player has none.
  public func news(words: Lexicon, _ rematch: RematchNews) -> MatchNews {
    var lines = turns
    if game.isOver {
      for index in lines.indices {
        guard let game = lines[index].replay?.game else { continue }
        lines[index].best = words.words(on: game).first.map { BestWord($0.word, $0.score) }
      }
    }
    return MatchNews(
      standing: Standing(
        game: game, players: players, turnNumber: turns.count + 1,
        lastTurn: turns.last.flatMap { line in
          line.replay.map { PlayedTurn(by: line.player, $0.turn) }
        }, stage: stage),
      opponent: opponent.name, lines: lines, ending: game.isOver ? ending : nil,
      rematch: game.isOver && opponent != .nobody ? rematch : .impossible)
  }

  private var ending: String {
    if opponent == .nobody { return "Over: no cube is left." }
    let result = players.leader.map { $0 == .me ? "won" : "lost" } ?? "a tie"
    return "Over: \(result), no cube is left."
  }

  private var stage: Standing.Stage {
    if game.isOver { return .over(.cleared) }
    return player == .me ? .yours(secondsLeft: nil) : .theirs(secondsLeft: nil)
  }
}
