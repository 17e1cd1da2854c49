extension CubeGame {
  /// The version of the bytes that ``encodedState()`` makes.
  private static let stateVersion: UInt8 = 1

  /// Where the words begin in the bytes that ``encodedState()`` makes.
  public static let encodedWordsOffset = 1 + 4 + 11 + 11

  /// The state of the game for storage, without the puzzle, which is stored apart.
  ///
  /// A byte 1 for the version of the format; the mask of the cubes in play in 4 bytes; two masks of
  /// faces in 11 bytes each, the low and the high bit of their numbers of uses, all with the lowest
  /// byte first; then each word in order of play, a byte for the number of its characters and a
  /// byte 0...25 for each.
  public func encodedState() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      Self.encodedWordsOffset + playedChunks.count * (1 + SpellingChunk.capacity))
    bytes.append(Self.stateVersion)
    append(UInt128(inPlay.rawValue), byteCount: 4, to: &bytes)
    append(usesLow.rawValue, byteCount: 11, to: &bytes)
    append(usesHigh.rawValue, byteCount: 11, to: &bytes)
    // As in `playedSpellings`, which reads the same chunks.
    var count = bytes.count
    for chunk in playedChunks {
      if chunk & SpellingChunk.continuation == 0 {
        count = bytes.count
        bytes.append(0)
      }
      for place in 0..<SpellingChunk.capacity {
        let letter = SpellingChunk.letter(at: place, in: chunk)
        guard letter > 0 else { break }
        bytes.append(letter - 1)
        bytes[count] += 1
      }
    }
    return bytes
  }

  /// The game of an encoded state, on its puzzle.
  ///
  /// Yields nil for bytes that ``encodedState()`` cannot have made on this puzzle: an unknown
  /// version, too few or too many bytes, a word that is too short, out of the alphabet or there
  /// twice, words and uses that do not agree, or a cube in play with a face used up.
  public init?(puzzle: Puzzle, encodedState: some Collection<UInt8>, rules: Rules = .cube1) {
    var bytes = encodedState.makeIterator()
    guard
      bytes.next() == Self.stateVersion,
      let cubes = Self.readMask(byteCount: 4, from: &bytes),
      let low = Self.readMask(byteCount: 11, from: &bytes),
      let high = Self.readMask(byteCount: 11, from: &bytes),
      cubes <= UInt128(CubeSet.full.rawValue),
      low <= FaceSet.full.rawValue,
      high <= FaceSet.full.rawValue
    else { return nil }
    self.init(puzzle: puzzle, rules: rules)
    usesLow = FaceSet(rawValue: low)
    usesHigh = FaceSet(rawValue: high)
    inPlay = CubeSet(rawValue: UInt32(truncatingIfNeeded: cubes))
    playable = inPlay.playableFaces
    while let count = bytes.next() {
      guard let spelling = Self.readSpelling(count: count, from: &bytes), !hasPlayed(spelling)
      else { return nil }
      recordPlayed(spelling)
    }
    guard isConsistent else { return nil }
  }

  /// Whether each letter is used as often as the words spell it, and used-up cubes are gone.
  private var isConsistent: Bool {
    guard usedUp.allSatisfy({ !inPlay.contains($0.cube) }) else { return false }
    var balance = [Int](repeating: 0, count: Letter.allCases.count)
    for face in usesLow.union(usesHigh) {
      balance[Int(puzzle[face].rawValue)] += uses(of: face)
    }
    for spelling in playedSpellings {
      var isAfterQ = false
      for letter in spelling {
        guard !isAfterQ || letter == Letter.u.rawValue else { return false }
        if !isAfterQ {
          balance[Int(letter)] -= 1
        }
        isAfterQ = letter == Letter.q.rawValue && !isAfterQ
      }
      guard !isAfterQ else { return false }
    }
    return balance.allSatisfy { $0 == 0 }
  }

  private func append(_ mask: UInt128, byteCount: Int, to bytes: inout [UInt8]) {
    for index in 0..<byteCount {
      bytes.append(UInt8(truncatingIfNeeded: mask >> UInt128(8 * index)))
    }
  }

  private static func readMask(
    byteCount: Int, from bytes: inout some IteratorProtocol<UInt8>
  ) -> UInt128? {
    var mask: UInt128 = 0
    for index in 0..<byteCount {
      guard let byte = bytes.next() else { return nil }
      mask |= UInt128(byte) << UInt128(8 * index)
    }
    return mask
  }

  private static func readSpelling(
    count: UInt8, from bytes: inout some IteratorProtocol<UInt8>
  ) -> Spelling? {
    guard 3...Spelling.countLimit ~= Int(count) else { return nil }
    var spelling = Spelling()
    for _ in 0..<count {
      guard let letter = bytes.next(), letter < 26 else { return nil }
      spelling.append(letter)
    }
    return spelling
  }
}
