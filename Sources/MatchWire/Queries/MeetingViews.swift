public import MatchCore

/// Whom a player has blocked: the answer to `blocks`.
public struct BlockList: Hashable, Sendable, Codable {
  /// In the order of names.
  public var players: [Row]

  /// One blocked player.
  public struct Row: Hashable, Sendable, Codable {
    /// Who.
    public var player: PlayerID
    /// The name.
    public var name: PlayerName
    /// Since when.
    public var since: Instant

    /// Puts a row together.
    public init(player: PlayerID, name: PlayerName, since: Instant) {
      self.player = player
      self.name = name
      self.since = since
    }
  }

  /// Puts the answer together.
  public init(
    players: [Row]
  ) {
    self.players = players
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

/// Why two players met by chance.
public struct MeetingView: Hashable, Sendable, Codable {
  /// How far their ratings were apart.
  public var ratingDistance: Int
  /// How far they were allowed to be apart; nil: as far as they liked.
  public var window: Int?
  /// How long the one who had waited longer had waited, in seconds.
  public var waited: Int64
  /// Whether they had met lately, so that nobody else was to be had.
  public var metLately: Bool
  /// The match in which the second player had waited, where two were merged.
  public var merged: MatchID?

  /// A reason as it is shown.
  public init(_ reason: MeetingReason) {
    ratingDistance = reason.ratingDistance
    window = reason.window
    waited = reason.waitedSeconds
    metLately = reason.hadMetLately
    merged = reason.merged
  }
}
