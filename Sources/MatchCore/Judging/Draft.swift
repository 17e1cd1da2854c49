import CubeLexicon
import CubeRules

/// A match while an event is judged: its former state, its new state, and the entries in between.
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

  /// The time of every change to the match now. It is the store's clock, but never before the time
  /// of the match's queue. If the clock is set back, a player who answers must not lose the
  /// difference.
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

  mutating func record() {
    let entry = match.nextEntry(received.signed, at: now)
    match.take(entry)
    entries.append(entry)
  }

  mutating func state(_ statement: Statement) {
    let entry = match.nextEntry(context.sign(statement, match.id), at: now)
    match.take(entry)
    entries.append(entry)
  }

  /// Ends the match. All its players are told, except the one who ended it.
  mutating func end(_ outcome: Outcome, endedBy player: PlayerID?) {
    state(.matchEnded(outcome, points: match.points, head: match.head))
    match.end(outcome, at: now)
    // A player whose match was merged hears of the merger, and plays on.
    if outcome.reason == .mergedInto { return }
    let turn = outcome.reason == .aborted && player != nil ? match.turnNumber : nil
    for other in match.players where other != player { push(.matchEnded, to: other, turn: turn) }
  }

  /// Ends the match if its deadline has passed in its queue. Time decides before the next event.
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

  /// A player takes a seat: first the event, then the service's statement, then the clock of the
  /// player to move starts.
  mutating func fill(seat: Int, with player: PlayerID, why: MeetingReason? = nil) {
    record()
    state(.seatFilled(seat: seat, player: player, why: why))
    let others = match.players
    match.fill(seat: seat, with: player)
    setDeadline()
    for other in others { push(.opponentJoined, to: other) }
  }

  /// The seat that a player may leave to somebody else now.
  func seatToLeave(of player: PlayerID) -> Int? {
    context.maySeatsBeLeft ? match.seatToLeave(of: player) : nil
  }

  /// The player of a seat leaves it, and the match goes on to wait for somebody else, with the place
  /// in line that it had. Nobody is told: a look at the match shows it, and the next joiner is news.
  mutating func leave(seat: Int, _ player: PlayerID, _ lexicon: Lexicon) {
    let puzzle =
      match.dealsAnew
      ? Dealer.puzzle(
        seed: context.secret.puzzleSeed(
          for: match.id, afterLeavings: match.leavings.count + 1), lexicon: lexicon) : nil
    state(.seatLeft(seat: seat, player: player, letters: puzzle?.description))
    match.leave(seat: seat, dealing: puzzle, at: now)
    setDeadline()
  }

  /// The time at which a turn is accepted. In a game against the clock it decides whether the game
  /// stands beside others, so it goes by the queue: a turn that waited in a backlog counts as accepted
  /// in the last moment that is not late. While the service itself is away, no tick says how late a
  /// turn is, and the store's clock decides.
  private var turnTime: Instant {
    let clock = context.clock(match.id)
    guard let end = match.lateAt, now > end, !match.isOverlong, let time = clock.time, time <= end,
      context.isTicking(clock)
    else { return now }
    return end
  }

  /// Plays the turn that the event holds.
  mutating func play<Words: WordList>(
    _ moves: [Move], words: Words
  ) throws(TurnRefusal) -> [Int] {
    let entry = match.nextEntry(received.signed, at: turnTime)
    let scores = try match.play(moves, entry: entry, words: words)
    entries.append(entry)
    setDeadline()
    return scores
  }

  /// Takes the reaction that the event holds.
  mutating func react() {
    let entry = match.nextEntry(received.signed, at: now)
    match.react(entry: entry)
    entries.append(entry)
  }

  /// Adds a push job.
  mutating func push(
    _ kind: PushJob.Kind, to player: PlayerID, about other: MatchID? = nil, turn: Int? = nil
  ) {
    pushes.append(
      PushJob(kind, to: player, match: other ?? match.id, turn: turn, causedBy: received.event))
  }

  /// Sets the rematch, which lies beside the record.
  mutating func setRematch(_ rematch: Match.Rematch) { match.rematch = rematch }

  /// Sets the time of the next step: a free seat filled, a turn played, a day over.
  private mutating func setDeadline() {
    guard let due = match.due(after: now) else {
      match.deadline = nil
      return
    }
    // A deadline that a turn does not move is set only once. Setting it anew would take back the
    // credit given since.
    if let deadline = match.deadline, deadline.at == due, !match.isTimedByTurn { return }
    match.deadline = Deadline(
      at: due, creditMicroseconds: context.clock(match.id).creditMicroseconds)
  }
}
