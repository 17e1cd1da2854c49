public import MatchCore

extension Query {
  /// Asks for the service's own data. The asker does not know its id yet, and may have a wrong
  /// clock: the answer tells the time.
  public struct ServiceInfo: PlainQueryPayload {
    public typealias Answer = MatchWire.ServiceInfo

    public static let name = "serviceInfo"
    public static let isPublic = true
    public static let cost = 0
    public static let askers = QueryAskers.anybody
    public var kind: Kind { .serviceInfo }

    public init() {}
  }
}

public struct ServiceInfo: Hashable, Sendable, Codable {
  public var service: ServiceID
  /// The key that signs working keys. A client pins it on first use.
  public var rootKey: PublicKey
  /// The working keys, including those that signed earlier records.
  public var certificates: [KeyCertificate]
  /// The version of the program.
  public var version: String
  /// The oldest players' program that is served. Nil from a service that does not say.
  public var oldestClient: ProgramVersion?
  /// The service's time.
  public var now: Instant
  /// The rule for registration.
  public var registration: Registration
  /// The number of queues that the slots are bound to.
  public var queueCount: Int
  /// The limits of messages and players.
  public var limits: Limits
  /// The number of players of today's challenges, by mode. Nil from a service that does not say.
  public var dailies: [DailyPlayers]?

  /// The rule for registration.
  public enum Registration: String, Hashable, Sendable, Codable {
    /// Anybody.
    case open
    case code
  }

  /// The limits of messages and players.
  public struct Limits: Hashable, Sendable, Codable {
    /// The payload of a turn, in bytes.
    public var turnBytes: Int
    /// Any other payload, in bytes.
    public var payloadBytes: Int
    /// The moves of one turn.
    public var moves: Int
    /// The entries of a record.
    public var entries: Int
    /// The events of a player in a minute. Nil: no limit.
    public var eventsPerMinute: Int?
    /// The waiting requests and invitations of a player. Nil: no limit.
    public var openRequests: Int?
    /// The unfinished matches of a player. Nil: no limit.
    public var runningMatches: Int?
    /// The total price of a player's queries in a minute. Nil: no limit.
    public var queriesPerMinute: Int?
    /// The waiting invitations to a player. Nil: no limit.
    public var invitations: Int?
    /// Those from players that the player has never met. Nil: no limit.
    public var strangerInvitations: Int?
    /// All registrations in an hour without a code. Nil: no limit.
    public var registrationsPerHour: Int?
    /// The players that a player has blocked. Nil: no limit.
    public var blocks: Int?

    /// The limits of this build.
    public static let current = Limits(
      turnBytes: WireLimits.turnPayloadBytes, payloadBytes: WireLimits.payloadBytes,
      moves: WireLimits.movesPerTurn, entries: Match.entryLimit)
  }

  /// The number of players who have started a daily challenge.
  public struct DailyPlayers: Hashable, Sendable, Codable {
    public var daily: DailyKey
    /// The number of players. The count may be a moment behind.
    public var players: Int

    public init(daily: DailyKey, players: Int) {
      self.daily = daily
      self.players = players
    }
  }

  public init(
    service: ServiceID, rootKey: PublicKey, certificates: [KeyCertificate], version: String,
    oldestClient: ProgramVersion? = nil, now: Instant, registration: Registration,
    queueCount: Int, limits: Limits, dailies: [DailyPlayers]? = nil
  ) {
    self.service = service
    self.rootKey = rootKey
    self.certificates = certificates
    self.version = version
    self.oldestClient = oldestClient
    self.now = now
    self.registration = registration
    self.queueCount = queueCount
    self.limits = limits
    self.dailies = dailies
  }
}

extension ServiceInfo.Limits {
  /// The limits of messages and of one player.
  public init(_ limits: PlayerLimits) {
    self = .current
    eventsPerMinute = limits.eventsPerMinute
    openRequests = limits.openRequests
    runningMatches = limits.runningMatches
    queriesPerMinute = limits.queriesPerMinute
    invitations = limits.invitations
    strangerInvitations = limits.strangerInvitations
    registrationsPerHour = limits.registrationsPerHour
    blocks = limits.blocks
  }
}
