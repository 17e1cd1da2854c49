extension CubeGame {
  /// Judges a move; nothing changes.
  ///
  /// - Returns: The score, 0 for a removal.
  /// - Throws: `RuleRefusal` with the first reason, in the order of the rules, why the move is not
  ///   legal; `gameOver` comes before all others.
  public func judge<Words: WordList>(
    _ move: Move, words: Words
  ) throws(RuleRefusal) -> Int {
    guard !isOver else { throw .gameOver }
    switch move {
    case .word(let faces):
      return try judgeWord(faces, words: words).score
    case .removal(let cube):
      try judgeRemoval(cube)
      return 0
    }
  }

  /// Judges a move and carries it out.
  ///
  /// - Returns: The score, 0 for a removal.
  /// - Throws: The errors of ``judge(_:words:)``; then nothing has changed.
  @discardableResult
  public mutating func apply<Words: WordList>(
    _ move: Move, words: Words
  ) throws(RuleRefusal) -> Int {
    guard !isOver else { throw .gameOver }
    switch move {
    case .word(let faces):
      let word = try judgeWord(faces, words: words)
      recordUses(of: word.faces)
      recordPlayed(word.spelling)
      return word.score
    case .removal(let cube):
      try judgeRemoval(cube)
      inPlay.remove(cube)
      playable = inPlay.playableFaces
      return 0
    }
  }

  /// A word found legal.
  private struct LegalWord {
    var faces: FaceSet
    var spelling: Spelling
    var score: Int
  }

  private func judgeWord<Words: WordList>(
    _ faces: [Face], words: Words
  ) throws(RuleRefusal) -> LegalWord {
    guard let first = faces.first else { throw .emptyWord }
    var named = FaceSet()
    for face in faces {
      guard named.insert(face).inserted else { throw .faceRepeated(face) }
    }
    let spelling = spelling(of: faces)
    guard spelling.count >= 3 else { throw .tooShort(spelling.count) }
    for face in faces {
      guard playable.contains(face) else { throw .faceHidden(face) }
    }
    var previous = first
    for face in faces.dropFirst() {
      guard face.touches(previous) else { throw .notTouching(previous, face) }
      previous = face
    }
    guard words.contains(spelling) else { throw .notAWord(spelling.description) }
    guard !hasPlayed(spelling) else { throw .wordAlreadyPlayed(spelling.description) }
    return LegalWord(faces: named, spelling: spelling, score: score(of: faces))
  }

  private func judgeRemoval(_ cube: Cube) throws(RuleRefusal) {
    guard inPlay.contains(cube) else { throw .cubeGone(cube) }
    let canBeSeen = Side.allCases.contains { playable.contains(Face(cube: cube, side: $0)) }
    guard canBeSeen else { throw .cubeHidden(cube) }
  }
}
