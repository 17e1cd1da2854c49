public import CubeRules

// The stored form of a match's state. It is derived from the record, so the record of an unknown
// version is simply folded anew.
//
// The parts that a turn changes come first. Then come the parts that it adds to, the newest first.
// The constant parts come last. When a row is updated, the database logs only the bytes between the
// unchanged beginning and the unchanged end.

extension Match {
  /// The version of the stored form that this build writes.
  public static let stateFormat: UInt8 = 3
  /// The version before it, which this build still reads. It has no checksum.
  public static let stateFormatWithoutChecksum: UInt8 = 2
  /// Set in the byte of the kind if a match is casual.
  fileprivate static let casualBit: UInt8 = 0x80
  /// Set in the same byte if a timed game took too long for boards.
  fileprivate static let overlongBit: UInt8 = 0x40
  /// Set in the same byte if the last turn was answered with a reaction.
  fileprivate static let reactedBit: UInt8 = 0x20
  /// Set in the same byte if a seat was left. A build that does not know it folds the record anew, and
  /// finds an entry there that it does not know either.
  fileprivate static let leftBit: UInt8 = 0x10

  /// The state for storage, without id and version. Those are stored beside it.
  public func encodedState() -> [UInt8] {
    var writer = ByteWriter(capacity: 512 + 24 * turnFingerprints.count)
    writer.put(Match.stateFormat)
    writer.put(UInt64(0))
    writer.put(head)
    writer.put(previousTurnHash == head ? nil : previousTurnHash) { $0.put($1) }
    writer.put(varint: entryCount)
    writer.put(deadline) {
      $0.put($1.at.microseconds)
      $0.put($1.creditMicroseconds)
    }
    writer.put(UInt8(seats.count))
    for seat in seats {
      writer.put(varint: seat.points)
      writer.put(varint: seat.turnCount)
    }
    switch stage {
    case .waiting: writer.put(UInt8(0))
    case .playing: writer.put(UInt8(1))
    case .ended(let outcome, let time):
      writer.put(UInt8(2))
      writer.put(outcome)
      writer.put(time.microseconds)
    }
    writer.put(rematch)
    writer.put(game, turnFingerprints)
    writer.put(
      terms, isOverlong: isOverlong, hasReaction: hasReaction, wasLeft: !leavings.isEmpty)
    writer.put(rules.name)
    writer.put(lexicon)
    writer.put(dealtAt.microseconds)
    writer.put(predecessor) { $0.put(raw: $1.bytes) }
    for seat in seats { writer.put(seat.holder) }
    writer.put(counted: game.puzzle.ascii)
    if !leavings.isEmpty {
      writer.put(varint: leavings.count)
      for leaving in leavings {
        writer.put(leaving.player.rawValue)
        writer.put(leaving.at.microseconds)
      }
    }
    writer.replace(at: 1, with: Match.checksum(of: writer.bytes, id))
    return writer.bytes
  }

  /// Reads a stored state. Nil if it is of another version or damaged: then the record is folded
  /// anew, unless the state `isChanged`. A state by rules that are not in the book is read, but
  /// nothing is judged in it.
  public init?(id: MatchID, version: Int64, encodedState: [UInt8], rules: Rulebook = .standard) {
    do {
      try self.init(id: id, version: version, decoding: encodedState, rules)
    } catch {
      return nil
    }
  }

  private init(
    id: MatchID, version: Int64, decoding bytes: [UInt8], _ book: Rulebook
  ) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    switch try reader.byte() {
    case Match.stateFormat:
      guard !Match.isChanged(bytes, of: id) else { throw .init() }
      _ = try reader.number(UInt64.self)
    case Match.stateFormatWithoutChecksum: break
    default: throw .init()
    }
    self.id = id
    self.version = version
    let head = try reader.hash()
    self.head = head
    previousTurnHash =
      try reader.optional { reader throws(ByteReader.Malformed) in try reader.hash() } ?? head
    entryCount = try reader.varint()
    deadline = try reader.optional { reader throws(ByteReader.Malformed) in
      Deadline(
        at: Instant(microseconds: try reader.number()),
        creditMicroseconds: try reader.number())
    }
    var seats: [Seat] = []
    var turnCount = 0
    for _ in 0..<(try reader.byte()) {
      let points = try reader.varint()
      let seat = Seat(holder: .free, points: points, turnCount: try reader.varint())
      seats.append(seat)
      // A match has fewer turns than entries. A larger number is not read to its end.
      guard seat.turnCount <= Match.entryLimit else { throw .init() }
      turnCount += seat.turnCount
    }
    switch try reader.byte() {
    case 0: stage = .waiting
    case 1: stage = .playing
    case 2:
      let outcome = try reader.outcome()
      stage = .ended(outcome, at: Instant(microseconds: try reader.number()))
    default: throw .init()
    }
    rematch = try reader.rematch()
    let history = try reader.history(turnCount: turnCount)
    let wasLeft: Bool
    (terms, isOverlong, hasReaction, wasLeft) = try reader.terms()
    let rules = book.pinned(try reader.text())
    lexicon = try reader.text()
    dealtAt = Instant(microseconds: try reader.number())
    predecessor = try reader.optional { reader throws(ByteReader.Malformed) in
      MatchID(rawValue: try reader.number())
    }
    for seat in seats.indices { seats[seat].holder = try reader.holder() }
    guard !seats.isEmpty, let puzzle = Puzzle(try reader.text()),
      let game = CubeGame(puzzle: puzzle, encodedState: history.game, rules: rules)
    else { throw .init() }
    if wasLeft {
      let count = try reader.varint()
      guard (1...Match.leavingLimit).contains(count) else { throw .init() }
      for _ in 0..<count {
        leavings.append(
          Leaving(
            player: PlayerID(rawValue: try reader.number()),
            at: Instant(microseconds: try reader.number())))
      }
    }
    self.seats = seats
    self.game = game
    turnFingerprints = history.fingerprints
    turnNumber = turnCount + 1
    seatToPlay = turnCount % seats.count
    guard reader.isAtEnd, isConsistent else { throw .init() }
  }

  /// Whether the numbers of a decoded state are consistent, so that nothing can be out of bounds
  /// later.
  private var isConsistent: Bool {
    // Far above any points by the rules, far below an overflow.
    let pointsLimit = 1 << 53
    guard seats.count == terms.seatCount, leavings.isEmpty || seats.count > 1,
      !hasReaction || seats.count > 1 && turnNumber > 1,
      !isOverlong || terms.soloMode?.seconds != nil,
      seats.allSatisfy({ (0..<pointsLimit).contains($0.points) }),
      entryCount >= turnNumber, entryCount <= Match.entryLimit
    else { return false }
    let isFull = seats.allSatisfy { $0.player != nil }
    switch stage {
    case .waiting: guard !isFull else { return false }
    case .playing: guard isFull else { return false }
    case .ended(let outcome, _): guard outcome.results.count == seats.count else { return false }
    }
    let named = [outcome?.seat, rematch.offer?.seat, rematch.declined?.seat]
    return named.allSatisfy { $0.map(seats.indices.contains) ?? true }
  }
}

extension ByteWriter {
  fileprivate mutating func put(
    _ terms: Terms, isOverlong: Bool, hasReaction: Bool, wasLeft: Bool
  ) {
    let bits =
      (terms.isCasual ? Match.casualBit : 0) | (isOverlong ? Match.overlongBit : 0)
      | (hasReaction ? Match.reactedBit : 0) | (wasLeft ? Match.leftBit : 0)
    switch terms.kind {
    case .random: put(0 | bits)
    case .invitation: put(1 | bits)
    case .open: put(2 | bits)
    case .rematch: put(3 | bits)
    case .solo(.unlimited): put(4 | bits)
    case .solo(.timed): put(6 | bits)
    case .daily(let key):
      put(5 | bits)
      put(key.day.number)
      put(key.mode.rawValue)
      put(key.language.rawValue)
    }
    put(terms.turnLimitSeconds) { $0.put($1) }
    put(terms.language.rawValue)
  }

  fileprivate mutating func put(_ holder: Match.Seat.Holder) {
    switch holder {
    case .free: put(UInt8(0))
    case .invited(let player):
      put(UInt8(1))
      put(player.rawValue)
    case .taken(let player):
      put(UInt8(2))
      put(player.rawValue)
    }
  }

  /// The rest of the cube, then turns and words, the newest first. Most turns are one word. So a
  /// turn adds its bytes in front, and the bytes from before follow unchanged.
  fileprivate mutating func put(_ game: CubeGame, _ fingerprints: [UInt64]) {
    let state = game.encodedState()
    put(raw: state[..<CubeGame.encodedWordsOffset])
    var words: [Int] = []
    words.reserveCapacity(fingerprints.count)
    var next = CubeGame.encodedWordsOffset
    while next < state.count {
      words.append(next)
      next += 1 + Int(state[next])
    }
    put(varint: words.count)
    for back in stride(from: 1, through: max(words.count, fingerprints.count), by: 1) {
      if back <= fingerprints.count { put(fingerprints[fingerprints.count - back]) }
      if back <= words.count {
        let word = words[words.count - back]
        put(raw: state[word...word + Int(state[word])])
      }
    }
  }

  fileprivate mutating func put(_ outcome: Outcome) {
    put(outcome.reason.rawValue)
    put(outcome.seat) { $0.put(UInt8($1)) }
    put(UInt8(outcome.results.count))
    for result in outcome.results { put(result.rawValue) }
    if outcome.reason == .mergedInto { put(outcome.mergedInto) { $0.put($1.rawValue) } }
  }

  fileprivate mutating func put(_ rematch: Match.Rematch) {
    put(rematch.offer) {
      $0.put(UInt8($1.seat))
      $0.put($1.at.microseconds)
      $0.put($1.signed.key)
      $0.put(counted: $1.signed.signature)
      $0.put(counted: $1.signed.payload)
    }
    put(rematch.declined) {
      $0.put(UInt8($1.seat))
      $0.put($1.at.microseconds)
    }
    put(rematch.successor) { $0.put($1.rawValue) }
  }
}

extension ByteReader {
  fileprivate mutating func terms() throws(Malformed) -> (
    terms: Terms, isOverlong: Bool, hasReaction: Bool, wasLeft: Bool
  ) {
    let kind: Terms.Kind
    let first = try byte()
    let bits = Match.casualBit | Match.overlongBit | Match.reactedBit | Match.leftBit
    switch first & ~bits {
    case 0: kind = .random
    case 1: kind = .invitation
    case 2: kind = .open
    case 3: kind = .rematch
    case 4: kind = .solo(.unlimited)
    case 6: kind = .solo(.timed)
    case 5:
      let day = Day(number: try number())
      guard let mode = SoloMode(rawValue: try text()), let language = Language(rawValue: try text())
      else { throw Malformed() }
      kind = .daily(DailyKey(day: day, mode: mode, language: language))
    default: throw Malformed()
    }
    let limit: Int64? = try optional { reader throws(Malformed) in try reader.number() }
    guard let language = Language(rawValue: try text()) else { throw Malformed() }
    let terms = Terms(
      kind: kind, turnLimitSeconds: limit, language: language,
      isCasual: first & Match.casualBit != 0)
    return (
      terms, first & Match.overlongBit != 0, first & Match.reactedBit != 0,
      first & Match.leftBit != 0
    )
  }

  fileprivate mutating func holder() throws(Malformed) -> Match.Seat.Holder {
    switch try byte() {
    case 0: .free
    case 1: .invited(PlayerID(rawValue: try number()))
    case 2: .taken(PlayerID(rawValue: try number()))
    default: throw Malformed()
    }
  }

  /// The game's state as `CubeGame` encodes it, and a fingerprint of each turn.
  fileprivate mutating func history(
    turnCount: Int
  ) throws(Malformed) -> (game: [UInt8], fingerprints: [UInt64]) {
    var game = try raw(CubeGame.encodedWordsOffset)
    let wordCount = try varint()
    var (fingerprints, words): ([UInt64], [ArraySlice<UInt8>]) = ([], [])
    fingerprints.reserveCapacity(turnCount)
    for back in 0..<max(turnCount, wordCount) {
      if back < turnCount { fingerprints.append(try number()) }
      if back < wordCount { words.append(try slice(1 + Int(try nextByte()))) }
    }
    fingerprints.reverse()
    for word in words.reversed() { game.append(contentsOf: word) }
    return (game, fingerprints)
  }

  fileprivate mutating func outcome() throws(Malformed) -> Outcome {
    guard let reason = Outcome.Reason(rawValue: try text()) else { throw Malformed() }
    let seat = try optional { reader throws(Malformed) in Int(try reader.byte()) }
    var results: [Outcome.Result] = []
    for _ in 0..<(try byte()) {
      guard let result = Outcome.Result(rawValue: try text()) else { throw Malformed() }
      results.append(result)
    }
    var mergedInto: MatchID?
    if reason == .mergedInto {
      mergedInto = try optional { reader throws(Malformed) in
        MatchID(rawValue: try reader.number())
      }
    }
    return Outcome(reason: reason, seat: seat, results: results, mergedInto: mergedInto)
  }

  fileprivate mutating func rematch() throws(Malformed) -> Match.Rematch {
    let offer = try optional { reader throws(Malformed) in
      let seat = Int(try reader.byte())
      let at = Instant(microseconds: try reader.number())
      guard let key = PublicKey(bytes: try reader.raw(32)) else { throw Malformed() }
      let signature = try reader.counted()
      return Match.RematchOffer(
        seat: seat, at: at,
        signed: SignedPayload(key: key, signature: signature, payload: try reader.counted()))
    }
    let declined = try optional { reader throws(Malformed) in
      let seat = Int(try reader.byte())
      return Match.Rematch.Declined(seat: seat, at: Instant(microseconds: try reader.number()))
    }
    let successor = try optional { reader throws(Malformed) in
      MatchID(rawValue: try reader.number())
    }
    return Match.Rematch(offer: offer, declined: declined, successor: successor)
  }
}
