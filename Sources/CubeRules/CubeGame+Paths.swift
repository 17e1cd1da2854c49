extension CubeGame {
  /// The paths of playable, touching faces that spell a word, no face twice.
  ///
  /// ``judge(_:words:)`` says whether the word is long enough, in the word list and not played yet.
  /// The order is that of face numbers, first face first; the same game and word give the same
  /// paths.
  ///
  /// - Parameters:
  ///   - spelling: Characters `A`...`Z`; anything else has no path.
  ///   - limit: The greatest number of paths; the search ends with it.
  /// - Returns: The first paths; not all of them where there are more than `limit`, or where the
  ///   search has looked at a million faces.
  public func paths(spelling: String, limit: Int = 256) -> [[Face]] {
    guard let letters = Self.letters(spelling: spelling) else { return [] }
    return paths(through: letters.map { playableFaces(showing: $0) }, limit: limit)
  }

  /// The paths of playable, touching faces that take one face of each set in turn, no face twice.
  ///
  /// Order and limits are those of ``paths(spelling:limit:)``.
  public func paths(through stages: [FaceSet], limit: Int = 256) -> [[Face]] {
    guard limit > 0, !stages.isEmpty else { return [] }
    var search = PathSearch(stages: reachable(stages), limit: limit)
    search.run()
    return search.paths
  }

  public func playableFaces(showing letter: Letter) -> FaceSet {
    FaceSet(playable.lazy.filter { puzzle[$0] == letter })
  }

  /// The letters that spell a word, which are never in doubt because there is no bare Q.
  private static func letters(spelling: String) -> [Letter]? {
    guard spelling.utf8.count <= Spelling.countLimit, !spelling.isEmpty else { return nil }
    var letters: [Letter] = []
    var uIsSpelled = false
    for ascii in spelling.utf8 {
      guard let letter = Letter(ascii: ascii) else { return nil }
      if uIsSpelled, letter != .u { return nil }
      if !uIsSpelled {
        letters.append(letter)
      }
      uIsSpelled = letter == .q && !uIsSpelled
    }
    return uIsSpelled ? nil : letters
  }

  /// Of each set the playable faces from which the rest can be reached.
  private func reachable(_ stages: [FaceSet]) -> [FaceSet] {
    var stages = stages.map { $0.intersection(playable) }
    for index in stages.indices.dropLast().reversed() {
      let following = stages[index + 1]
      stages[index] = FaceSet(
        stages[index].filter { !$0.neighbors.isDisjoint(with: following) })
    }
    return stages
  }
}

/// A search in depth for paths that take one face of each stage.
private struct PathSearch {
  let stages: [FaceSet]
  let limit: Int
  var paths: [[Face]] = []
  private var path: [Face] = []
  private var stepsLeft = 1_000_000

  init(stages: [FaceSet], limit: Int) {
    self.stages = stages
    self.limit = limit
  }

  mutating func run() {
    extend(among: stages[0], used: FaceSet())
  }

  private mutating func extend(among candidates: FaceSet, used: FaceSet) {
    for face in candidates {
      guard paths.count < limit, stepsLeft > 0 else { return }
      stepsLeft -= 1
      path.append(face)
      if path.count == stages.count {
        paths.append(path)
      } else {
        let used = used.union([face])
        extend(
          among: stages[path.count].intersection(face.neighbors).subtracting(used), used: used)
      }
      path.removeLast()
    }
  }
}
