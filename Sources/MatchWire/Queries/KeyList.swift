public import MatchCore

extension Query {
  /// Asks for the keys that speak for the asker, and for the open invitations of devices.
  public struct Keys: PlainQueryPayload {
    public typealias Answer = KeyList

    public static let name = "keys"
    public static let cost = 2
    public var kind: Kind { .keys }

    public init() {}
  }

  /// Asks which player lets a device in that shows a code with this hash. A device that wants to be
  /// let in asks, so nobody knows its key yet.
  public struct InvitationOf: CodedQueryPayload {
    public typealias Answer = InvitingPlayer

    public static let name = "invitationOf"
    // A stranger may name any player as the asker, so no player's budget can be charged.
    public static let cost = 0
    public static let askers = QueryAskers.anybody
    public var kind: Kind { .invitationOf(self) }

    /// The hash of the code.
    public var invitation: Hash

    public init(_ invitation: Hash) { self.invitation = invitation }

    var fields: [(String, JSON?)] { [("invitation", .text(invitation))] }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(try object.hash("invitation"))
    }
  }
}

/// The keys of a player, and the open invitations of devices.
public struct KeyList: Hashable, Sendable, Codable {
  /// The keys that speak for the player, the oldest first.
  public var keys: [Row]
  /// The invitations that a device can still use, in the order in which they end.
  public var invitations: [Invitation]

  public struct Row: Hashable, Sendable, Codable {
    public var key: PublicKey
    public var addedAt: Instant
    /// The key that let it in; nil: the key that the player's id is derived from.
    public var inviter: PublicKey?

    public init(key: PublicKey, addedAt: Instant, inviter: PublicKey? = nil) {
      (self.key, self.addedAt, self.inviter) = (key, addedAt, inviter)
    }
  }

  public struct Invitation: Hashable, Sendable, Codable {
    /// The hash of the code. The service has no code.
    public var invitation: Hash
    /// The end of its validity, exclusive.
    public var until: Instant
    /// The key that made it.
    public var inviter: PublicKey

    public init(invitation: Hash, until: Instant, inviter: PublicKey) {
      (self.invitation, self.until, self.inviter) = (invitation, until, inviter)
    }
  }

  public init(keys: [Row], invitations: [Invitation] = []) {
    self.keys = keys
    self.invitations = invitations
  }
}

/// The player who lets a device in.
public struct InvitingPlayer: Hashable, Sendable, Codable {
  public var player: PlayerID
  public var name: PlayerName

  public init(player: PlayerID, name: PlayerName) {
    self.player = player
    self.name = name
  }
}
