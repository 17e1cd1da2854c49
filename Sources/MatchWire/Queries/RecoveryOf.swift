public import MatchCore

extension Query {
  /// Asks how the recovery of a player stands. The asker need not be a key of the player: it may be
  /// a recovery key, or the key that a recovery is to bring in.
  public struct RecoveryOf: CodedQueryPayload {
    public typealias Answer = RecoveryView

    public static let name = "recoveryOf"
    // A stranger may name any player as the asker, so no player's budget can be charged.
    public static let cost = 0
    public static let askers = QueryAskers.strangers
    public var kind: Kind { .recoveryOf(self) }

    /// The name of the player.
    public var name: PlayerName

    public init(_ name: PlayerName) { self.name = name }

    var fields: [(String, JSON?)] { [("name", .text(name))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.value("name", "3 to 16 of A-Z a-z 0-9 _ -") { PlayerName($0) })
    }
  }
}

/// How the recovery of a player stands, for a key that has to do with it.
public struct RecoveryView: Hashable, Sendable, Codable {
  public var player: PlayerID
  public var name: PlayerName
  /// The part of the asking key.
  public var role: Role
  public var recovery: KeyList.Recovery

  public enum Role: String, Hashable, Sendable, Codable, CaseIterable {
    /// It speaks for the player.
    case playerKey
    /// It is the recovery key that counts.
    case recoveryKey
    /// It is the recovery key that counts next.
    case nextRecoveryKey
    /// The recovery is to bring it in.
    case newKey
  }

  public init(player: PlayerID, name: PlayerName, role: Role, recovery: KeyList.Recovery) {
    self.player = player
    self.name = name
    self.role = role
    self.recovery = recovery
  }
}
