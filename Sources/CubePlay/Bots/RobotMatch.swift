public import CubeLexicon
public import CubeRules

/// A match of two that needs no service: it judges each turn and remembers all of them.
public struct RobotMatch: Hashable, Sendable {
  /// The game as it stands.
  public private(set) var game: CubeGame
  public private(set) var player: PlayTurn.Player
  /// The player who began.
  public let first: PlayTurn.Player
  /// The turns that were played, in order.
  public private(set) var turns: [TurnLine] = []

  /// A match on a puzzle that nobody has played yet.
  public init(on puzzle: Puzzle, first: PlayTurn.Player) {
    game = CubeGame(puzzle: puzzle)
    (self.first, player) = (first, first)
  }

  /// How many turns were played.
  public var turnCount: Int { turns.count }

  /// Plays a turn for the player who is on turn.
  public mutating func play(_ moves: [Move], words: Lexicon) throws(TurnRefusal) {
    let turn = try LegalTurn(moves, on: game, seatCount: 2, words: words)
    let before = game
    _ = try game.applyTurn(moves, seatCount: 2, words: words)
    turns.append(
      TurnLine(
        number: turns.count + 1, player: player, word: turn.word,
        removedCount: turn.moves.count - (turn.word.isEmpty ? 0 : 1), score: turn.score,
        replay: TurnReplay(turn, on: before)))
    player = player == .me ? .them : .me
  }

  public func points(of player: PlayTurn.Player) -> Int {
    turns.reduce(0) { $0 + ($1.player == player ? $1.score : 0) }
  }

  /// The match as a screen shows it. Once it is over it has the best word of each turn.
  public func news(against opponent: String, words: Lexicon, _ rematch: RematchNews) -> MatchNews {
    let (mine, theirs) = (points(of: .me), points(of: .them))
    let result = mine == theirs ? "a tie" : mine > theirs ? "won" : "lost"
    var lines = turns
    if game.isOver {
      for index in lines.indices {
        guard let game = lines[index].replay?.game else { continue }
        lines[index].best = words.words(on: game).first.map { BestWord($0.word, $0.score) }
      }
    }
    return MatchNews(
      standing: Standing(
        game: game, players: .two(mine: mine, theirs: theirs), turnNumber: turns.count + 1,
        lastTurn: turns.last.flatMap { line in
          line.replay.map { PlayedTurn(by: line.player, $0.turn) }
        }, stage: stage),
      opponent: opponent, lines: lines,
      ending: game.isOver ? "Over: \(result), no cube is left." : nil,
      rematch: game.isOver ? rematch : .impossible)
  }

  private var stage: Standing.Stage {
    if game.isOver { return .over(.cleared) }
    return player == .me ? .yours(secondsLeft: nil) : .theirs(secondsLeft: nil)
  }
}
