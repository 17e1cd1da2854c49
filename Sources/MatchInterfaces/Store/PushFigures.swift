package import MatchCore

/// The notifications that are owed to players, by place, and the fate of the rest in the last hour.
package struct PushFigures: Hashable, Sendable {
  /// How often a provider answered in one way.
  package struct Answer: Hashable, Sendable {
    package var provider: String
    package var answer: String
    package var count: Int64

    package init(provider: String, answer: String, count: Int64) {
      self.provider = provider
      self.answer = answer
      self.count = count
    }
  }

  /// How many jobs of a kind came to one end. A later build may have written names that this one
  /// does not know.
  package struct Ending: Hashable, Sendable {
    package var kind: String
    package var fate: String
    /// Nil: there is none, or an older build recorded it.
    package var reason: String?
    package var count: Int64

    package init(kind: String, fate: String, reason: String?, count: Int64) {
      self.kind = kind
      self.fate = fate
      self.reason = reason
      self.count = count
    }
  }

  /// The store's time.
  package var now: Instant
  /// Jobs in the outbox, up to a million.
  package var outboxCount = 0
  package var outboxOldestAt: Instant?
  /// How many jobs are held for each reason.
  package var heldCounts: [String: Int64] = [:]
  /// Since when the first of them waits.
  package var heldOldestAt: Instant?
  /// When the first of them has its hour.
  package var heldNextAt: Instant?
  /// Jobs that were given up, up to a million.
  package var deadJobCount = 0
  /// The answers of the last hour, by provider, the most frequent first.
  package var answers: [Answer] = []
  /// The ends of the last hour, the most frequent first.
  package var endings: [Ending] = []

  package init(now: Instant) { self.now = now }
}

/// Everything that the store knows of one push job.
package struct PushStory: Hashable, Sendable {
  /// A job that waits for its hour.
  package struct Hold: Hashable, Sendable {
    package var since: Instant
    package var until: Instant
    package var reason: String

    package init(since: Instant, until: Instant, reason: String) {
      self.since = since
      self.until = until
      self.reason = reason
    }
  }

  /// The end of a job.
  package struct End: Hashable, Sendable {
    package var at: Instant
    package var fate: String
    package var reason: String?
    /// When the player said to have seen it.
    package var seenAt: Instant?

    package init(at: Instant, fate: String, reason: String?, seenAt: Instant? = nil) {
      self.at = at
      self.fate = fate
      self.reason = reason
      self.seenAt = seenAt
    }
  }

  /// A dead letter of the job.
  package struct Letter: Hashable, Sendable {
    package var id: DeadEventID
    package var at: Instant
    package var reason: String

    package init(id: DeadEventID, at: Instant, reason: String) {
      self.id = id
      self.at = at
      self.reason = reason
    }
  }

  /// A device of the job's player, as it is now.
  package struct Reached: Hashable, Sendable {
    package var name: String
    package var service: String
    package var permission: String
    /// When a push service last took a notification for it.
    package var arrivedAt: Instant?
    /// The last answer of a push service about it.
    package var answer: String?
    package var answeredAt: Instant?

    package init(
      name: String, service: String, permission: String, arrivedAt: Instant? = nil,
      answer: String? = nil, answeredAt: Instant? = nil
    ) {
      self.name = name
      self.service = service
      self.permission = permission
      self.arrivedAt = arrivedAt
      self.answer = answer
      self.answeredAt = answeredAt
    }
  }

  package var id: PushJobID
  package var kind: String
  package var player: PlayerID
  package var match: MatchID?
  package var turn: Int?
  package var day: Day?
  /// Since when it is in the outbox; nil: it is not.
  package var owedAt: Instant?
  package var hold: Hold?
  package var end: End?
  package var letters: [Letter] = []
  package var devices: [Reached] = []

  package init(
    id: PushJobID, kind: String, player: PlayerID, match: MatchID? = nil, turn: Int? = nil,
    day: Day? = nil
  ) {
    self.id = id
    self.kind = kind
    self.player = player
    self.match = match
    self.turn = turn
    self.day = day
  }
}
