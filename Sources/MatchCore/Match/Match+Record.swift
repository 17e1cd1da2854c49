public import CubeRules

extension Match {
  /// The mistake for which a replay refuses a record: the first wrong entry, and why.
  public enum RecordFault: Error, Hashable, Sendable {
    /// The deal names rules that this build does not know.
    case unknownRules(String)
    /// The deal's letters are not 81 letters.
    case badLetters
    /// The deal's seats do not fit its terms.
    case badSeats
    /// An entry that cannot stand here, with its content.
    case misplaced(String)
    /// A turn that the rules refuse.
    case illegalTurn(TurnRefusal)
    /// A turn by a player out of turn, of another number, or bound to another turn.
    case wrongTurn(String)
    /// The last statement differs from the result of the entries.
    case wrongEnd(String)
  }

  /// Begins a match from its deal. `requests` are the entries before the deal: the signed events
  /// that asked for it.
  public init(
    id: MatchID, deal: Deal, requests: [Entry], dealEntry: Entry, deadline: Deadline?,
    rules: Rulebook = .standard
  ) throws(RecordFault) {
    guard let rules = rules.named(deal.rules) else { throw .unknownRules(deal.rules) }
    guard let puzzle = Puzzle(deal.letters) else { throw .badLetters }
    guard deal.seats.count == deal.terms.seatCount, rules.seatCounts.contains(deal.seats.count),
      deal.seats.contains(where: { $0 != nil }),
      Set(deal.seats.compactMap { $0 }).count == deal.seats.compactMap({ $0 }).count
    else { throw .badSeats }
    self.id = id
    version = 0
    terms = deal.terms
    lexicon = deal.lexicon
    dealtAt = dealEntry.acceptedAt
    predecessor = deal.predecessor
    let isInvitation = deal.terms.kind == .invitation
    seats = deal.seats.enumerated().map { index, player in
      guard let player else { return Seat(holder: .free) }
      return Seat(holder: isInvitation && index > 0 ? .invited(player) : .taken(player))
    }
    stage = seats.allSatisfy { $0.player != nil } ? .playing : .waiting
    game = CubeGame(puzzle: puzzle, rules: rules)
    turnNumber = 1
    seatToPlay = 0
    previousTurnHash = dealEntry.hash
    head = dealEntry.hash
    entryCount = requests.count + 1
    self.deadline = deadline
    turnFingerprints = []
    rematch = Rematch()
  }

  /// Takes the next entry of the record. It must have been made with `nextEntry`.
  mutating func take(_ entry: Entry) {
    precondition(entry.position == entryCount, "entries are appended in order")
    head = entry.hash
    entryCount += 1
  }

  /// The entry that would follow the newest one.
  public func nextEntry(_ signed: SignedPayload, at time: Instant) -> Entry {
    Entry(after: head, position: entryCount, acceptedAt: time, signed: signed)
  }

  /// Plays a turn that is in order. It judges its moves, all or nothing, and takes its entry.
  /// - Returns: The score of each move.
  @discardableResult
  mutating func play<Words: WordList>(
    _ moves: [Move], entry: Entry, words: Words
  ) throws(TurnRefusal) -> [Int] {
    let scores = try game.applyTurn(moves, seatCount: seats.count, words: words)
    take(entry)
    previousTurnHash = entry.hash
    hasReaction = false
    if let lateAt, entry.acceptedAt > lateAt { isOverlong = true }
    turnFingerprints.append(Match.fingerprint(of: moves))
    seats[seatToPlay].points += scores.reduce(0, +)
    seats[seatToPlay].turnCount += 1
    turnNumber += 1
    seatToPlay = (seatToPlay + 1) % seats.count
    return scores
  }

  /// Takes the reaction to the last turn.
  mutating func react(entry: Entry) {
    take(entry)
    hasReaction = true
  }

  /// A player takes a seat: the player's own event, then the service's statement.
  mutating func fill(seat: Int, with player: PlayerID) {
    seats[seat].holder = .taken(player)
    if seats.allSatisfy({ $0.player != nil }) { stage = .playing }
  }

  /// Ends the match. A match that was already over keeps the time of its end.
  mutating func end(_ outcome: Outcome, at time: Instant) {
    stage = .ended(outcome, at: endedAt ?? time)
    deadline = nil
  }

  /// The last moment at which a turn of a game against the clock is not late. Nil for other games.
  var lateAt: Instant? {
    terms.soloMode?.seconds.map { dealtAt.adding(seconds: $0 + Match.lateSeconds) }
  }

  /// Whether every turn sets the deadline of the next.
  var isTimedByTurn: Bool { stage == .playing && terms.turnLimitSeconds != nil }

  /// The time of the next step, before credits, if the last step was at `time`. A request stays
  /// open for seven days from its deal, or since a seat was left, however many turns were played
  /// meanwhile. A timed game ends
  /// a fixed number of seconds after its deal, and a daily ends with its day. A turn has its limit.
  /// Nil: no limit, or over.
  func due(after time: Instant) -> Instant? {
    if stage == .playing, let seconds = terms.soloMode?.seconds {
      return dealtAt.adding(seconds: seconds)
    }
    return switch (stage, terms.kind) {
    case (.ended, _): nil
    case (.waiting, _): (leavings.last?.at ?? dealtAt).adding(seconds: Match.invitationSeconds)
    case (.playing, .daily(let key)): key.day.end
    case (.playing, _): terms.turnLimitSeconds.map { time.adding(seconds: $0) }
    }
  }

  /// Whether the seat to play has not made its first move.
  var awaitsFirstMove: Bool { seats[seatToPlay].turnCount == 0 }

  /// The outcome if the deadline passes now.
  var outcomeOfDeadline: Outcome {
    switch (stage, terms.kind) {
    case (.waiting, _): .decided(.expired, by: nil, points: points)
    case (_, .solo), (_, .daily): .decided(.timeUp, by: nil, points: points)
    default: .decided(awaitsFirstMove ? .aborted : .timedOut, by: seatToPlay, points: points)
    }
  }
}
