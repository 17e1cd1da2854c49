import CubeLexicon
public import CubeRules

/// Folds a record: gives the state that its entries make, or says which entry does not hold.
///
/// The same mutations as in the live service run here; what a replay cannot know (credits, the
/// service's clock) it takes from the service's statements. Signatures, and that an event or
/// statement is what the entry's bytes say, are for the caller to check.
public struct Replay: Sendable {
  /// What one entry says.
  public enum Content: Hashable, Sendable {
    /// A player's event.
    case event(Event)
    /// The service's statement.
    case statement(Statement)
  }

  /// The match's id.
  public let id: MatchID
  /// The match as far as it was replayed; nil before the deal. Its deadline is as if no credit had
  /// been given when it was set, so that a match that is folded anew has more time rather than
  /// less; version and rematch are not in a record.
  public private(set) var match: Match?
  /// The moves of each turn with their scores, as they were played.
  public private(set) var turns: [PlayedTurn] = []
  /// Why the players met, where chance decided and the service says so.
  public private(set) var meeting: MeetingReason?
  private let rules: Rulebook
  private var requests: [(entry: Entry, event: Event)] = []
  private var pending: Event?
  private var endByDeadline: Outcome?
  private var endByRuling: Outcome?
  /// The last ruling of an operator.
  public private(set) var ruling: Ruling?
  private var head: Hash = .zero
  private var position = 0

  /// A turn as it was accepted.
  public struct PlayedTurn: Hashable, Sendable {
    /// 1 for the first.
    public var number: Int
    /// Whose.
    public var seat: Int
    /// What was played.
    public var moves: [Move]
    /// The score of each move.
    public var scores: [Int]
    /// When it was accepted.
    public var acceptedAt: Instant
    /// The hash of its entry.
    public var hash: Hash
  }

  /// Begins with nothing.
  public init(id: MatchID, rules: Rulebook = .standard) { (self.id, self.rules) = (id, rules) }

  /// Takes the next entry.
  /// - Throws: `Match.RecordFault` where the entry cannot stand here or what it says does not
  ///   follow; then nothing has changed.
  public mutating func take<Words: WordList>(
    _ entry: Entry, _ content: Content, words: Words
  ) throws(Match.RecordFault) {
    guard entry.position == position else {
      throw .misplaced("position \(entry.position) where \(position) follows")
    }
    let hash = Entry.hash(
      after: head, position: position, acceptedAt: entry.acceptedAt, signed: entry.signed)
    guard entry.hash == hash else { throw .misplaced("hash \(entry.hash) where \(hash) follows") }
    if match?.outcome != nil, endByRuling == nil, !content.isAnnulment {
      throw .misplaced("an entry after the end")
    }
    switch content {
    case .event(let event): try take(entry, event, words: words)
    case .statement(let statement): try take(entry, statement)
    }
    head = entry.hash
    position += 1
  }

  /// Whether the record is whole: it ends with the statement that the match is over.
  public var isClosed: Bool { match?.outcome != nil && endByRuling == nil }

  private mutating func take<Words: WordList>(
    _ entry: Entry, _ event: Event, words: Words
  ) throws(Match.RecordFault) {
    guard var match else {
      guard requests.count < 2 else { throw .misplaced("more than two requests before the deal") }
      requests.append((entry, event))
      return
    }
    guard pending == nil, endByDeadline == nil, endByRuling == nil, !match.awaitsEnd else {
      throw .misplaced("an event where a statement must follow")
    }
    guard event.match == nil || event.match == id else {
      throw .misplaced("it names match \(event.match?.description ?? "")")
    }
    switch event.action {
    case .turnPlayed(_, let turn):
      turns.append(try play(turn, by: event.player, entry, &match, words: words))
      match.deadline = deadline(of: match, after: entry.acceptedAt)
    case .matchRequested, .invitationAccepted, .matchForfeited, .invitationDeclined,
      .requestWithdrawn:
      match.take(entry)
      pending = event
    default:
      throw .misplaced("no such event belongs into a record")
    }
    self.match = match
  }

  private func play<Words: WordList>(
    _ turn: Turn, by player: PlayerID, _ entry: Entry, _ match: inout Match, words: Words
  ) throws(Match.RecordFault) -> PlayedTurn {
    let seat = match.seatToPlay
    guard match.seats[seat].player == player else {
      throw .wrongTurn("it is not the turn of \(player)")
    }
    guard turn.number == match.turnNumber else {
      throw .wrongTurn("turn \(turn.number) where \(match.turnNumber) follows")
    }
    guard turn.previous == match.previousTurnHash else {
      throw .wrongTurn("it builds on \(turn.previous), not on \(match.previousTurnHash)")
    }
    let scores: [Int]
    do {
      scores = try match.play(turn.moves, entry: { _ in entry }, words: words)
    } catch {
      throw .illegalTurn(error)
    }
    return PlayedTurn(
      number: turn.number, seat: seat, moves: turn.moves, scores: scores,
      acceptedAt: entry.acceptedAt, hash: entry.hash)
  }

  private mutating func take(
    _ entry: Entry, _ statement: Statement
  ) throws(Match.RecordFault) {
    if case .matchDealt(let deal) = statement {
      guard match == nil else { throw .misplaced("a second deal") }
      try checkRequests(deal)
      var match = try Match(
        id: id, deal: deal, requests: requests.map { $0.entry }, dealEntry: entry, deadline: nil,
        rules: rules)
      match.deadline = deadline(of: match, after: entry.acceptedAt)
      self.match = match
      return
    }
    guard var match else { throw .misplaced("a statement before the deal") }
    match.take(entry)
    switch statement {
    case .matchDealt:
      throw .misplaced("a second deal")
    case .ruled(let ruling):
      guard pending == nil, endByDeadline == nil, endByRuling == nil, !match.awaitsEnd,
        let outcome = match.outcome(of: ruling)
      else { throw .misplaced("a ruling that cannot be") }
      endByRuling = outcome
      self.ruling = ruling
    case .seatFilled(let seat, let player, let why):
      guard endByRuling == nil, let pending, pending.player == player,
        match.seats.indices.contains(seat),
        match.seat(of: player) == nil, match.offersSeat(seat, to: pending),
        why?.merged.map({ $0 == MatchID(askedBy: player, event: pending.id) }) ?? true
      else { throw .misplaced("seat \(seat) cannot be filled by \(player)") }
      match.fill(seat: seat, with: player)
      meeting = why
      match.deadline = deadline(of: match, after: entry.acceptedAt)
      self.pending = nil
    case .deadlinePassed(let turn, let deadline, let queueTime, let credit):
      guard pending == nil, endByDeadline == nil, endByRuling == nil, !match.awaitsEnd,
        turn == match.turnNumber,
        deadline == match.deadline?.at, credit >= 0,
        queueTime >= deadline.adding(microseconds: credit)
      else { throw .misplaced("a deadline that had not passed") }
      endByDeadline = match.outcomeOfDeadline
    case .matchEnded(let outcome, let points, let head):
      guard head == self.head else { throw .wrongEnd("head is \(self.head), not \(head)") }
      guard points == match.points else { throw .wrongEnd("points are \(match.points)") }
      guard let expected = end(of: match) ?? merging(match, outcome) else {
        throw .wrongEnd("the match is not over")
      }
      guard outcome == expected else { throw .wrongEnd("the outcome is \(expected)") }
      match.end(outcome, at: entry.acceptedAt)
      (pending, endByDeadline, endByRuling) = (nil, nil, nil)
    }
    self.match = match
  }

  private func merging(_ match: Match, _ stated: Outcome) -> Outcome? {
    pending == nil ? match.mergedOutcome(stated) : nil
  }

  private func deadline(of match: Match, after time: Instant) -> Deadline? {
    match.due(after: time).map { Deadline(at: $0, creditMicroseconds: 0) }
  }

  private func end(of match: Match) -> Outcome? {
    if let endByRuling { return endByRuling }
    if let endByDeadline { return endByDeadline }
    if let pending { return match.outcome(of: pending) }
    return match.game.isOver ? .decided(.cleared, by: nil, points: match.points) : nil
  }

  /// Whether the signed requests before the deal ask for just that deal under just that id.
  private func checkRequests(_ deal: Deal) throws(Match.RecordFault) {
    guard let first = requests.first?.event else {
      throw .misplaced("a deal that nobody asked for")
    }
    let askers = requests.map { $0.event.player }
    let actions = requests.map { $0.event.action }
    let fits: Bool
    switch deal.terms.kind {
    case .rematch:
      guard let old = deal.predecessor else { throw .misplaced("a rematch of nothing") }
      fits =
        actions == [.rematchRequested(old), .rematchRequested(old)]
        && Set(askers.map(Optional.some)) == Set(deal.seats) && id == MatchID(successorOf: old)
    case .daily(let key):
      fits =
        actions == [.dailyStarted(key)] && deal.seats == [first.player]
        && deal.terms
          == Terms(kind: .daily(key), turnLimitSeconds: nil, language: key.language)
        && deal.predecessor == nil
        && (id == MatchID(daily: key, player: first.player)
          || key.mode == .timed && id == MatchID(dailyAgain: key, player: first.player))
    case .solo, .random, .invitation, .open:
      guard case .matchRequested(let request) = first.action, actions.count == 1 else {
        throw .misplaced("a deal that its request does not ask for")
      }
      fits =
        request.terms == deal.terms && request.fits(deal.seats, asker: first.player)
        && deal.predecessor == nil && id == MatchID(askedBy: first.player, event: first.id)
    }
    guard fits else { throw .misplaced("a deal that its request does not ask for") }
  }
}

extension Replay.Content {
  /// Whether it may follow the end of a match.
  fileprivate var isAnnulment: Bool {
    if case .statement(.ruled(let ruling)) = self { ruling.verdict == .annulled } else { false }
  }
}

extension MatchRequest {
  /// The terms of the match that is asked for.
  public var terms: Terms {
    let kind: Terms.Kind =
      switch opponent {
      case .random: .random
      case .player: .invitation
      case .open: .open
      case .nobody: .solo(.unlimited)
      case .clock: .solo(.timed)
      }
    return Terms(
      kind: kind, turnLimitSeconds: turnLimitSeconds, language: language, isCasual: isCasual)
  }

  func fits(_ seats: [PlayerID?], asker: PlayerID) -> Bool {
    switch opponent {
    case .random, .open: seats == [asker, nil]
    case .player(let player): seats == [asker, player]
    case .nobody, .clock: seats == [asker]
    }
  }
}

extension Match {
  /// Whether what a player did takes a seat that is offered: whether the code was right only the
  /// service knows.
  func offersSeat(_ seat: Int, to event: Event) -> Bool {
    switch (event.action, terms.kind, seats[seat].holder) {
    case (.matchRequested(let request), .random, .free):
      request.terms == terms
    case (.matchRequested(let request), .invitation, .invited(event.player)):
      request.terms == terms && seats.contains { $0.player.map { .player($0) } == request.opponent }
    case (.invitationAccepted, .invitation, .invited(event.player)): true
    case (.invitationAccepted(_, let code), .open, .free): code != nil
    default: false
    }
  }

  /// The outcome of a match that the service merges into another one: one without a turn in which
  /// somebody waits for anyone. Nil where that is not what is stated, or cannot be.
  func mergedOutcome(_ stated: Outcome) -> Outcome? {
    guard stage == .waiting, terms.kind == .random, turnNumber == 1, let into = stated.mergedInto,
      into != id
    else { return nil }
    return .merged(into: into, points: points)
  }

  /// How the match ends by what a player did; nil where it does not.
  func outcome(of event: Event) -> Outcome? {
    switch event.action {
    case .matchForfeited:
      guard let seat = seat(of: event.player), stage == .playing else { return nil }
      let reason: Outcome.Reason = seats.count == 1 ? .finished : .forfeited
      return .decided(reason, by: seats.count == 1 ? nil : seat, points: points)
    case .invitationDeclined:
      guard let seat = seats.firstIndex(where: { $0.holder == .invited(event.player) }) else {
        return nil
      }
      return .decided(.declined, by: seat, points: points)
    case .requestWithdrawn:
      guard stage == .waiting, let seat = seat(of: event.player) else { return nil }
      return .decided(.withdrawn, by: seat, points: points)
    default: return nil
    }
  }
}
