/// The shared cube of one match: the cubes in play, how often each face has been used, and the
/// words played so far.
public struct CubeGame: Hashable, Sendable {
  /// The rules that it is played by.
  public let rules: Rules

  /// The letters that the game is played on.
  public let puzzle: Puzzle

  public internal(set) var inPlay: CubeSet

  /// The faces that can be played now: those of ``inPlay``, kept because they are read often.
  public internal(set) var playable: FaceSet

  /// The low and the high bit of the number of uses of each face.
  var usesLow: FaceSet
  var usesHigh: FaceSet

  /// The words played, in order, as their spellings' chunks one after the other.
  var playedChunks: [UInt64]

  /// The game at its start: all 27 cubes in play and no word played.
  public init(puzzle: Puzzle, rules: Rules = .cube1) {
    self.rules = rules
    self.puzzle = puzzle
    inPlay = .full
    playable = CubeSet.full.playableFaces
    usesLow = FaceSet()
    usesHigh = FaceSet()
    playedChunks = []
  }

  /// Whether the game has come to its end; by the first rules, when no cube is in play.
  public var isOver: Bool { rules.isOver(inPlay) }

  /// How often a face has been used by words, 0...3.
  public func uses(of face: Face) -> Int {
    (usesLow.contains(face) ? 1 : 0) + (usesHigh.contains(face) ? 2 : 0)
  }

  /// Whether anybody has spelled a word in this game before.
  ///
  /// - Complexity: O(*n*) in the number of words played.
  public func hasPlayed(_ spelling: Spelling) -> Bool {
    guard !spelling.isEmpty else { return false }
    let first = spelling.chunk(0)
    for index in playedChunks.indices where playedChunks[index] == first {
      // Only a first chunk lacks the flag of continuations, so that no word is found in another.
      let rest = 1..<spelling.chunkCount
      if rest.allSatisfy({ playedChunks[index + $0] == spelling.chunk($0) }) {
        return true
      }
    }
    return false
  }

  /// The words played, in order of play.
  public var playedWords: [String] { playedSpellings.map { $0.description } }

  /// The played words with their scores, in order of play.
  public var playedWordScores: [(word: String, score: Int)] {
    playedSpellings.map { ($0.description, score(of: $0)) }
  }

  /// The spelling of some faces in order, whether or not they make a legal word.
  ///
  /// Faces after the 81st are left out: no word has more.
  public func spelling(of faces: some Collection<Face>) -> Spelling {
    var spelling = Spelling()
    for face in faces.prefix(81) {
      spelling.append(puzzle[face])
    }
    return spelling
  }

  /// The score of a word by its characters. There is no bare Q: each Q is the face `QU`, with the
  /// points of both letters.
  func score(of spelling: Spelling) -> Int {
    var letters: [Letter] = []
    var follows = false
    for place in spelling {
      // The U of a face QU is no letter of its own.
      if follows {
        follows = false
        continue
      }
      guard let letter = Letter(rawValue: place) else { continue }
      letters.append(letter)
      follows = letter == .q
    }
    return rules.score(of: letters)
  }

  /// The score of a word of some faces, whether or not it is legal.
  public func score(of faces: some Collection<Face>) -> Int {
    rules.score(of: faces.lazy.map { puzzle[$0] })
  }
}

extension CubeGame {
  /// The faces that were used for the last time.
  var usedUp: FaceSet {
    switch rules.lastUse {
    case 1: usesLow.union(usesHigh)
    case 2: usesHigh
    default: usesLow.intersection(usesHigh)
    }
  }

  /// The spellings of the words played, in order.
  var playedSpellings: [Spelling] {
    var spellings: [Spelling] = []
    for chunk in playedChunks {
      var spelling = Spelling()
      if chunk & SpellingChunk.continuation != 0, let beginning = spellings.popLast() {
        spelling = beginning
      }
      for place in 0..<SpellingChunk.capacity {
        let letter = SpellingChunk.letter(at: place, in: chunk)
        guard letter > 0 else { break }
        spelling.append(letter - 1)
      }
      spellings.append(spelling)
    }
    return spellings
  }

  /// Remembers a word as played.
  mutating func recordPlayed(_ spelling: Spelling) {
    // Grows in steps of eight and never doubles: a worker keeps a hundred thousand games in memory.
    let needed = playedChunks.count + spelling.chunkCount
    if playedChunks.capacity < needed {
      playedChunks.reserveCapacity(needed + 7)
    }
    for index in 0..<spelling.chunkCount {
      playedChunks.append(spelling.chunk(index))
    }
  }

  /// Adds one use to each face and takes away the cubes of which it was a face's last use.
  mutating func recordUses(of faces: FaceSet) {
    let carry = usesLow.intersection(faces)
    usesLow.formSymmetricDifference(faces)
    usesHigh.formUnion(carry)
    for face in usedUp.intersection(faces) {
      inPlay.remove(face.cube)
    }
    playable = inPlay.playableFaces
  }
}
