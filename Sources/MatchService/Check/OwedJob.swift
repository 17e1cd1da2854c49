import CubeRules
package import MatchCore
import MatchInterfaces

/// A push job that a record owes.
package struct OwedJob: Hashable, Sendable {
  /// The job; nil if its id is derived from an event that is in no record, such as a deadline's.
  package var job: PushJob?
  package var kind: PushJob.Kind
  /// The player to notify.
  package var player: PlayerID
  /// The match that it is about.
  package var match: MatchID
  /// The time from which it is owed.
  package var since: Instant

  /// The job's id, if it can be known.
  package var id: PushJobID? { job?.id }
}

extension OwedJob {
  /// A job that is known with its id.
  init(_ job: PushJob, of match: MatchID, since time: Instant) {
    self.init(job: job, kind: job.kind, player: job.player, match: match, since: time)
  }
}

extension [OwedJob] {
  /// Removes the owed jobs from the stored ones. Returns the owed jobs that were not stored.
  func taking(from stored: inout [StoredJob]) -> [OwedJob] {
    var found: Set<OwedJob> = []
    var lacking: [OwedJob] = []
    // Jobs with known ids first, so that they are not taken for jobs without. Of those the newest
    // first: a match that was ended long ago and annulled today has only the newer job left.
    let unknown = filter { $0.id == nil }.sorted { $0.since > $1.since }
    for job in filter({ $0.id != nil }) + unknown {
      let place = stored.firstIndex { candidate in
        job.id.map { $0 == candidate.job.id }
          ?? (candidate.job.kind == job.kind && candidate.job.player == job.player)
      }
      if let place {
        stored.remove(at: place)
        found.insert(job)
      } else if job.id != nil || !found.contains(job) {
        // A deadline that nobody applied, and then an annulment, end a match twice by one event. A
        // player hears of that event only once.
        lacking.append(job)
      }
    }
    return lacking
  }
}

/// Derives from the entries of a record, one after another, the push jobs that they owe.
struct OwedJobs {
  private(set) var jobs: [OwedJob] = []
  /// Reminders that may have been sent. Whether they were sent depends on the time that somebody
  /// took.
  private(set) var reminders: Set<PushJob> = []
  /// The players who may have offered or been offered a rematch.
  private(set) var rematchPlayers: Set<PlayerID> = []
  private let match: MatchID
  private var events: [Event] = []
  private var endsByService = false
  /// The player whose account has ended, with whom the match ends.
  private var leaver: PlayerID?

  init(match: MatchID) { self.match = match }

  /// Takes an entry; `before` and `after` are the match around it.
  mutating func take(
    _ content: Replay.Content, at time: Instant, before: Match?, after: Match?
  ) {
    let due = [after?.turnReminder, after?.dailyReminder, after?.nudgeJob]
    reminders.formUnion(due.compactMap(\.self))
    if let after, after.mayHaveRematch {
      rematchPlayers.formUnion(after.players)
      reminders.formUnion(after.players.map { PushJob(rematchWaits: match, to: $0) })
    }
    switch content {
    case .event(let event):
      events.append(event)
      guard let after, after.seats.count > 1 else { return }
      if case .turnPlayed = event.action, !after.game.isOver,
        let next = after.seats[after.seatToPlay].player
      {
        owe(.yourTurn, to: next, turn: after.turnNumber, by: event, since: time)
      }
      if case .reacted(let reaction) = event.action,
        let mover = after.seats[(reaction.turn - 1) % after.seats.count].player
      {
        owe(.reacted, to: mover, turn: reaction.turn, by: event, since: time)
      }
    case .statement(.matchDealt(let deal)):
      takeDeal(deal, since: time)
    case .statement(.seatFilled(_, let mover, let why)):
      for player in before?.players ?? [] {
        owe(.opponentJoined, to: player, by: events.last, since: time)
      }
      // A player who waited elsewhere asked long ago.
      if why?.merged != nil { owe(.opponentJoined, to: mover, by: events.last, since: time) }
    case .statement(.seatLeft):
      (endsByService, leaver) = (false, nil)
    case .statement(.deadlinePassed), .statement(.ruled):
      endsByService = true
    case .statement(.playerGone(let player)):
      endsByService = true
      leaver = player
    case .statement(.matchEnded(let outcome, _, _)) where outcome.reason == .mergedInto: break
    case .statement(.matchEnded(let outcome, _, _)):
      let cause = endsByService ? nil : events.last
      let turn = outcome.reason == .aborted && cause != nil ? before?.turnNumber : nil
      let told = leaver == nil ? before?.players : before?.occupants
      for player in told ?? [] where player != (cause?.player ?? leaver) {
        owe(.matchEnded, to: player, turn: turn, by: cause, since: time)
      }
      leaver = nil
    }
  }

  private mutating func takeDeal(_ deal: Deal, since time: Instant) {
    switch deal.terms.kind {
    case .invitation:
      for player in deal.seats.dropFirst() {
        if let player { owe(.invited, to: player, by: events.first, since: time) }
      }
    case .rematch:
      if let first = events.first {
        owe(.rematchStarted, to: first.player, by: events.last, since: time)
      }
    case .random, .open, .solo, .daily: break
    }
  }

  private mutating func owe(
    _ kind: PushJob.Kind, to player: PlayerID, turn: Int? = nil, by event: Event?,
    since time: Instant
  ) {
    let job = event.map { event in
      PushJob(kind, to: player, match: match, turn: turn, causedBy: event)
    }
    jobs.append(OwedJob(job: job, kind: kind, player: player, match: match, since: time))
  }
}

extension Match {
  /// The job by which the player to move may have been reminded by the other one. Nil: nobody could
  /// be.
  var nudgeJob: PushJob? {
    guard nudgeAt != nil, let player = seats[seatToPlay].player else { return nil }
    return PushJob(nudged: id, turn: turnNumber, to: player)
  }

  /// Whether one of its players may offer the other a rematch.
  var mayHaveRematch: Bool {
    outcome?.wasPlayed == true && seats.count > 1 && players.count == seats.count
  }
}
