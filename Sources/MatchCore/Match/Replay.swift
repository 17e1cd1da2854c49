import CubeLexicon
public import CubeRules

/// Folds a record: gives the state that its entries make, or says which entry does not hold.
///
/// The same mutations as in the live service run here; what a replay cannot know (credits, the service's clock) it
/// takes from the service's statements.
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
  /// The match as far as it was replayed; nil before the deal.
  public private(set) var match: Match?
  /// The moves of each turn with their scores, as they were played.
  public private(set) var turns: [PlayedTurn] = []
  private var requests: [(entry: Entry, event: Event)] = []
  private var pending: (entry: Entry, event: Event)?
  private var headBefore: Hash = .zero
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
  public init(id: MatchID) { self.id = id }

  /// Takes the next entry.
  /// - Throws: `Match.RecordFault` where the entry cannot stand here or what it says does not follow.
  public mutating func take<Words: WordList>(
    _ entry: Entry, _ content: Content, words: Words
  ) throws(Match.RecordFault) {
    guard entry.position == position else {
      throw .misplaced("position \(entry.position) where \(position) follows")
    }
    if match?.outcome != nil { throw .misplaced("an entry after the end") }
    switch content {
    case .event(let event): try take(entry, event, words: words)
    case .statement(let statement): try take(entry, statement)
    }
    headBefore = entry.hash
    position += 1
  }

  /// Whether the record is whole: it ends with the statement that the match is over.
  public var isClosed: Bool { match?.outcome != nil }

  private mutating func take<Words: WordList>(
    _ entry: Entry, _ event: Event, words: Words
  ) throws(Match.RecordFault) {
    guard pending == nil else { throw .misplaced("an event where a statement must follow") }
    guard var match else {
      requests.append((entry, event))
      guard requests.count <= 2 else { throw .misplaced("more than two requests before the deal") }
      return
    }
    switch event.action {
    case .turnPlayed(let named, let turn):
      guard named == id else { throw .wrongTurn("it names match \(named)") }
      guard match.seats[match.seatToPlay].player == event.player else {
        throw .wrongTurn("it is not the turn of \(event.player)")
      }
      guard turn.number == match.turnNumber else {
        throw .wrongTurn("turn \(turn.number) where \(match.turnNumber) follows")
      }
      guard turn.previous == match.previousTurnHash else {
        throw .wrongTurn("it builds on \(turn.previous), not on \(match.previousTurnHash)")
      }
      let seat = match.seatToPlay
      do {
        let scores = try match.play(turn.moves, entry: { _ in entry }, words: words)
        turns.append(
          PlayedTurn(
            number: turn.number, seat: seat, moves: turn.moves, scores: scores,
            acceptedAt: entry.acceptedAt, hash: entry.hash))
      } catch {
        throw .illegalTurn(error)
      }
    case .matchRequested, .invitationAccepted, .matchForfeited, .invitationDeclined,
      .requestWithdrawn:
      if event.match != nil, event.match != id {
        throw .misplaced("it names match \(event.match?.description ?? "")")
      }
      match.take(entry)
      pending = (entry, event)
    default:
      throw .misplaced("no such event belongs into a record")
    }
    self.match = match
  }

  private mutating func take(
    _ entry: Entry, _ statement: Statement
  ) throws(Match.RecordFault) {
    if case .matchDealt(let deal) = statement {
      guard match == nil else { throw .misplaced("a second deal") }
      try checkRequests(deal)
      match = try Match(
        id: id, deal: deal, requests: requests.map(\.entry), dealEntry: entry, deadline: nil)
      return
    }
    guard var match else { throw .misplaced("a statement before the deal") }
    match.take(entry)
    switch statement {
    case .matchDealt:
      throw .misplaced("a second deal")
    case .seatFilled(let seat, let player):
      guard pending?.event.player == player, match.seats.indices.contains(seat),
        match.seats[seat].holder == .free || match.seats[seat].holder == .invited(player),
        match.seat(of: player) == nil
      else { throw .misplaced("seat \(seat) cannot be filled by \(player)") }
      match.fill(seat: seat, with: player)
      pending = nil
    case .deadlinePassed(let turn, let deadline, let queueTime, let credit):
      guard pending == nil, turn == match.turnNumber,
        queueTime >= deadline.adding(microseconds: credit)
      else { throw .misplaced("a deadline that had not passed") }
      expectedEnd = match.outcomeOfDeadline
    case .matchEnded(let outcome, let points, let head):
      guard head == headBefore else { throw .wrongEnd("head is \(headBefore), not \(head)") }
      guard points == match.points else { throw .wrongEnd("points are \(match.points)") }
      guard let expected = end(of: match) else { throw .wrongEnd("the match is not over") }
      guard outcome == expected else { throw .wrongEnd("the outcome is \(expected)") }
      match.end(outcome, at: entry.acceptedAt)
      pending = nil
    }
    self.match = match
  }

  private var expectedEnd: Outcome?

  private func end(of match: Match) -> Outcome? {
    if let expectedEnd { return expectedEnd }
    if let pending { return match.outcome(of: pending.event) }
    return match.game.isOver ? .decided(.cleared, by: nil, points: match.points) : nil
  }

  private func checkRequests(_ deal: Deal) throws(Match.RecordFault) {
    let askers = requests.map(\.event.player)
    guard let first = askers.first, deal.seats.contains(first) else {
      throw .misplaced("a deal that nobody asked for")
    }
    let actions = requests.map(\.event.action)
    let fits: Bool
    switch deal.terms.kind {
    case .rematch:
      fits =
        askers.count == 2 && Set(askers.map(Optional.some)) == Set(deal.seats)
        && deal.predecessor != nil
        && actions.allSatisfy { $0 == .rematchRequested(deal.predecessor ?? id) }
    case .daily(let key):
      fits = actions == [.dailyStarted(key)]
    case .solo, .random, .invitation, .open:
      guard case .matchRequested(let request)? = actions.first, actions.count == 1 else {
        throw .misplaced("a deal that its request does not ask for")
      }
      fits = request.terms == deal.terms && request.fits(deal.seats, asker: first)
    }
    guard fits else { throw .misplaced("a deal that its request does not ask for") }
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
      case .nobody: .solo
      }
    return Terms(kind: kind, turnLimitSeconds: turnLimitSeconds, language: language)
  }

  func fits(_ seats: [PlayerID?], asker: PlayerID) -> Bool {
    switch opponent {
    case .random, .open: seats == [asker, nil]
    case .player(let player): seats == [asker, player]
    case .nobody: seats == [asker]
    }
  }
}

extension Match {
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
