import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire

/// Checks one match: its record by itself, and everything stored beside it against its record.
struct MatchCheck {
  /// The facts that a check needs beyond the match.
  struct Context {
    var identity: ServiceIdentity
    var rules: Rulebook
    var lexicons: Lexicons
    var verifier: SignatureVerifier
    var owners: [PublicKey: PlayerID]
    var origins: OriginCheck
    var replies: [EventKey: StoredReply]
    /// Replies to events older than this may be gone by right.
    var repliesSince: Instant
    /// Push jobs that were owed before this may be gone by right.
    var jobsSince: Instant
    /// Offers of a rematch that were made before this may be gone by right.
    var offersSince: Instant
    /// Scores of challenges of days before this may be gone by right.
    var scoresSince: Day
    /// Whether no job is on its way in a queue.
    var jobsAreComplete: Bool
    /// Rematches that exist.
    var successors: Set<MatchID>
  }

  /// The payload of an entry, decoded.
  typealias Content = Result<PayloadCodec.Content, Refusal>

  /// A player's event in the record, with the match after it.
  private struct Said {
    var event: Event
    var entry: Entry
    /// The match after the entry; nil before the deal.
    var after: Match?
  }

  private let id: MatchID
  private let stored: StoredMatch
  private let context: Context
  private(set) var violations: [Violation] = []
  private(set) var owed: OwedJobs
  /// The push jobs that are owed and nowhere to be found, and those that nothing owes.
  private(set) var missing: [OwedJob] = []
  private(set) var unexpected: [StoredJob] = []
  /// The match that the record gives, as far as it holds.
  var folded: Match? { replay.match }
  private var replay: Replay
  private var said: [Said] = []

  init(_ id: MatchID, _ stored: StoredMatch, _ context: Context) {
    self.id = id
    self.stored = stored
    self.context = context
    owed = OwedJobs(match: id)
    replay = Replay(id: id, rules: context.rules)
  }

  /// Checks everything; a record that does not hold is followed only to its first fault.
  /// - Parameter contents: The decoded payloads of the record, in order.
  mutating func run(_ contents: [Content]) {
    guard !stored.isAnnulledDamaged else { return checkAnnulled() }
    for (entry, content) in zip(stored.record, contents) {
      if let violation = check(entry, content) {
        violations.append(violation)
        return
      }
    }
    if let violation = cutViolation {
      violations.append(violation)
      return
    }
    checkState()
    checkRating()
    checkReplies()
    checkJobs()
  }

  // MARK: The record

  private mutating func check(_ entry: Entry, _ content: Content) -> Violation? {
    func fault(_ kind: Violation.Kind, _ text: String) -> Violation {
      Violation(kind, in: id, at: entry.position, since: entry.acceptedAt, text)
    }
    let decoded: PayloadCodec.Content
    switch content {
    case .success(let content): decoded = content
    case .failure(let refusal): return fault(.entryUnreadable, refusal.message)
    }
    let before = replay.match
    switch decoded {
    case .event(let event):
      guard event.service == context.identity.service else {
        return fault(.entryUnreadable, "it is meant for another service")
      }
      guard context.owners[entry.signed.key] == event.player else {
        return fault(.entryForged, "its key is not one of player \(event.player)'s")
      }
      guard context.origins.speaks(entry.signed.key, for: event.player) else {
        return fault(.entryForged, "nothing signed says that its key is player \(event.player)'s")
      }
      guard context.verifier.isValid(entry.signed, .event) else {
        return fault(.entryForged, "its signature is not its key's")
      }
      if said.contains(where: { $0.event.id == event.id && $0.event.player == event.player }) {
        return fault(.entryRepeated, "event \(event.id) stands in the record before")
      }
    case .statement(let statement):
      guard statement.service == context.identity.service, statement.match == id else {
        return fault(.entryUnreadable, "it is about another match or service")
      }
      guard context.identity.isWorkingKey(entry.signed.key, at: entry.acceptedAt),
        context.verifier.isValid(entry.signed, .service)
      else { return fault(.entryForged, "the service did not sign it") }
    }
    // Only entries after the deal are judged with words.
    let lexicon = before.map { context.lexicons.named($0.lexicon) } ?? .everyWord
    guard let lexicon else {
      let name = before?.lexicon ?? ""
      return fault(.entryUnreadable, "this build does not have the word list \(name)")
    }
    do {
      try replay.take(entry, decoded.replayed, words: lexicon)
    } catch .unknownRules(let name) {
      return fault(.entryUnreadable, "this build does not have the rules \(name)")
    } catch {
      return fault(.entryMisplaced, "\(error)")
    }
    if case .event(let event) = decoded {
      said.append(Said(event: event, entry: entry, after: replay.match))
    }
    owed.take(decoded.replayed, at: entry.acceptedAt, before: before, after: replay.match)
    return nil
  }

  /// The end of the record is gone, if there was no deal yet, or the state or anything else has
  /// seen more of it.
  private var cutViolation: Violation? {
    func cut(_ text: String) -> Violation {
      Violation(
        .entryMissing, in: id, at: stored.record.count, since: stored.record.last?.acceptedAt, text)
    }
    guard let replayed = replay.match else {
      return cut(stored.record.isEmpty ? "it has no record" : "it was never dealt")
    }
    if let state = stored.state, state.entryCount > stored.record.count {
      return cut(
        "the state counts \(state.entryCount) entries, the record has \(stored.record.count)")
    }
    let hasSuccessor = context.successors.contains(MatchID(successorOf: id))
    return stored.sequel(to: replayed, hasSuccessor: hasSuccessor).map(cut)
  }

  // MARK: Derived rows

  /// A match that was annulled because it was damaged: its record, replies and jobs are those of
  /// before. Only the rows that it is found by have to be as its state gives them.
  private mutating func checkAnnulled() {
    guard let state = stored.state, state.outcome?.reason == .annulled else {
      violations.append(
        Violation(
          .stateDiffers, in: id,
          "an operator annulled it because it was damaged, and its state does not say so"))
      return
    }
    let wrong = stored.differences(from: state, context)
    guard !wrong.isEmpty else { return }
    violations.append(
      Violation(
        .rowsDiffer, in: id, since: state.endedAt,
        "not as the state gives them: \(wrong.joined(separator: ", "))"))
  }

  private mutating func checkState() {
    let since = stored.record.last?.acceptedAt
    guard let replayed = replay.match else { return }
    guard stored.version > 0 else {
      violations.append(
        Violation(.stateDiffers, in: id, since: since, "there is a record and no such match"))
      return
    }
    guard let state = stored.state else {
      violations.append(
        Violation(
          .stateDiffers, in: id, since: since,
          stored.isStateChanged ? "its state was changed" : "its state cannot be read"))
      return
    }
    let differences = state.differences(from: replayed)
    if !differences.isEmpty {
      violations.append(
        Violation(
          .stateDiffers, in: id, since: since,
          "not as the record gives them: \(differences.joined(separator: ", "))"))
    }
    let wrong = stored.differences(from: state, context)
    if !wrong.isEmpty {
      violations.append(
        Violation(
          .rowsDiffer, in: id, since: since,
          "not as the state gives them: \(wrong.joined(separator: ", "))"))
    }
  }

  private mutating func checkRating() {
    guard let replayed = replay.match else { return }
    violations += RatingCheck(replayed, stored.rating).violations()
  }

  // MARK: Replies

  private mutating func checkReplies() {
    for said in said where said.event.id.time >= context.repliesSince {
      let key = EventKey(player: said.event.player, event: said.event.id)
      let place = said.entry.position
      guard let stored = context.replies[key] else {
        violations.append(
          Violation(
            .replyMissing, in: id, at: place, since: said.entry.acceptedAt,
            "event \(said.event.id) has no stored reply"))
        continue
      }
      if let text = difference(of: stored, from: said) {
        violations.append(
          Violation(
            .replyDiffers, in: id, at: place, since: said.entry.acceptedAt, text))
      }
    }
  }

  private func difference(of reply: StoredReply, from said: Said) -> String? {
    guard reply.payloadHash == Hash(sha256Of: said.entry.signed.payload) else {
      return "the reply to event \(said.event.id) is to another payload"
    }
    guard let decoded = try? ReplyCodec.decode(reply.reply), decoded.event == said.event.id,
      case .accepted(let acceptance) = decoded.reply
    else { return "event \(said.event.id) was accepted, its reply says otherwise" }
    switch acceptance {
    case .turnAccepted(let receipt):
      guard receipt.match == id, receipt.hash == said.entry.hash,
        receipt.points == said.after?.points
      else { return "the receipt of turn \(receipt.turn) is not that of this entry" }
    case .matchStarted(let ticket) where replay.mergedMatches.contains(ticket.match):
      // The request of a player who waited elsewhere: its answer named the match in which the
      // player waited.
      break
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket),
      .rematchStarted(let ticket):
      guard ticket.match == id else { return "its reply names match \(ticket.match)" }
    case .done(.rematchOffered, let match, _):
      // The first request of a rematch: it stands in the record of the rematch.
      guard match == replay.match?.predecessor else { return "its reply names match \(match)" }
    case .done(let step, let match, _) where step.isRecorded:
      guard match == id else { return "its reply names match \(match)" }
    case .matchEnded(let match, _, _, _):
      guard match == id else { return "its reply names match \(match)" }
    case .done, .registered, .gameShared, .noted, .deviceInvited, .keyAdded, .keyRemoved,
      .recoverySet, .playerBlocked, .playerUnblocked, .reported:
      return "such an event belongs into no record"
    }
    return nil
  }

  // MARK: Push jobs

  private mutating func checkJobs() {
    let reminders = owed.reminders
    var found = stored.jobs.filter { !reminders.contains($0.job) || lacksRow($0.job) }
    var owed = owed.jobs
    if let rematch = stored.state?.rematch {
      if let offer = rematch.offer, let job = offeredJob(offer) { owed.append(job) }
      if let declined = rematch.declined, let job = declinedJob(declined) { owed.append(job) }
    }
    if let nudge = stored.nudge {
      // Two players may have had the same turn to play, if one of them left the seat.
      let jobs = reminders.filter { $0.kind == .nudged && $0.turn == nudge.turn }
      if let job = jobs.first(where: { $0.player == replay.match?.playerToPlay }) ?? jobs.first {
        let isThere = stored.jobs.contains { jobs.contains($0.job) }
        if !isThere { owed.append(OwedJob(job, of: id, since: nudge.at)) }
      } else {
        violations.append(
          Violation(
            .rowsDiffer, in: id, since: nudge.at,
            "nudges: nobody can have been reminded of turn \(nudge.turn)"))
      }
    }
    let lacking = owed.taking(from: &found)
    for job in lacking where context.jobsAreComplete && job.since >= context.jobsSince {
      missing.append(job)
      violations.append(
        Violation(
          .jobMissing, in: id, since: job.since, "\(job.kind.rawValue) for player \(job.player)"))
    }
    unexpected = found.filter { !mayBeOfOffer($0.job) }
    for job in unexpected.map(\.job) {
      violations.append(
        Violation(
          .jobUnexpected, in: id, since: stored.record.last?.acceptedAt,
          "\(job.kind.rawValue) \(job.id) for player \(job.player)"))
    }
  }

  /// Whether nobody has reminded of the turn that is due, though a job says so: the row of a turn is
  /// kept while it is due.
  private func lacksRow(_ job: PushJob) -> Bool {
    guard job.kind == .nudged, let match = replay.match, match.outcome == nil else { return false }
    return job.turn == match.turnNumber && stored.nudge?.turn != job.turn
  }

  /// Whether a job may be about an offer of a rematch that is gone. Offers that were declined or ran
  /// out are not kept, nor are former blocks.
  private func mayBeOfOffer(_ job: PushJob) -> Bool {
    [.rematchRequested, .rematchDeclined].contains(job.kind) && job.turn == nil && job.day == nil
      && owed.rematchPlayers.contains(job.player)
  }

  /// The job of the offer that was declined last. Its event is kept nowhere.
  private func declinedJob(_ declined: Match.Rematch.Declined) -> OwedJob? {
    guard let seats = stored.state?.seats, seats.indices.contains(declined.seat),
      let other = seats.indices.first(where: { $0 != declined.seat }).flatMap({ seats[$0].player })
    else { return nil }
    return OwedJob(
      job: nil, kind: .rematchRequested, player: other, match: id,
      since: declined.at.adding(seconds: -Match.invitationSeconds))
  }

  private func offeredJob(_ offer: Match.RematchOffer) -> OwedJob? {
    guard let event = try? PayloadCodec.decodeEvent(offer.signed.payload),
      let other = stored.state?.players.first(where: { $0 != event.player })
    else { return nil }
    let job = PushJob(.rematchRequested, to: other, match: id, causedBy: event)
    return OwedJob(job, of: id, since: offer.at)
  }
}

extension StoredMatch {
  /// The names of the rows and columns that are not as the state gives them.
  fileprivate func differences(from state: Match, _ context: MatchCheck.Context) -> [String] {
    var state = state
    if listing.rematchOffer == nil, let offer = state.rematch.offer, offer.at < context.offersSince
    {
      var rematch = state.rematch
      rematch.offer = nil
      state.restore(version: state.version, rematch: rematch)
    }
    var expected = StoredListing(of: state)
    if listing.dailyScore == nil, let score = expected.dailyScore,
      score.key.day < context.scoresSince
    {
      expected.dailyScore = nil
    }
    var wrong = listing.differences(from: expected)
    if turn != (state.outcome == nil ? state.turnNumber : nil) { wrong.append("turn due") }
    if deadline != state.deadline?.at { wrong.append("deadline") }
    if !staleBoards.isEmpty {
      wrong.append("places on \(staleBoards.map(\.description).joined(separator: ", "))")
    }
    if let columns {
      let expected = Columns(of: state, secret: context.identity.secret)
      if columns.due != expected.due { wrong.append("time by which deadlines are found") }
      if columns.rematch != expected.rematch { wrong.append("what became of a rematch") }
      let mayLack = state.outcome != nil && columns.codes.isEmpty
      if columns.codes != expected.codes, !mayLack { wrong.append("codes") }
    }
    return wrong
  }
}

extension StoredListing {
  /// The names of the rows that are not as expected.
  fileprivate func differences(from expected: StoredListing) -> [String] {
    let comparisons: [(String, Bool)] = [
      ("seats", seats == expected.seats), ("past games", pastGames == expected.pastGames),
      ("open seat", openSeat == expected.openSeat), ("pair", pairKey == expected.pairKey),
      ("offer of a rematch", rematchOffer == expected.rematchOffer),
      ("daily points", dailyScore == expected.dailyScore),
      ("solo score", soloScore == expected.soloScore),
    ]
    return comparisons.compactMap { $0.1 ? nil : $0.0 }
  }
}

extension Match {
  fileprivate var playerToPlay: PlayerID? { seats[seatToPlay].player }

  /// The names of the values that differ from the fold of the record. Values that are in no record
  /// are left out.
  func differences(from replayed: Match) -> [String] {
    let comparisons: [(String, Bool)] = [
      ("terms", terms == replayed.terms), ("rules", rules == replayed.rules),
      ("word list", lexicon == replayed.lexicon), ("dealt at", dealtAt == replayed.dealtAt),
      ("predecessor", predecessor == replayed.predecessor), ("seats", seats == replayed.seats),
      ("stage", stage == replayed.stage), ("cube", game == replayed.game),
      ("turn number", turnNumber == replayed.turnNumber),
      ("seat to play", seatToPlay == replayed.seatToPlay),
      ("hash of the last turn", previousTurnHash == replayed.previousTurnHash),
      ("head", head == replayed.head), ("entry count", entryCount == replayed.entryCount),
      ("deadline", deadline?.at == replayed.deadline?.at),
      ("turns", turnFingerprints == replayed.turnFingerprints),
      ("reaction", hasReaction == replayed.hasReaction),
      ("players who left", leavings == replayed.leavings),
    ]
    return comparisons.compactMap { $0.1 ? nil : $0.0 }
  }
}
