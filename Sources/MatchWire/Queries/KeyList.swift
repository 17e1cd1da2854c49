public import MatchCore

extension Query {
  /// Asks for the keys that speak for the asker, the open invitations of devices, and the recovery.
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
    public static let askers = QueryAskers.strangers
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

/// The keys of a player, the open invitations of devices, and the recovery.
public struct KeyList: Hashable, Sendable, Codable {
  /// The keys that speak for the player, the oldest first.
  public var keys: [Row]
  /// The invitations that a device can still use, in the order in which they end.
  public var invitations: [Invitation]
  /// The recovery key and the recovery that is under way; nil: neither was ever there.
  public var recovery: Recovery?

  public struct Row: Hashable, Sendable, Codable {
    public var key: PublicKey
    public var addedAt: Instant
    /// The key that let it in; nil: the key that the player's id is derived from.
    public var inviter: PublicKey?
    /// The player's name for its device; nil: it has none.
    public var device: DeviceName?

    public init(
      key: PublicKey, addedAt: Instant, inviter: PublicKey? = nil, device: DeviceName? = nil
    ) {
      (self.key, self.addedAt, self.inviter) = (key, addedAt, inviter)
      self.device = device
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

  /// Times are those of the player's queue.
  public struct Recovery: Hashable, Sendable, Codable {
    /// The recovery key that counts; nil: none does yet.
    public var key: PublicKey?
    /// The recovery key that counts next.
    public var waiting: Waiting?
    public var pending: Pending?

    public struct Waiting: Hashable, Sendable, Codable {
      public var key: PublicKey
      /// From then on it counts, if no recovery is under way.
      public var at: Instant

      public init(key: PublicKey, at: Instant) { (self.key, self.at) = (key, at) }
    }

    /// A recovery that is under way.
    public struct Pending: Hashable, Sendable, Codable {
      /// The event `playerRecovered`. An objection and a withdrawal name it.
      public var recovery: EventID
      /// The key that is to speak for the player.
      public var key: PublicKey
      /// Then it takes effect.
      public var at: Instant
      /// The key that objected; nil: none has.
      public var objector: PublicKey?

      public init(recovery: EventID, key: PublicKey, at: Instant, objector: PublicKey? = nil) {
        (self.recovery, self.key) = (recovery, key)
        (self.at, self.objector) = (at, objector)
      }
    }

    public init(key: PublicKey?, waiting: Waiting? = nil, pending: Pending? = nil) {
      (self.key, self.waiting, self.pending) = (key, waiting, pending)
    }

    /// A player's recovery as it is shown. Nil: there is nothing to show.
    package init?(_ recovery: PlayerRecovery) {
      guard recovery.named != nil || recovery.waiting != nil else { return nil }
      self.init(
        key: recovery.named?.key,
        waiting: recovery.waiting.map { Waiting(key: $0.named.key, at: $0.deadline.at) },
        pending: recovery.pending.map {
          Pending(
            recovery: $0.recovery, key: $0.key, at: $0.deadline.at, objector: $0.objector)
        })
    }
  }

  public init(keys: [Row], invitations: [Invitation] = [], recovery: Recovery? = nil) {
    self.keys = keys
    self.invitations = invitations
    self.recovery = recovery
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
