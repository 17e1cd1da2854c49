public import MatchCore

extension Query {
  /// What the service is. Who asks does not know its id yet, and may have a wrong clock: the answer
  /// tells the time.
  public struct ServiceInfo: PlainQueryPayload {
    public typealias Answer = MatchWire.ServiceInfo

    public static let name = "serviceInfo"
    public static let cost = 0
    public static let askers = QueryAskers.anybody
    public var kind: Kind { .serviceInfo }

    public init() {}
  }
}

public struct ServiceInfo: Hashable, Sendable, Codable {
  /// Which deployment.
  public var service: ServiceID
  /// The key that signs working keys; a client pins it on first use.
  public var rootKey: PublicKey
  /// The working keys, those that signed earlier records included.
  public var certificates: [KeyCertificate]
  /// The version of the program.
  public var version: String
  /// The oldest players' program that is served; nil from a service that does not say.
  public var oldestClient: ProgramVersion?
  /// The service's time.
  public var now: Instant
  /// Who may register.
  public var registration: Registration
  /// How many queues the slots are bound to.
  public var queueCount: Int
  /// What may travel at most.
  public var limits: Limits
  /// How many play today's challenges, by mode; nil from a service that does not say.
  public var dailies: [DailyPlayers]?

  /// Who may register.
  public enum Registration: String, Hashable, Sendable, Codable {
    /// Anybody.
    case open
    case code
  }

  /// What may travel at most.
  public struct Limits: Hashable, Sendable, Codable {
    /// The payload of a turn, in bytes.
    public var turnBytes: Int
    /// Any other payload, in bytes.
    public var payloadBytes: Int
    /// The moves of one turn.
    public var moves: Int
    /// The entries of a record.
    public var entries: Int
    /// The events of a player in a minute; nil: no limit.
    public var eventsPerMinute: Int?
    /// The requests and invitations of a player that wait; nil: no limit.
    public var openRequests: Int?
    /// The matches of a player that are not over; nil: no limit.
    public var runningMatches: Int?
    /// What a player's queries may cost in a minute; nil: no limit.
    public var queriesPerMinute: Int?
    /// The invitations to a player that wait; nil: no limit.
    public var invitations: Int?
    /// Those of players whom the player has never met; nil: no limit.
    public var strangerInvitations: Int?
    /// All registrations in an hour without a code; nil: no limit.
    public var registrationsPerHour: Int?
    /// The players whom a player has blocked; nil: no limit.
    public var blocks: Int?

    /// The limits of this build.
    public static let current = Limits(
      turnBytes: WireLimits.turnPayloadBytes, payloadBytes: WireLimits.payloadBytes,
      moves: WireLimits.movesPerTurn, entries: Match.entryLimit)
  }

  /// How many have begun a daily challenge.
  public struct DailyPlayers: Hashable, Sendable, Codable {
    /// Which challenge.
    public var daily: DailyKey
    /// How many players; what is counted may be a moment behind.
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
  /// What may travel at most, and what one player may do at most.
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
