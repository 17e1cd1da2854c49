public import MatchCore
public import MatchWire

/// How much there is. Counts stop at a million.
public struct ServiceFigures: Hashable, Sendable {
  /// How many have registered.
  public var playerCount = 0
  /// Matches that wait or are played.
  public var currentMatchCount = 0
  /// Of those, matches with a seat that is open to anyone.
  public var openSeatCount = 0
  public var matchCount = 0
  /// Matches that were asked for today; dailies are not among them.
  public var newMatchCount = 0
  /// Events of players that were made today and have their answer.
  public var eventCount = 0
  /// Players of today's challenges.
  public var dailyPlayerCount = 0
  /// Players who have ended a rated match.
  public var ratedPlayerCount = 0
  public var ratedMatchCount = 0
  /// Matches that wait to be rated.
  public var ratingQueueCount = 0
  /// Push jobs that the broker has not confirmed.
  public var outboxCount = 0
  /// Events that no worker could handle.
  public var deadEventCount = 0
  /// Push jobs that were given up.
  public var deadJobCount = 0

  public init() {}
}

/// The facts about a player besides name and rating.
public struct AccountRow: Hashable, Sendable {
  /// A key that speaks, or spoke, for the player.
  public struct Key: Hashable, Sendable {
    public var key: PublicKey
    /// Since when.
    public var addedAt: Instant
    /// Until when; nil: it speaks for the player still.
    public var revokedAt: Instant?

    public init(key: PublicKey, addedAt: Instant, revokedAt: Instant?) {
      self.key = key
      self.addedAt = addedAt
      self.revokedAt = revokedAt
    }
  }

  /// The player's keys, the oldest first.
  public var keys: [Key] = []
  /// When the last event was answered, as long as answers are kept.
  public var lastSeenAt: Instant?

  public init() {}
}

/// The identity of a deployment.
public struct ServiceRow: Hashable, Sendable {
  /// Which deployment.
  public var service: ServiceID
  /// The key that signs working keys.
  public var rootKey: PublicKey
  /// The working keys, past ones too.
  public var certificates: [KeyCertificate]

  public init(service: ServiceID, rootKey: PublicKey, certificates: [KeyCertificate]) {
    self.service = service
    self.rootKey = rootKey
    self.certificates = certificates
  }
}

/// A code that admits one player.
public struct RegistrationCodeRow: Hashable, Sendable {
  public var code: ShareCode
  /// Since when.
  public var createdAt: Instant
  /// The player that it has admitted.
  public var usedBy: PlayerID?
  public var usedAt: Instant?

  public init(code: ShareCode, createdAt: Instant, usedBy: PlayerID?, usedAt: Instant?) {
    self.code = code
    self.createdAt = createdAt
    self.usedBy = usedBy
    self.usedAt = usedAt
  }
}

/// Names one dead event.
public struct DeadEventID: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128
  /// Makes an id of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }

  /// The name of a message that has no other: the same for the same bytes.
  public init(ofMessage body: [UInt8]) {
    var hash = TaggedHash("cubist/dead/1")
    hash.update(body)
    rawValue = hash.finalize().bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }
}

/// A dead event as it is kept.
public struct DeadEventRow: Hashable, Sendable {
  public var id: DeadEventID
  /// When it was given up.
  public var at: Instant
  public var event: DeadEvent

  public init(id: DeadEventID, at: Instant, event: DeadEvent) {
    self.id = id
    self.at = at
    self.event = event
  }
}

/// Where a dead letter stands among those of its kind, the newest first.
public struct DeadLetterPlace: Hashable, Sendable {
  /// When it was given up.
  public var at: Instant
  public var id: DeadEventID

  public init(at: Instant, id: DeadEventID) {
    self.at = at
    self.id = id
  }
}

/// A push job that was given up.
public struct DeadJob: Hashable, Sendable {
  /// Why.
  public var reason: String
  /// The job, byte for byte.
  public var body: [UInt8]

  public init(reason: String, body: [UInt8]) {
    self.reason = reason
    self.body = body
  }

  /// The same for the same bytes, so that a job that is given up twice is kept once.
  public var id: DeadEventID { DeadEventID(ofMessage: body) }
}

/// A dead push job as it is kept.
public struct DeadJobRow: Hashable, Sendable {
  /// When it was last given up.
  public var at: Instant
  public var job: DeadJob

  public init(at: Instant, job: DeadJob) {
    self.at = at
    self.job = job
  }
}

/// A push job with its result.
public struct DeliveryRow: Hashable, Sendable {
  public var job: PushJob
  public var fate: PushStore.Fate
  public var at: Instant

  public init(job: PushJob, fate: PushStore.Fate, at: Instant) {
    self.job = job
    self.fate = fate
    self.at = at
  }
}

/// An operator's act.
public struct ActRow: Hashable, Sendable {
  /// The time of the act. An act that is to be kept has the store's time instead.
  public var at: Instant
  public var act: String
  public var detail: String

  public init(at: Instant = Instant(microseconds: 0), act: String, detail: String) {
    self.at = at
    self.act = act
    self.detail = detail
  }
}
