package import MatchCore

/// The store as the push worker needs it. Confined to its thread.
package struct PushStore: Interface {
  /// The facts about jobs before they are sent, read at once. The answer has every one of them.
  package var brief: Ask<[PushJob], [PushJobID: Briefing], StoreError>
  /// Keeps the results of jobs and the jobs that wait, no two of them the same, in one transaction.
  /// The first result of a job stands, unless it is `failed`; a job with a result waits no more. A
  /// job that waits already waits until the new time.
  package var record: Ask<Results, Void, StoreError>
  /// Keeps jobs that were given up, byte for byte, for 30 days; one that is kept already is kept
  /// once, from now on.
  package var bury: Ask<[DeadJob], Void, StoreError>
  /// Connects anew if the connection is of no use any more.
  package var reconnect: Ask<Void, Void, StoreError>
  /// Notes that a job, by the hash of its bytes, is about to be handed over alone, or that this has
  /// ended no worker; as `WorkerStore.trial` does.
  package var trial: Ask<(TrialStep, Hash), Int, StoreError>

  /// The facts about a job.
  package enum Briefing: Hashable, Sendable {
    /// It is done with: delivered or dropped. A failed job may be tried once more if an operator
    /// says so.
    case handled
    /// It no longer holds: `gone` if the player is gone, `muted`, `noPermission` if the player has
    /// devices and allows nothing on any of them, `answered`, `matchOver`, `dayOver`, or `blocked`.
    case stale(PushReason)
    /// It is to be sent.
    case due(Details)
    /// It was delivered, and still holds. A copy for devices that it has not reached is to be sent to
    /// those; any other copy is done with.
    case delivered(Details)
  }

  /// The contents of a notification, and its destination.
  package struct Details: Hashable, Sendable {
    /// Another player in the match, or one who is or was invited to it.
    package var opponent: Opponent?
    /// The devices of the player that may be told.
    package var devices: [Device]
    /// `dailyReady`: how the player did in the challenge of the day before; nil if the player did
    /// not begin it.
    package var yesterday: Standing?
    /// `matchEnded`: how the match ended.
    package var reason: MatchCore.Outcome.Reason?
    package var preferences: PushPreferences
    /// The end of the time in which it is of use: the deadline of the turn that is due, or the end
    /// of the day. Nil: it has none, or time stood still and the deadline will move.
    package var expiresAt: Instant?
    /// Nil: unknown.
    package var waiting: Waiting?
    /// `weekInReview`: the player's last seven days.
    package var week: WeekReview?
    /// When a job with a topic was last delivered with a sound, if it was within `bundleSeconds`. The
    /// player has not seen it, and if it is a turn, not played it.
    package var lastSentAt: Instant?
    /// The same of a job that tells of a turn.
    package var lastTurnSentAt: Instant?
    /// The service's time of these facts, which also ends the waiting of held jobs.
    package var readAt: Instant

    /// For so long after a notification about a match the next ones wait, to come as one.
    package static let bundleSeconds: Int64 = 300

    package init(
      opponent: Opponent? = nil, devices: [Device] = [], yesterday: Standing? = nil,
      reason: MatchCore.Outcome.Reason? = nil, waiting: Waiting? = nil, week: WeekReview? = nil,
      preferences: PushPreferences = PushPreferences(), expiresAt: Instant? = nil,
      lastSentAt: Instant? = nil, lastTurnSentAt: Instant? = nil,
      readAt: Instant = Instant(microseconds: 0)
    ) {
      self.opponent = opponent
      self.devices = devices
      self.yesterday = yesterday
      self.reason = reason
      self.waiting = waiting
      self.week = week
      self.preferences = preferences
      self.expiresAt = expiresAt
      self.lastSentAt = lastSentAt
      self.lastTurnSentAt = lastTurnSentAt
      self.readAt = readAt
    }
  }

  /// How much waits for a player. The counts end at 99.
  package struct Waiting: Hashable, Sendable {
    package var turns: Int
    package var invitations: Int
    /// Offers of a rematch.
    package var offers: Int

    package init(turns: Int = 0, invitations: Int = 0, offers: Int = 0) {
      (self.turns, self.invitations, self.offers) = (turns, invitations, offers)
    }

    package var count: Int { [turns, invitations, offers].reduce(0) { $0 + min(max(0, $1), 99) } }
  }

  /// A player's results of the last seven days.
  package struct WeekReview: Hashable, Sendable {
    /// Matches of two players that ended with a winner or a draw.
    package var played: Int
    package var won: Int
    /// The most points in one of the games, daily challenges and games alone included. Nil: there
    /// was none.
    package var bestPoints: Int?

    package init(played: Int, won: Int, bestPoints: Int? = nil) {
      self.played = played
      self.won = won
      self.bestPoints = bestPoints
    }
  }

  /// Another player, as a notification names that player.
  package struct Opponent: Hashable, Sendable {
    package var id: PlayerID
    /// The display name, or else the name.
    package var name: String

    package init(_ id: PlayerID, _ name: String) {
      self.id = id
      self.name = name
    }
  }

  /// How a player did in a daily challenge.
  package struct Standing: Hashable, Sendable {
    /// From 1; equal points share a rank, and the next is one higher.
    package var rank: Int
    /// How many began it.
    package var outOf: Int

    package init(rank: Int, outOf: Int) {
      self.rank = rank
      self.outOf = outOf
    }
  }

  /// The result of a job.
  package enum Fate: String, Hashable, Sendable, CaseIterable {
    /// The provider took it.
    case delivered
    /// It no longer held.
    case dropped
    /// The provider refused it for good, or too often.
    case failed
  }

  /// A job with its result.
  package struct Outcome: Hashable, Sendable {
    package var job: PushJob
    package var fate: Fate
    /// Why. Nil for a job that was delivered alone and with a sound.
    package var reason: PushReason?

    package init(_ job: PushJob, _ fate: Fate, _ reason: PushReason? = nil) {
      self.job = job
      self.fate = fate
      self.reason = reason
    }
  }

  /// A provider's answer about devices of a player.
  package struct Answer: Hashable, Sendable {
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
      case taken
      case gone
      case refused
      case later
    }

    package var player: PlayerID
    /// The devices as they were told. None: the operator's receiver knows them.
    package var devices: [Device]
    /// The provider's name.
    package var provider: String
    package var verdict: Verdict
    /// The status of the answer. Nil: nothing was sent, or nothing came back.
    package var status: Int?
    /// The answer for the device's owner: nothing about the inside of the operator's networks.
    package var text: String

    package init(
      player: PlayerID, devices: [Device], provider: String, verdict: Verdict, status: Int? = nil,
      text: String
    ) {
      self.player = player
      self.devices = devices
      self.provider = provider
      self.verdict = verdict
      self.status = status
      self.text = text
    }

    /// The statuses that are counted one by one. A client's own server may answer any other.
    private static let countedStatuses: Set<Int> = [
      200, 201, 202, 204, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 406, 408, 410, 411,
      413, 415, 422, 429, 431, 500, 501, 502, 503, 504, 507,
    ]

    /// The answer as it is counted: one of few, whatever a push service writes.
    package var counted: String {
      guard let status, 100...999 ~= status else { return verdict.rawValue }
      guard Self.countedStatuses.contains(status) else {
        return "\(verdict.rawValue) \(status / 100)xx"
      }
      return "\(verdict.rawValue) \(status)"
    }

    /// A text that a database and a settings answer can hold, whatever a push service writes.
    package var storedText: String {
      var kept = String.UnicodeScalarView()
      kept.append(contentsOf: text.unicodeScalars.lazy.filter { $0.value >= 32 }.prefix(200))
      return String(kept)
    }
  }

  /// The fate of jobs.
  package struct Results: Hashable, Sendable {
    package var outcomes: [Outcome]
    package var held: [HeldJob]
    /// The answers about devices, also of jobs that are tried again. A device that is gone is
    /// forgotten, if its route is still the one that was told.
    package var answers: [Answer]

    package init(_ outcomes: [Outcome] = [], held: [HeldJob] = [], answers: [Answer] = []) {
      self.outcomes = outcomes
      self.held = held
      self.answers = answers
    }
  }

  package init(_ how: Asking<StoreError>, around inner: PushStore?) {
    brief = how("PushStore.brief", inner?.brief) { jobs in
      Dictionary(jobs.map { ($0.id, .due(Details())) }) { $1 }
    }
    record = how("PushStore.record", inner?.record) { _ in }
    bury = how("PushStore.bury", inner?.bury) { _ in }
    reconnect = how("PushStore.reconnect", inner?.reconnect) {}
    trial = how("PushStore.trial", inner?.trial) { _, _ in 1 }
  }
}
