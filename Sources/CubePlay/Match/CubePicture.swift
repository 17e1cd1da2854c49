public import CubeRules

/// What is to be seen of a cube.
public struct CubePicture: Hashable, Sendable {
  /// The cube.
  public var game: CubeGame
  /// The faces that are lit: those of a word.
  public var lit: FaceSet
  /// The cubes that vanish by that word.
  public var leaving: CubeSet
  /// The cubes that are removed by hand.
  public var marked: CubeSet
  /// The cube under the cursor.
  public var cursor: Cube?
}

/// A turn and the cube on which it was played.
public struct TurnReplay: Hashable, Sendable {
  /// The game before the turn.
  public var game: CubeGame
  /// The turn.
  public var turn: LegalTurn

  /// A turn that the rules allow on a game.
  public init(_ turn: LegalTurn, on game: CubeGame) { (self.turn, self.game) = (turn, game) }

  /// The cube with the turn on it: the word where its cubes lie free, else what is removed.
  var picture: CubePicture {
    let removed = turn.moves.compactMap { move -> Cube? in
      if case .removal(let cube) = move { cube } else { nil }
    }
    guard !turn.faces.isEmpty else {
      return CubePicture(
        game: game, lit: FaceSet(), leaving: CubeSet(), marked: CubeSet(removed), cursor: nil)
    }
    return CubePicture(
      game: game.without(removed), lit: FaceSet(turn.faces), leaving: turn.vanishing,
      marked: CubeSet(), cursor: nil)
  }
}

extension ShownMatch {
  /// The turn that the player looks back at; nil: the match as it stands.
  public var lookedAt: TurnLine? {
    lookedBack > 0 && lookedBack <= lines.count ? lines[lines.count - lookedBack] : nil
  }

  /// The cube as it is to be drawn.
  ///
  /// As it stands it is without the cubes that are marked, so that what lies behind them is seen, but
  /// with the one under the cursor.
  public var picture: CubePicture {
    if let replay = lookedAt?.replay { return replay.picture }
    let draft = turn.draft
    let marks = draft?.marks ?? []
    let word = draft?.word?.shown
    return CubePicture(
      game: turn.game.without(Array(marks.prefix { $0 != cursor })),
      lit: FaceSet(word?.faces ?? turn.lastTurn?.turn.faces ?? []),
      leaving: word?.vanishing ?? CubeSet(), marked: CubeSet(marks), cursor: cursor)
  }
}
