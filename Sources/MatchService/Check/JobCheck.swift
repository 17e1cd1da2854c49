package import MatchCore
package import MatchInterfaces
import MatchWire

/// Compares the push jobs that no record owes with the notes and rows that owe them, a page at a
/// time. `MatchCheck` compares the others.
///
/// docs/protocol.md lists the jobs that nobody can tell to be too many.
package struct JobCheck {
  /// How many jobs and players were looked at.
  package private(set) var count = 0
  private let store: CheckStore
  private let jobsAreComplete: Bool
  private var keyChanges: ArraySlice<EventKey>
  private var stage = Stage.jobs(after: nil)
  /// The jobs that are known to be missing, so that none is named twice.
  private var named: Set<PushJobID> = []

  private enum Stage {
    case jobs(after: PushJobID?)
    case owed(after: PushJobID?)
    case players(after: PlayerID?)
    case keyChanges
    case recoveries(after: PlayerID?)
    case done
  }

  /// - Parameters:
  ///   - jobsAreComplete: Whether no job is in a queue, so that one that the store does not have is
  ///     missing.
  ///   - keyChanges: The events by which keys came and went, see `ReplyCheck.keyChanges`.
  package init(_ store: CheckStore, jobsAreComplete: Bool, keyChanges: [EventKey] = []) {
    self.store = store
    self.jobsAreComplete = jobsAreComplete
    self.keyChanges = keyChanges[...]
  }

  package var isDone: Bool { if case .done = stage { true } else { false } }

  /// Checks the next page.
  /// - Throws: `StoreError`; the same page can be tried again.
  package mutating func next(limit: Int = 500) throws(StoreError) -> [JobViolation] {
    switch stage {
    case .jobs(let last):
      let page = try store.jobs(last, limit)
      let found = try unexpected(page.map(\.job))
      count += page.count
      stage = page.last.map { .jobs(after: $0.job.id) } ?? .owed(after: nil)
      return found
    case .owed(let last):
      guard jobsAreComplete else {
        stage = .done
        return []
      }
      let page = try store.owedJobs(try keptSince, last, limit)
      let found = try missing(page)
      stage = page.last.map { .owed(after: $0.id) } ?? .players(after: nil)
      return found
    case .players(let last):
      let page = try store.players(last, limit)
      let found = try missing(page)
      count += page.count
      stage = page.last.map { .players(after: $0.player) } ?? .keyChanges
      return found
    case .keyChanges:
      let found = try missing(of: Array(keyChanges.prefix(limit)))
      keyChanges = keyChanges.dropFirst(limit)
      if keyChanges.isEmpty { stage = .recoveries(after: nil) }
      return found
    case .recoveries(let last):
      let page = try store.recoveries(last, limit)
      let found = try missing(of: page.flatMap(\.changes))
      stage = page.last.map { .recoveries(after: $0.player) } ?? .done
      return found
    case .done: return []
    }
  }

  // MARK: Jobs that nothing owes

  private func unexpected(_ jobs: [PushJob]) throws(StoreError) -> [JobViolation] {
    let lone = jobs.filter { $0.match == nil }
    let matches = Set(jobs.compactMap(\.match))
    let existing = matches.isEmpty ? [] : try store.existing(matches.sorted())
    var found = jobs.filter { $0.match.map { !existing.contains($0) } ?? false }.map {
      JobViolation(.jobUnexpected, $0, "there is no such match")
    }
    guard !lone.isEmpty else { return found }
    let known = try store.playersByID(Set(lone.map(\.player)).sorted())
    let players = Dictionary(known.map { ($0.player, $0) }) { $1 }
    let first = lone.filter { $0.kind == .dailyReady }.compactMap(\.day).min()
    let fanOuts = try first.map { day throws(StoreError) in try store.fanOuts(day) } ?? []
    let today = Day(containing: try store.now())
    for job in lone {
      guard let fault = fault(in: job, players[job.player], fanOuts, today) else { continue }
      found.append(JobViolation(.jobUnexpected, job, fault))
    }
    return found
  }

  /// Why nothing owes a job; nil: something may.
  private func fault(
    in job: PushJob, _ player: StoredPlayer?, _ fanOuts: [StoredFanOut], _ today: Day
  ) -> String? {
    guard let player else { return "there is no such player" }
    switch job.kind {
    case .dailyReady:
      let isOwed = fanOuts.contains { fanOut in
        fanOut.hasReached(job.player) && player.registeredAt < fanOut.key.day.end
          && PushJob(dailyReady: fanOut.key, to: job.player) == job
      }
      return isOwed ? nil : "nobody was told of such a challenge"
    case .digest, .weekInReview:
      guard player.hasSettings else { return "the player has never wished for one" }
      // A day of the player's time zone may have begun before that of UTC.
      guard let day = job.day, day <= today.next else { return "its day has not begun" }
      let owed =
        job.kind == .digest
        ? PushJob(digest: day, to: job.player) : PushJob(weekInReview: day, to: job.player)
      return job == owed ? nil : "its id is not that of the only one of its time"
    case .account:
      return player.hasKeyChanges ? nil : "no key of the player has changed"
    case .test: return job.turn == nil && job.day == nil ? nil : "a test is about nothing"
    case .yourTurn, .reacted, .invited, .opponentJoined, .rematchRequested, .rematchStarted,
      .rematchDeclined, .matchEnded, .turnRunningOut, .dailyEndsSoon, .nudged, .rematchWaits:
      return "it is about no match"
    }
  }

  // MARK: Jobs that are missing

  /// By the players and the challenges, whatever was noted.
  private mutating func missing(_ players: [StoredPlayer]) throws(StoreError) -> [JobViolation] {
    guard !players.isEmpty else { return [] }
    let since = try keptSince
    let fanOuts = try store.fanOuts(Day(containing: since).next)
    var owed = dailies(of: players, fanOuts)
    owed += try additions(of: players, since: since)
    return try missing(owed)
  }

  /// The jobs about accounts that these events owe, as far as they are kept. A job is no older than
  /// its event, unless the event is dated ahead.
  private mutating func missing(of events: [EventKey]) throws(StoreError) -> [JobViolation] {
    guard !events.isEmpty else { return [] }
    let since = try keptSince.adding(seconds: Event.maximumAheadSeconds)
    return try missing(events.filter { $0.event.time >= since }.map(PushJob.init(accountOf:)))
  }

  /// Jobs since then are kept.
  private var keptSince: Instant {
    get throws(StoreError) { try store.now().adding(seconds: -StoreCheck.jobsKeptSeconds) }
  }

  /// Those of the jobs that are nowhere, and were not named before.
  private mutating func missing(_ owed: [PushJob]) throws(StoreError) -> [JobViolation] {
    guard !owed.isEmpty else { return [] }
    let known = try store.knownJobs(owed.map(\.id))
    return owed.filter { !known.contains($0.id) && named.insert($0.id).inserted }.map {
      JobViolation(.jobMissing, $0, "it is owed and nowhere to be found")
    }
  }

  /// The jobs of players who were registered before the day began and have never set anything. The
  /// settings that others had at that time are not kept.
  private func dailies(of players: [StoredPlayer], _ fanOuts: [StoredFanOut]) -> [PushJob] {
    fanOuts.flatMap { fanOut in
      players.filter { row in
        !row.hasSettings && row.registeredAt < fanOut.key.day.start
          && fanOut.hasReached(row.player)
      }.map { PushJob(dailyReady: fanOut.key, to: $0.player) }
    }
  }

  /// The jobs of keys that another key of the player has brought in. Replies to such events are kept
  /// for days only.
  private func additions(
    of players: [StoredPlayer], since: Instant
  ) throws(StoreError) -> [PushJob] {
    var owners: [PublicKey: PlayerID] = [:]
    for row in players {
      for (key, at) in row.addedKeys where at >= since { owners[key] = row.player }
    }
    guard !owners.isEmpty else { return [] }
    let keys = owners.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    return try store.origins(keys).compactMap { origin in
      guard case .invitation(let invitation) = origin, let player = owners[origin.key],
        let event = try? PayloadCodec.decodeEvent(invitation.added.payload)
      else { return nil }
      return PushJob(account: player, causedBy: event)
    }
  }
}

extension StoredRecovery {
  /// The events that the row has come from. An event is in it only if it changed something.
  fileprivate var changes: [EventKey] {
    let messages = [
      recovery.named?.signed, recovery.waiting?.named.signed, recovery.pending?.signed,
    ]
    return messages.compactMap { message in
      guard let message, let event = try? PayloadCodec.decodeEvent(message.payload),
        event.player == player
      else { return nil }
      return EventKey(player: event.player, event: event.id)
    }
  }
}

extension PushJob {
  /// The job about the account of a player whose own event changed keys or a recovery.
  fileprivate init(accountOf key: EventKey) {
    let id = PushJobID(kind: .account, player: key.player) { hash in
      hash.update(key.player)
      hash.update(key.event)
    }
    self.init(id: id, kind: .account, player: key.player)
  }
}

/// A push job that contradicts the rows that jobs follow from.
package struct JobViolation: Hashable, Sendable, CustomStringConvertible {
  /// The raw values are stable names for programs, as those of ``Violation/Kind``.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It is owed and nowhere to be found.
    case jobMissing
    /// Nothing owes it.
    case jobUnexpected
  }

  package var kind: Kind
  package var job: PushJob
  /// The description for a person.
  package var text: String

  package init(_ kind: Kind, _ job: PushJob, _ text: String) {
    self.kind = kind
    self.job = job
    self.text = text
  }

  /// The way to mend it.
  package var remedy: String {
    switch kind {
    case .jobMissing: "It is not owed again: the player has to look without it."
    case .jobUnexpected:
      "Somebody has written this into the database: delete it from outbox, held_jobs, "
        + "deliveries and owed_jobs. If it was handed out, somebody was told what is not so."
    }
  }

  /// One line: kind, job, player, text and remedy.
  package var description: String {
    "\(kind.rawValue): \(job.kind.rawValue) \(job.id) for player \(job.player): \(text). \(remedy)"
  }
}
