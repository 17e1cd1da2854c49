internal import CubeLexicon
public import CubeRules

/// A cube as it is drawn.
public struct CubePicture: Hashable, Sendable {
  public var game: CubeGame
  /// The faces that are lit: those of a word.
  public var lit = FaceSet()
  /// The player of that word.
  public var litBy = PlayTurn.Player.me
  /// The cubes that vanish by that word.
  public var leaving = CubeSet()
  /// The cubes that are removed by hand.
  public var marked = CubeSet()
  /// The cube under the cursor.
  public var cursor: Cube?
}

/// A turn and the cube on which it was played.
public struct TurnReplay: Hashable, Sendable {
  /// The game before the turn.
  public var game: CubeGame
  public var turn: LegalTurn

  /// A turn that the rules allow on a game.
  public init(_ turn: LegalTurn, on game: CubeGame) { (self.turn, self.game) = (turn, game) }

  /// The cubes that were removed by hand.
  var removed: CubeSet {
    CubeSet(
      turn.moves.compactMap { move -> Cube? in
        if case .removal(let cube) = move { cube } else { nil }
      })
  }

  /// The cubes that were there before the turn and not after it.
  var gone: CubeSet { removed.union(turn.vanishing) }

  /// The game as the last word of the turn finds it.
  var ready: CubeGame {
    let place = turn.moves.lastIndex { if case .word = $0 { true } else { false } }
    return game(after: turn.moves.prefix(place ?? 0))
  }

  public var after: CubeGame { game(after: turn.moves[...]) }

  /// Does not trap if the turn proves illegal.
  private func game(after moves: ArraySlice<Move>) -> CubeGame {
    var game = game
    do throws(RuleRefusal) {
      for move in moves { try game.apply(move, words: Lexicon.everyWord) }
      return game
    } catch {
      return self.game
    }
  }

  /// The cube with the turn on it: the word where its cubes lie free, else the removed cubes.
  public func picture(by player: PlayTurn.Player) -> CubePicture {
    guard !turn.faces.isEmpty else {
      return CubePicture(game: game, litBy: player, marked: removed)
    }
    return CubePicture(
      game: ready, lit: FaceSet(turn.faces), litBy: player, leaving: turn.vanishing)
  }
}

extension ShownMatch {
  /// The turn that the player looks back at; nil: the match as it stands.
  public var lookedAt: TurnLine? {
    lookedBack > 0 && lookedBack <= lines.count ? lines[lines.count - lookedBack] : nil
  }

  /// The cube as it is to be drawn.
  ///
  /// The match as it stands is drawn without the marked cubes, so that the cubes behind them are
  /// seen, but with the one under the cursor.
  public var picture: CubePicture {
    if let show { return show.picture }
    if let line = lookedAt, let replay = line.replay { return replay.picture(by: line.player) }
    let draft = turn.draft
    let marks = draft?.marks ?? []
    let word = draft?.word?.shown
    return CubePicture(
      game: turn.game.without(Array(marks.prefix { $0 != cursor })),
      lit: FaceSet(word?.faces ?? turn.lastTurn?.turn.faces ?? []),
      litBy: word == nil ? turn.lastTurn?.player ?? .me : .me,
      leaving: word?.vanishing ?? CubeSet(), marked: CubeSet(marks), cursor: cursor)
  }
}
