public import MatchCore

extension Query {
  /// Asks for the players that the asker has blocked.
  public struct Blocks: PlainQueryPayload {
    public typealias Answer = MatchWire.BlockList

    public static let name = "blocks"
    public static let cost = 1
    public var kind: Kind { .blocks }

    public init() {}
  }
}

/// The players that a player has blocked.
public struct BlockList: Hashable, Sendable, Codable {
  /// In the order of names.
  public var players: [Row]

  /// One blocked player.
  public struct Row: Hashable, Sendable, Codable {
    public var player: PlayerID
    public var name: PlayerName
    public var since: Instant

    public init(player: PlayerID, name: PlayerName, since: Instant) {
      self.player = player
      self.name = name
      self.since = since
    }
  }

  public init(players: [Row]) { self.players = players }
}
