import CubeRules

/// A match while an event is judged: what it was, what it becomes, and the entries in between.
struct Draft {
  let before: Match?
  private(set) var match: Match
  private(set) var entries: [Entry]
  private(set) var pushes: [PushJob] = []
  let received: ReceivedEvent
  let context: JudgingContext

  /// Begins with a match that exists.
  init(_ match: Match, _ received: ReceivedEvent, _ context: JudgingContext) {
    before = match
    self.match = match
    entries = []
    self.received = received
    self.context = context
  }

  /// Deals a new match. `requests` are the signed events that asked for it, in order.
  init(
    dealing id: MatchID, terms: Terms, seats: [PlayerID?], lexicon: LexiconName, letters: String,
    predecessor: MatchID? = nil, requests: [SignedPayload], _ received: ReceivedEvent,
    _ context: JudgingContext
  ) throws(Match.RecordFault) {
    let now = Draft.now(id, context)
    var entries: [Entry] = []
    var head = Hash.zero
    for signed in requests {
      let entry = Entry(
        after: head, position: entries.count, acceptedAt: now, signed: signed)
      entries.append(entry)
      head = entry.hash
    }
    let deal = Deal(
      terms: terms, rules: context.rules.current.name, lexicon: lexicon, letters: letters,
      seats: seats,
      predecessor: predecessor)
    let dealEntry = Entry(
      after: head, position: entries.count, acceptedAt: now,
      signed: context.sign(.matchDealt(deal), id))
    match = try Match(
      id: id, deal: deal, requests: entries, dealEntry: dealEntry, deadline: nil,
      rules: context.rules)
    before = nil
    self.entries = entries + [dealEntry]
    self.received = received
    self.context = context
    setDeadline()
  }

  /// When whatever happens to the match now happens. The store's clock, but never before the time of
  /// the match's queue: who answers a clock that was set back must not lose the time that it lost.
  private var now: Instant { Draft.now(match.id, context) }

  static func now(_ match: MatchID, _ context: JudgingContext) -> Instant {
    max(context.now, context.clock(match).time ?? context.now)
  }

  /// The step to be written.
  var change: MatchChange {
    var after = match
    after.version = (before?.version ?? 0) + 1
    return MatchChange(before: before, after: after, entries: entries)
  }

  /// The version that the match will have.
  var version: Int64 { (before?.version ?? 0) + 1 }

  /// Adds the event itself to the record.
  mutating func record() {
    let entry = match.nextEntry(received.signed, at: now)
    match.take(entry)
    entries.append(entry)
  }

  /// Adds a statement of the service to the record.
  mutating func state(_ statement: Statement) {
    let entry = match.nextEntry(context.sign(statement, match.id), at: now)
    match.take(entry)
    entries.append(entry)
  }

  /// Ends the match; everyone who plays is told but the one who ended it.
  mutating func end(_ outcome: Outcome, endedBy player: PlayerID?) {
    state(.matchEnded(outcome, points: match.points, head: match.head))
    match.end(outcome, at: now)
    // Who is brought together with somebody hears of that, and plays on.
    if outcome.reason == .mergedInto { return }
    let turn = outcome.reason == .aborted && player != nil ? match.turnNumber : nil
    for other in match.players where other != player { push(.matchEnded, to: other, turn: turn) }
  }

  /// Ends the match if its deadline has passed in its queue: time decides before whatever comes
  /// next.
  mutating func applyDeadline() {
    guard let deadline = match.deadline, match.outcome == nil else { return }
    let clock = context.clock(match.id)
    guard match.isOverdue(clock), let queueTime = clock.time else { return }
    let outcome = match.outcomeOfDeadline
    state(
      .deadlinePassed(
        turn: match.turnNumber, deadline: deadline.at, queueTime: queueTime,
        creditMicroseconds: match.credit(clock)))
    end(outcome, endedBy: nil)
  }

  /// A player takes a seat: the event, then the service's word, then the clock starts for whoever
  /// is to play.
  mutating func fill(seat: Int, with player: PlayerID, why: MeetingReason? = nil) {
    record()
    state(.seatFilled(seat: seat, player: player, why: why))
    let others = match.players
    match.fill(seat: seat, with: player)
    setDeadline()
    for other in others { push(.opponentJoined, to: other) }
  }

  /// Plays the turn that the event holds.
  mutating func play<Words: WordList>(
    _ moves: [Move], words: Words
  ) throws(TurnRefusal) -> [Int] {
    let entry = match.nextEntry(received.signed, at: now)
    let scores = try match.play(moves, entry: entry, words: words)
    entries.append(entry)
    setDeadline()
    return scores
  }

  /// Adds a push job.
  mutating func push(
    _ kind: PushJob.Kind, to player: PlayerID, about other: MatchID? = nil, turn: Int? = nil
  ) {
    pushes.append(
      PushJob(kind, to: player, match: other ?? match.id, turn: turn, causedBy: received.event))
  }

  /// Changes what lies beside the record.
  mutating func setRematch(_ rematch: Match.Rematch) { match.rematch = rematch }

  /// Until when the next thing must happen: a free seat filled, a turn played, a day over.
  private mutating func setDeadline() {
    guard let due = match.due(after: now) else {
      match.deadline = nil
      return
    }
    // A deadline that a turn does not move is set once: set anew, it would take back the credit
    // given since.
    if let deadline = match.deadline, deadline.at == due, !match.isTimedByTurn { return }
    match.deadline = Deadline(
      at: due, creditMicroseconds: context.clock(match.id).creditMicroseconds)
  }
}
