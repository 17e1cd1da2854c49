import CubeLexicon
public import CubeRules

/// Folds a record: gives the state that its entries make, or says which entry is wrong.
///
/// It runs the same mutations as the live service. A replay cannot know some facts (credits, the
/// service's clock). It takes those from the service's statements. The caller must check the
/// signatures, and that each event or statement matches the entry's bytes.
public struct Replay: Sendable {
  /// The content of one entry.
  public enum Content: Hashable, Sendable {
    /// A player's event.
    case event(Event)
    /// The service's statement.
    case statement(Statement)
  }

  /// The match's id.
  public let id: MatchID
  /// The match as far as it was replayed. Nil before the deal. Its deadline assumes no credit at
  /// the time it was set, so that a match folded anew has more time rather than less. Version and
  /// rematch are not in a record.
  public var match: Match? {
    if case .dealt(let match, _) = stage { match } else { nil }
  }
  /// The moves of each turn with their scores, as they were played.
  public private(set) var turns: [PlayedTurn] = []
  /// The reason for the players' pairing, if chance decided and the service states it.
  public private(set) var meeting: MeetingReason?
  /// The matches in which players of this one had waited before.
  public private(set) var mergedMatches: Set<MatchID> = []
  /// Whether the match ended because a player gave it up, or because the player's account ended.
  public private(set) var isGivenUp = false
  /// Whether the account of a player has ended, and the match is about to.
  private var isLeft = false
  /// The seat that its player may leave by the last entry.
  private var leavable: Int?
  private let rules: Rulebook
  private var stage = Stage.requested([])
  /// The last ruling of an operator.
  public private(set) var ruling: Ruling?
  private var head: Hash = .zero
  private var position = 0

  /// The progress of the record.
  private enum Stage {
    /// Nothing is dealt. These events ask for the match.
    case requested([Request])
    /// The match is dealt, and something is due.
    case dealt(Match, Due)
  }

  /// The kind of entry that may come next after the deal.
  private enum Due {
    /// Anything that the match allows.
    case anything
    /// The service's statement about a player's event.
    case answer(to: Event)
    /// The statement that the match has ended with this outcome.
    case end(Outcome)
    /// Nothing but an annulment: the match is over.
    case annulment
  }

  /// An event that asked for the match.
  private typealias Request = (entry: Entry, event: Event)

  /// A turn as it was accepted.
  public struct PlayedTurn: Hashable, Sendable {
    /// 1 for the first.
    public var number: Int
    public var seat: Int
    public var moves: [Move]
    /// The score of each move.
    public var scores: [Int]
    public var acceptedAt: Instant
    /// The hash of its entry.
    public var hash: Hash
    /// The other player's reaction to it.
    public var reaction: Reaction?
  }

  /// A word of the match, with which a player answered a turn.
  public struct Reaction: Hashable, Sendable {
    public var seat: Int
    public var word: String
  }

  public init(id: MatchID, rules: Rulebook = .standard) { (self.id, self.rules) = (id, rules) }

  /// Takes the next entry.
  /// - Throws: `Match.RecordFault` if the entry cannot stand here or its content does not follow.
  ///   Nothing has changed then.
  public mutating func take<Words: WordList>(
    _ entry: Entry, _ content: Content, words: Words
  ) throws(Match.RecordFault) {
    guard entry.position == position else {
      throw .misplaced("position \(entry.position) where \(position) follows")
    }
    let hash = Entry.hash(
      after: head, position: position, acceptedAt: entry.acceptedAt, signed: entry.signed)
    guard entry.hash == hash else { throw .misplaced("hash \(entry.hash) where \(hash) follows") }
    stage = try next(entry, content, words: words)
    head = entry.hash
    position += 1
  }

  /// Whether the record is whole, that is, ends with the statement that the match is over.
  public var isClosed: Bool {
    if case .dealt(_, .annulment) = stage { true } else { false }
  }

  private mutating func next<Words: WordList>(
    _ entry: Entry, _ content: Content, words: Words
  ) throws(Match.RecordFault) -> Stage {
    switch (stage, content) {
    case (.requested(let requests), .event(let event)):
      guard requests.count < 2 else { throw .misplaced("more than two requests before the deal") }
      return .requested(requests + [(entry, event)])
    case (.requested(let requests), .statement(.matchDealt(let deal))):
      return .dealt(try begin(deal, entry, after: requests), .anything)
    case (.requested, .statement): throw .misplaced("a statement before the deal")
    case (.dealt(_, .annulment), _) where !content.isAnnulment:
      throw .misplaced("an entry after the end")
    case (.dealt(var match, .anything), .event(let event)):
      let due = try take(entry, event, &match, words: words)
      return .dealt(match, due)
    case (.dealt, .event): throw .misplaced("an event where a statement must follow")
    case (.dealt, .statement(.matchDealt)): throw .misplaced("a second deal")
    case (.dealt(var match, let due), .statement(let statement)):
      if case .playerGone(let player) = statement { leavable = match.seatToLeave(of: player) }
      match.take(entry)
      let next = try take(statement, at: entry.acceptedAt, &match, due)
      return .dealt(match, next)
    }
  }

  private func begin(
    _ deal: Deal, _ entry: Entry, after requests: [Request]
  ) throws(Match.RecordFault) -> Match {
    try check(requests, deal)
    var match = try Match(
      id: id, deal: deal, requests: requests.map { $0.entry }, dealEntry: entry, deadline: nil,
      rules: rules)
    match.deadline = deadline(of: match, after: entry.acceptedAt)
    return match
  }

  private mutating func take<Words: WordList>(
    _ entry: Entry, _ event: Event, _ match: inout Match, words: Words
  ) throws(Match.RecordFault) -> Due {
    guard event.match == nil || event.match == id else {
      throw .misplaced("it names match \(event.match?.description ?? "")")
    }
    switch event.action {
    case .turnPlayed(let played):
      turns.append(try play(played.turn, by: event.player, entry, &match, words: words))
      match.deadline = deadline(of: match, after: entry.acceptedAt)
      return due(in: match)
    case .reacted(let reaction):
      guard let seat = match.seat(of: event.player), !turns.isEmpty,
        match.refusal(of: reaction, by: event.player) == nil
      else { throw .misplaced("a reaction to turn \(reaction.turn) that cannot be") }
      match.react(entry: entry)
      turns[turns.count - 1].reaction = Reaction(seat: seat, word: reaction.word)
      return .anything
    case .matchRequested, .invitationAccepted, .matchForfeited, .invitationDeclined,
      .requestWithdrawn:
      leavable = event.isForfeit ? match.seatToLeave(of: event.player) : nil
      match.take(entry)
      return .answer(to: event)
    case .playerRegistered, .dailyStarted, .rematchRequested, .rematchDeclined, .gameShared,
      .settingsChanged, .deviceRegistered, .deviceRemoved, .deviceInvited, .keyAdded, .keyRemoved,
      .recoveryKeyNamed, .playerRecovered, .recoveryObjected, .recoveryWithdrawn, .recoveryDue,
      .inboxSeen, .nudged, .notificationTested, .playerBlocked, .playerUnblocked, .reported,
      .ticked, .mergeProposed,
      .deadlinePassed, .ruled:
      throw .misplaced("no such event belongs into a record")
    }
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
      scores = try match.play(turn.moves, entry: entry, words: words)
    } catch {
      throw .illegalTurn(error)
    }
    return PlayedTurn(
      number: turn.number, seat: seat, moves: turn.moves, scores: scores,
      acceptedAt: entry.acceptedAt, hash: entry.hash)
  }

  private mutating func take(
    _ statement: Statement, at time: Instant, _ match: inout Match, _ due: Due
  ) throws(Match.RecordFault) -> Due {
    switch (statement, due) {
    case (.ruled(let ruling), .anything), (.ruled(let ruling), .annulment):
      guard let outcome = match.outcome(of: ruling) else {
        throw .misplaced("a ruling that cannot be")
      }
      self.ruling = ruling
      return .end(outcome)
    case (.ruled, .answer), (.ruled, .end): throw .misplaced("a ruling that cannot be")
    case (.playerGone(let player), .anything):
      guard let outcome = match.outcome(without: player) else {
        throw .misplaced("player \(player) cannot leave")
      }
      isLeft = true
      return .end(outcome)
    case (.playerGone(let player), _): throw .misplaced("player \(player) cannot leave")
    case (.seatFilled(let seat, let player, let why), .answer(let event))
    where match.canFill(seat, with: player, by: event, why):
      match.fill(seat: seat, with: player)
      meeting = why
      if let merged = why?.merged { mergedMatches.insert(merged) }
      match.deadline = deadline(of: match, after: time)
      return self.due(in: match)
    case (.seatFilled(let seat, let player, _), _):
      throw .misplaced("seat \(seat) cannot be filled by \(player)")
    case (.seatLeft(let seat, let player, let letters), .answer),
      (.seatLeft(let seat, let player, let letters), .end):
      guard leavable == seat, match.seats[seat].player == player,
        match.dealsAnew == (letters != nil)
      else { throw .misplaced("seat \(seat) cannot be left by \(player)") }
      let puzzle = letters.flatMap { Puzzle($0) }
      guard (puzzle == nil) == (letters == nil) else { throw .badLetters }
      (isLeft, meeting, leavable) = (false, nil, nil)
      match.leave(seat: seat, dealing: puzzle, at: time)
      match.deadline = deadline(of: match, after: time)
      return .anything
    case (.seatLeft(let seat, let player, _), _):
      throw .misplaced("seat \(seat) cannot be left by \(player)")
    case (.deadlinePassed(let turn, let deadline, let queueTime, let credit), .anything)
    where turn == match.turnNumber && deadline == match.deadline?.at && credit >= 0
      && queueTime >= deadline.adding(microseconds: credit):
      return .end(match.outcomeOfDeadline)
    case (.deadlinePassed, _): throw .misplaced("a deadline that had not passed")
    case (.matchEnded(let outcome, let points, let head), _):
      guard head == self.head else { throw .wrongEnd("head is \(self.head), not \(head)") }
      guard points == match.points else { throw .wrongEnd("points are \(match.pointsText)") }
      guard let expected = end(of: match, due, stated: outcome) else {
        throw .wrongEnd("the match is not over")
      }
      let answered: Event? = if case .answer(let event) = due { event } else { nil }
      guard outcome == expected || outcome == answered.flatMap(match.formerOutcome) else {
        throw .wrongEnd("the outcome is \(expected)")
      }
      isGivenUp = answered?.isForfeit == true || isLeft
      isLeft = false
      match.end(outcome, at: time)
      return .annulment
    case (.matchDealt, _): throw .misplaced("a second deal")
    }
  }

  /// The statement due after a turn or a new player.
  private func due(in match: Match) -> Due {
    match.game.isOver ? .end(.decided(.cleared, by: nil, points: match.points)) : .anything
  }

  /// The outcome that is due. If none is due, the match may have been merged.
  private func end(of match: Match, _ due: Due, stated: Outcome) -> Outcome? {
    switch due {
    case .end(let outcome): outcome
    case .answer(let event): match.outcome(of: event)
    case .anything: match.mergedOutcome(stated)
    case .annulment: nil
    }
  }

  private func deadline(of match: Match, after time: Instant) -> Deadline? {
    match.due(after: time).map { Deadline(at: $0, creditMicroseconds: 0) }
  }

  /// Whether the signed requests before the deal ask for exactly that deal under exactly that id.
  private func check(_ requests: [Request], _ deal: Deal) throws(Match.RecordFault) {
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

extension Event {
  /// Whether a player gives a match up.
  fileprivate var isForfeit: Bool {
    if case .matchForfeited = action { true } else { false }
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
  /// Whether the service may state that a player's event has filled a seat.
  fileprivate func canFill(
    _ seat: Int, with player: PlayerID, by event: Event, _ why: MeetingReason?
  ) -> Bool {
    event.player == player && seats.indices.contains(seat) && self.seat(of: player) == nil
      && !wasLeft(by: player)
      && offersSeat(seat, to: event)
      && why?.merged.map { $0 == MatchID(askedBy: player, event: event.id) } ?? true
  }

  /// Whether a player's event takes an offered seat. Only the service knows whether the code was
  /// right.
  func offersSeat(_ seat: Int, to event: Event) -> Bool {
    switch (event.action, terms.kind, seats[seat].holder) {
    case (.matchRequested(let request), .random, .free):
      request.terms == terms
    case (.matchRequested(let request), .invitation, .invited(event.player)):
      request.terms == terms && seats.contains { $0.player.map { .player($0) } == request.opponent }
    case (.invitationAccepted, .invitation, .invited(event.player)): true
    case (.invitationAccepted(let accepted), .open, .free): accepted.code != nil
    default: false
    }
  }

  /// The outcome of a match that the service merges into another one. Such a match has no turn, and
  /// its player waits for anyone. Nil if the statement is another one, or is impossible.
  func mergedOutcome(_ stated: Outcome) -> Outcome? {
    guard stage == .waiting, terms.kind == .random, turnNumber == 1, let into = stated.mergedInto,
      into != id
    else { return nil }
    return .merged(into: into, points: points)
  }

  /// The outcome in older builds of a match that is given up before its first turn: the same as for
  /// any other match. Such records are valid for ever. Nil if the outcome is the same in this
  /// build.
  func formerOutcome(of event: Event) -> Outcome? {
    guard let outcome = outcome(of: event), outcome.reason == .aborted else { return nil }
    return .decided(.forfeited, by: outcome.seat, points: points)
  }

  /// The outcome of a running match that the player of a seat gives up.
  func outcomeOfGivingUp(_ seat: Int) -> Outcome {
    if seats.count == 1 { return .decided(.finished, by: nil, points: points) }
    return .decided(turnNumber > 1 ? .forfeited : .aborted, by: seat, points: points)
  }

  /// The outcome that a player's event gives the match. Nil if it does not end it.
  func outcome(of event: Event) -> Outcome? {
    switch event.action {
    case .matchForfeited:
      guard let seat = seat(of: event.player) else { return nil }
      switch stage {
      // Nobody has joined it, so nobody has won.
      case .waiting: return .decided(.withdrawn, by: seat, points: points)
      case .playing: return outcomeOfGivingUp(seat)
      case .ended: return nil
      }
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
