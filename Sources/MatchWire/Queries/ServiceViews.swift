public import MatchCore

/// What the service is: the answer to `serviceInfo`.
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
    /// Who has a code.
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

    /// Puts a count together.
    public init(daily: DailyKey, players: Int) {
      self.daily = daily
      self.players = players
    }
  }

  /// Puts the answer together.
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

/// A player as anybody may see one.
public struct PlayerView: Hashable, Sendable, Codable {
  /// The player.
  public var id: PlayerID
  /// The name.
  public var name: PlayerName
  /// Since when.
  public var registeredAt: Instant
  /// How strong the player is; nil from a service that does not rate.
  public var rating: RatingView?
  /// True for an account that is declared a bot's; else left out.
  public var bot: Bool?

  /// Puts the answer together.
  public init(
    id: PlayerID, name: PlayerName, registeredAt: Instant, rating: RatingView? = nil,
    isBot: Bool = false
  ) {
    self.id = id
    self.name = name
    self.registeredAt = registeredAt
    self.rating = rating
    bot = isBot ? true : nil
  }
}

/// A daily challenge as one player sees it.
public struct DailyStatus: Hashable, Sendable, Codable {
  /// Which challenge.
  public var daily: DailyKey
  /// Whether it can be begun.
  public var isDealt: Bool
  /// When its day is over, or before that a timed game that was begun.
  public var endsAt: Instant
  /// The player's game; nil before it was begun.
  public var match: MatchID?
  /// Whether the player's game is over.
  public var isOver: Bool
  /// The player's points; nil before the game was begun.
  public var points: Int?

  /// Puts the answer together.
  public init(
    daily: DailyKey, isDealt: Bool, endsAt: Instant, match: MatchID?, isOver: Bool, points: Int?
  ) {
    self.daily = daily
    self.isDealt = isDealt
    self.endsAt = endsAt
    self.match = match
    self.isOver = isOver
    self.points = points
  }
}
