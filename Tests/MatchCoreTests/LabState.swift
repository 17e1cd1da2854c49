public import CubeRules
public import CustomDump
public import MatchCore

/// All contents of the lab's store, in the form in which a test states them.
struct LabState: Equatable {
  var matches: [MatchID: MatchSnapshot]
  /// The kinds of the entries of each record, in order.
  var records: [MatchID: [EntryKind]]
  /// The rows by which a match is found, one line each.
  var rows: [MatchID: [String]]
  var players: [PlayerID: PlayerName]
}

/// Every field of a match; a test can set each.
struct MatchSnapshot: Equatable {
  var version: Int64
  var terms: Terms
  var lexicon: LexiconName
  var dealtAt: Instant
  var predecessor: MatchID?
  var seats: [Match.Seat]
  var stage: Match.Stage
  var game: CubeGame
  var turnNumber: Int
  var seatToPlay: Int
  var previousTurnHash: Hash
  var head: Hash
  var entryCount: Int
  var deadline: Deadline?
  var turnFingerprints: [UInt64]
  var rematch: Match.Rematch
  var isOverlong = false
  var hasReaction = false
  var leavings: [Match.Leaving] = []

  init(_ match: Match) {
    version = match.version
    terms = match.terms
    lexicon = match.lexicon
    dealtAt = match.dealtAt
    predecessor = match.predecessor
    seats = match.seats
    stage = match.stage
    game = match.game
    turnNumber = match.turnNumber
    seatToPlay = match.seatToPlay
    previousTurnHash = match.previousTurnHash
    head = match.head
    entryCount = match.entryCount
    deadline = match.deadline
    turnFingerprints = match.turnFingerprints
    rematch = match.rematch
    isOverlong = match.isOverlong
    hasReaction = match.hasReaction
    leavings = match.leavings
  }

  /// A match that was just dealt, by the fields that a test states.
  init(
    terms: Terms, seats: [Match.Seat.Holder], stage: Match.Stage, deadline: Deadline?,
    letters: String
  ) {
    version = 1
    self.terms = terms
    lexicon = "every-word"
    dealtAt = .noon
    predecessor = nil
    self.seats = seats.map { Match.Seat(holder: $0) }
    self.stage = stage
    game = CubeGame(puzzle: required(Puzzle(letters)))
    turnNumber = 1
    seatToPlay = 0
    previousTurnHash = .zero
    head = .zero
    entryCount = 0
    self.deadline = deadline
    turnFingerprints = []
    rematch = .init()
  }

  /// The part that a replay can know: no version, no rematch, only the instant of a deadline.
  var asReplayed: MatchSnapshot {
    var replayed = self
    replayed.version = 0
    replayed.rematch = .init()
    replayed.deadline?.creditMicroseconds = 0
    return replayed
  }

  /// Seats, points, cube and number after a turn.
  mutating func plays(_ moves: [Move], scores: [Int]) {
    for move in moves { _ = try? game.apply(move, words: AnyWord()) }
    seats[seatToPlay].points += scores.reduce(0, +)
    seats[seatToPlay].turnCount += 1
    seatToPlay = seats.count - 1 - seatToPlay
    turnNumber += 1
    turnFingerprints.append(Match.fingerprint(of: moves))
  }
}

/// A word list for the consequences of moves that are known to be legal.
struct AnyWord: WordList {
  func contains(_ spelling: Spelling) -> Bool { true }
}

/// The kind of an entry. That of an event bears the event's name.
enum EntryKind: String, Equatable {
  case matchRequested, dailyStarted, invitationAccepted, invitationDeclined, requestWithdrawn
  case turnPlayed, reacted, matchForfeited, rematchRequested
  case matchDealt, seatFilled, seatLeft, deadlinePassed, ruled, playerGone, matchEnded
  case unexpected

  init(_ content: Replay.Content) {
    self =
      switch content {
      case .event(let event):
        // The service's own acts are told by statements.
        event.isFromService
          ? .unexpected : EntryKind(rawValue: event.action.typeName) ?? .unexpected
      case .statement(let statement):
        switch statement {
        case .matchDealt: .matchDealt
        case .seatFilled: .seatFilled
        case .seatLeft: .seatLeft
        case .deadlinePassed: .deadlinePassed
        case .ruled: .ruled
        case .playerGone: .playerGone
        case .matchEnded: .matchEnded
        }
      }
  }
}

/// The consequences of an event, as a test states them. Begins with the unchanged state, no reply
/// and no push job.
struct Expectation {
  var state: LabState
  var reply: Reply?
  var pushes: [PushJob] = []
  let sent: SentEvent
  private let now: Instant
  private let clock: QueueClock

  init(state: LabState, sent: SentEvent, lab: MatchLab) {
    self.state = state
    self.sent = sent
    now = lab.now
    clock = lab.clock
  }

  /// The event's own match, where it makes one.
  var newMatch: MatchID { sent.newMatch }

  /// A deadline that is set now.
  func deadline(in seconds: Int64) -> Deadline {
    Deadline(at: now.adding(seconds: seconds), creditMicroseconds: clock.creditMicroseconds)
  }

  /// A push job that the event owes.
  mutating func push(
    _ kind: PushJob.Kind, to player: TestPlayer, _ match: MatchID, turn: Int? = nil
  ) {
    pushes.append(PushJob(kind, to: player.id, match: match, turn: turn, causedBy: sent.event))
  }

  /// The player is told that keys or recovery have changed.
  mutating func tell(_ player: TestPlayer = .ann) {
    pushes.append(PushJob(account: player.id, causedBy: sent.event))
  }

  /// A match that begins: its requests, then the deal, are its entries.
  mutating func begins(
    _ id: MatchID, _ snapshot: MatchSnapshot, requests: [SentEvent]? = nil,
    rows: [String]
  ) {
    var snapshot = snapshot
    snapshot.dealtAt = now
    state.matches[id] = snapshot
    state.rows[id] = rows
    for request in requests ?? [sent] { append(.event(request.event), by: request.player, to: id) }
    let deal = Deal(
      terms: snapshot.terms, rules: "cube-1", lexicon: snapshot.lexicon,
      letters: snapshot.game.puzzle.description,
      seats: snapshot.seats.map {
        switch $0.holder {
        case .free: nil
        case .invited(let player), .taken(let player): player
        }
      }, predecessor: snapshot.predecessor)
    append(.statement(.matchDealt(deal)), by: .service, to: id)
    let dealt = head(of: id)
    state.matches[id]?.previousTurnHash = dealt
  }

  /// The hash of the newest entry that was stated.
  func head(of id: MatchID) -> Hash { state.matches[id]?.head ?? .zero }

  /// A turn that counts: its entry, the cube, points, number and hash; the next deadline in so many
  /// seconds.
  mutating func plays(
    _ id: MatchID, _ moves: [Move], scores: [Int], nextDeadlineIn seconds: Int64? = day
  ) {
    changes(id, event: true) { $0.plays(moves, scores: scores) }
    let turnHash = head(of: id)
    state.matches[id]?.previousTurnHash = turnHash
    if let seconds {
      let next = deadline(in: seconds)
      state.matches[id]?.deadline = next
    }
  }

  /// The reply to a turn that counts, once its effects are stated.
  mutating func acceptsTurn(
    _ number: Int, _ id: MatchID, version: Int64, scores: [Int], points: [Int], hash: Hash,
    seatToPlay: Int, outcome: Outcome? = nil
  ) {
    reply = .accepted(
      .turnAccepted(
        TurnReceipt(
          match: id, version: version, turn: number, scores: scores, points: points, hash: hash,
          seatToPlay: seatToPlay, outcome: outcome)))
  }

  /// A match that changes: its version goes up by one, and entries are appended; `body` states the
  /// other changes.
  mutating func changes(
    _ id: MatchID, event: Bool = false, rows: [String]? = nil,
    _ body: (inout MatchSnapshot) -> Void = { _ in }
  ) {
    state.matches[id]?.version += 1
    if event { append(.event(sent.event), by: sent.player, to: id) }
    if let rows { state.rows[id] = rows }
    changed(id, body)
  }

  /// Changes of a match whose entries are stated.
  mutating func changed(_ id: MatchID, _ body: (inout MatchSnapshot) -> Void) {
    guard var match = state.matches[id] else { return }
    body(&match)
    state.matches[id] = match
  }

  /// The service states something in a match.
  mutating func states(_ statement: Statement, in id: MatchID) {
    append(.statement(statement), by: .service, to: id)
  }

  /// The service states the end of a match, and the match is over.
  mutating func ends(_ id: MatchID, _ outcome: Outcome, rows: [String]) {
    guard let match = state.matches[id] else { return }
    states(
      .matchEnded(outcome, points: match.seats.map(\.points), head: match.head), in: id)
    state.matches[id]?.stage = .ended(outcome, at: now)
    state.matches[id]?.deadline = nil
    state.rows[id] = rows
  }

  private mutating func append(_ content: Replay.Content, by player: TestPlayer, to id: MatchID) {
    guard var match = state.matches[id] else { return }
    let signed =
      switch content {
      case .event(let event): player.receive(event).signed
      case .statement(let statement): SignedPayload.statement(statement, in: id)
      }
    match.head = Entry.hash(
      after: match.head, position: match.entryCount, acceptedAt: now, signed: signed)
    match.entryCount += 1
    state.matches[id] = match
    state.records[id, default: []].append(EntryKind(content))
  }
}

extension Listing {
  /// The rows as lines to state.
  func lines(_ names: [PlayerID: PlayerName]) -> [String] {
    let name = { (player: PlayerID?) in player.map { names[$0]?.text ?? "?" } ?? "nobody" }
    var lines = seats.map { row in
      "seat \(row.seat) \(name(row.player))\(row.isInvited ? " invited" : "")"
        + "\(row.isOver ? " over" : "")"
    }
    for row in pastGames {
      let score = [row.points, row.opponentPoints].compactMap { $0 }.map(String.init)
      lines.append(
        "past \(name(row.player)) \(row.result) \(score.joined(separator: ":")) against "
          + "\(name(row.opponent)) \(row.reason)")
    }
    if let row = openSeat {
      let turn = row.hasTurn ? " with a turn" : ""
      lines.append("open \(row.terms.turnLimitSeconds ?? 0)\(turn)")
    }
    if let pairKey { lines.append("pair \(pairKey.split(separator: " ").suffix(2).joined())") }
    if let offer = rematchOffer { lines.append("offer \(name(offer.from)) to \(name(offer.to))") }
    if let score = dailyScore {
      lines.append("daily \(score.key.day) \(name(score.player)) \(score.points)")
    }
    return lines
  }
}

extension CubeGame: CustomDumpStringConvertible {
  /// Short, so that a difference can be read.
  public var customDumpDescription: String {
    "CubeGame(\(inPlay.count) cubes, words \(playedWords), uses "
      + "\(Face.all.map { String(uses(of: $0)) }.joined()))"
  }
}

extension Hash: CustomDumpStringConvertible {
  /// The first digits.
  public var customDumpDescription: String { "Hash(\(description.prefix(12)))" }
}
