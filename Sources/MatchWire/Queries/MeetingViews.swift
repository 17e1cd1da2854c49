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
  }
}
