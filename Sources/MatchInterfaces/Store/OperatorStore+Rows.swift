package import MatchCore
package import MatchWire

/// How much there is. Counts stop at a million.
package struct ServiceFigures: Hashable, Sendable {
  /// How many have registered.
  package var playerCount = 0
  /// Matches that wait or are played.
  package var currentMatchCount = 0
  /// Of those, matches with a seat that is open to anyone.
  package var openSeatCount = 0
  package var matchCount = 0
  /// Matches that were asked for today; dailies are not among them.
  package var newMatchCount = 0
  /// Events of players that were made today and have their answer.
  package var eventCount = 0
  /// Players of today's challenges.
  package var dailyPlayerCount = 0
  /// Players who have ended a rated match.
  package var ratedPlayerCount = 0
  package var ratedMatchCount = 0
  /// Matches that wait to be rated.
  package var ratingQueueCount = 0
  /// Push jobs that the broker has not confirmed.
  package var outboxCount = 0
  /// Push jobs that wait for their hour.
  package var heldCount = 0
  /// Events that no worker could handle.
  package var deadEventCount = 0
  /// Push jobs that were given up.
  package var deadJobCount = 0

  package init() {}
}

/// The facts about a player besides name and rating.
package struct AccountRow: Hashable, Sendable {
  /// A key that speaks, or spoke, for the player.
  package struct Key: Hashable, Sendable {
    package var key: PublicKey
    /// Since when.
    package var addedAt: Instant
    /// Until when; nil: it speaks for the player still.
    package var revokedAt: Instant?
    /// The event or message that brought it in.
    package var origin = Origin.registration
    /// The player's key that removed it, or that a recovery brought in; nil beside a time of
    /// revocation: an operator revoked it.
    package var remover: PublicKey?

    package enum Origin: Hashable, Sendable {
      case registration
      case invitation(by: PublicKey)
      case recovery
    }

    package init(
      key: PublicKey, addedAt: Instant, revokedAt: Instant?, origin: Origin = .registration,
      remover: PublicKey? = nil
    ) {
      self.key = key
      self.addedAt = addedAt
      self.revokedAt = revokedAt
      self.origin = origin
      self.remover = remover
    }
  }

  /// The player's keys, the oldest first.
  package var keys: [Key] = []
  /// The invitations that a device can still use, in the order in which they end.
  package var invitations: [KeyList.Invitation] = []
  /// The recovery keys and the recovery that is under way; nil: the player has named no key.
  package var recovery: KeyList.Recovery?
  /// When the last event was answered, as long as answers are kept.
  package var lastSeenAt: Instant?
  /// When the account ends at the earliest, where the player has asked for that.
  package var leavesAt: Instant?
  /// Since when the account has ended.
  package var goneAt: Instant?
  /// The reports about the player that are kept.
  package var reportCount = 0
  /// Those of the last 30 days.
  package var lateReportCount = 0
  /// The different players who sent the kept reports.
  package var reporterCount = 0
  /// The different players who sent those of the last 30 days.
  package var lateReporterCount = 0

  package init() {}
}

/// A report as operators find it.
package struct KeptReport: Hashable, Sendable {
  /// The most reports of one player about another in a list of one player's reports. So one player
  /// does not fill it.
  package static let limit = 3

  package var report: Report
  /// The different players who have reported the same player. Only reports that are kept count.
  package var reporterCount: Int

  package init(_ report: Report, reporterCount: Int) {
    self.report = report
    self.reporterCount = reporterCount
  }
}

/// The identity of a deployment.
package struct ServiceRow: Hashable, Sendable {
  /// Which deployment.
  package var service: ServiceID
  /// The key that signs working keys.
  package var rootKey: PublicKey
  /// The working keys, past ones too.
  package var certificates: [KeyCertificate]

  package init(service: ServiceID, rootKey: PublicKey, certificates: [KeyCertificate]) {
    self.service = service
    self.rootKey = rootKey
    self.certificates = certificates
  }
}

/// A code that admits one player.
package struct RegistrationCodeRow: Hashable, Sendable {
  package var code: ShareCode
  /// Since when.
  package var createdAt: Instant
  /// The player that it has admitted.
  package var usedBy: PlayerID?
  package var usedAt: Instant?

  package init(code: ShareCode, createdAt: Instant, usedBy: PlayerID?, usedAt: Instant?) {
    self.code = code
    self.createdAt = createdAt
    self.usedBy = usedBy
    self.usedAt = usedAt
  }
}

/// Names one dead event.
package struct DeadEventID: Identifier {
  /// The sixteen bytes as one big-endian number.
  package let rawValue: UInt128
  /// Makes an id of sixteen bytes given as one big-endian number.
  package init(rawValue: UInt128) { self.rawValue = rawValue }

  /// The name of a message that has no other: the same for the same bytes.
  package init(ofMessage body: [UInt8]) {
    var hash = TaggedHash("cubist/dead/1")
    hash.update(body)
    rawValue = hash.finalize().bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }
}

/// A dead event as it is kept.
package struct DeadEventRow: Hashable, Sendable {
  package var id: DeadEventID
  /// When it was given up.
  package var at: Instant
  package var event: DeadEvent

  package init(id: DeadEventID, at: Instant, event: DeadEvent) {
    self.id = id
    self.at = at
    self.event = event
  }
}

/// Where a dead letter stands among those of its kind, the newest first.
package struct DeadLetterPlace: Hashable, Sendable {
  /// When it was given up.
  package var at: Instant
  package var id: DeadEventID

  package init(at: Instant, id: DeadEventID) {
    self.at = at
    self.id = id
  }
}

/// A push job that was given up.
package struct DeadJob: Hashable, Sendable {
  /// Why.
  package var reason: String
  /// The job, byte for byte.
  package var body: [UInt8]

  package init(reason: String, body: [UInt8]) {
    self.reason = reason
    self.body = body
  }

  /// The same for the same bytes, so that a job that is given up twice is kept once.
  package var id: DeadEventID { DeadEventID(ofMessage: body) }
}

/// A dead push job as it is kept.
package struct DeadJobRow: Hashable, Sendable {
  /// When it was last given up.
  package var at: Instant
  package var job: DeadJob

  package init(at: Instant, job: DeadJob) {
    self.at = at
    self.job = job
  }
}

/// A push job with its result.
package struct DeliveryRow: Hashable, Sendable {
  package var job: PushJob
  package var fate: PushStore.Fate
  package var at: Instant

  package init(job: PushJob, fate: PushStore.Fate, at: Instant) {
    self.job = job
    self.fate = fate
    self.at = at
  }
}

/// An operator's act.
package struct ActRow: Hashable, Sendable {
  /// The time of the act. An act that is to be kept has the store's time instead.
  package var at: Instant
  package var act: String
  package var detail: String

  package init(at: Instant = Instant(microseconds: 0), act: String, detail: String) {
    self.at = at
    self.act = act
    self.detail = detail
  }
}
