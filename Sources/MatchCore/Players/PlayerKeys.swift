/// The keys of a player and the open invitations of devices, as far as judging a change of them
/// needs.
public struct PlayerKeys: Hashable, Sendable {
  /// The most keys that speak for a player at once.
  public static let limit = 16
  /// The most new keys in 24 hours, keys that were removed since included.
  public static let dailyLimit = 20
  /// The most keys that ever speak for a player. A record may have to show what brought each of them
  /// in.
  public static let lifetimeLimit = 1_024
  /// The same, with keys that a recovery brings in. Added keys without number prevent no recovery.
  public static let recoveredLimit = 2 * lifetimeLimit
  /// The most invitations that are open at once.
  public static let invitationLimit = 8

  public struct Key: Hashable, Sendable {
    public var addedAt: Instant
    /// Whether it speaks for the player no more.
    public var isRemoved: Bool

    public init(addedAt: Instant, isRemoved: Bool = false) {
      self.addedAt = addedAt
      self.isRemoved = isRemoved
    }
  }

  /// Nil: there is no such player.
  public var name: PlayerName?
  /// The keys that speak for the player, and those that were added in the last 24 hours.
  public var keys: [PublicKey: Key]
  /// The number of all keys that have ever spoken for the player.
  public var lifetimeCount: Int
  /// Unused invitations by the hash of their code.
  public var invitations: [Hash: DeviceInvitation]
  /// The recovery key and the recovery that is under way.
  public var recovery: PlayerRecovery

  public init(
    name: PlayerName? = nil, keys: [PublicKey: Key] = [:], lifetimeCount: Int = 0,
    invitations: [Hash: DeviceInvitation] = [:], recovery: PlayerRecovery = PlayerRecovery()
  ) {
    self.name = name
    self.keys = keys
    self.lifetimeCount = lifetimeCount
    self.invitations = invitations
    self.recovery = recovery
  }

  /// The keys that speak for the player.
  public var speaking: [PublicKey: Key] { keys.filter { !$0.value.isRemoved } }

  /// The invitations that a device can still use. The keys that made them must still speak.
  func open(at time: Instant) -> [DeviceInvitation] {
    invitations.values.filter { $0.until > time && keys[$0.inviter]?.isRemoved == false }
  }

  /// Takes a registration that was just accepted.
  public mutating func take(_ registration: Registration) {
    name = registration.name
    keys[registration.key] = Key(addedAt: registration.at)
    lifetimeCount += 1
  }

  /// Takes a change that was just accepted.
  public mutating func take(_ change: KeyChange) {
    switch change {
    case .invited(let invitation): invitations[invitation.hash] = invitation
    case .added(let added):
      keys[added.key] = Key(addedAt: added.at)
      lifetimeCount += 1
      invitations[added.invitation] = nil
    case .removed(let removed): keys[removed.key]?.isRemoved = true
    case .recoverySet(let change): recovery = change.after
    case .recovered(let recovered):
      for key in recovered.removed { keys[key]?.isRemoved = true }
      keys[recovered.key] = Key(addedAt: recovered.at)
      lifetimeCount += 1
      recovery = recovered.after
    }
  }
}

/// A player lets a device in that shows a code.
public struct DeviceInvitation: Hashable, Sendable {
  /// How long a code is good.
  public static let seconds: Int64 = 600

  public var player: PlayerID
  /// The hash of the code.
  public var hash: Hash
  /// The end of its validity, exclusive.
  public var until: Instant
  /// The event that made it.
  public var signed: SignedPayload

  public init(player: PlayerID, hash: Hash, until: Instant, signed: SignedPayload) {
    self.player = player
    self.hash = hash
    self.until = until
    self.signed = signed
  }

  /// The key that made it.
  public var inviter: PublicKey { signed.key }
}

/// A change of the keys that speak for a player. Indirect: it is rare, and every judgement has room
/// for one.
public indirect enum KeyChange: Hashable, Sendable {
  case invited(DeviceInvitation)
  case added(AddedKey)
  case removed(RemovedKey)
  case recoverySet(RecoveryChange)
  case recovered(RecoveredKey)

  /// The player whose keys change.
  public var player: PlayerID {
    switch self {
    case .invited(let invitation): invitation.player
    case .added(let added): added.player
    case .removed(let removed): removed.player
    case .recoverySet(let change): change.player
    case .recovered(let recovered): recovered.player
    }
  }
}

/// A key that speaks for a player from now on.
public struct AddedKey: Hashable, Sendable {
  public var player: PlayerID
  public var name: PlayerName
  public var key: PublicKey
  public var at: Instant
  /// The hash of the code that it showed.
  public var invitation: Hash
  /// The events that brought it in, in their order.
  public var origin: [SignedPayload]

  public init(
    player: PlayerID, name: PlayerName, key: PublicKey, at: Instant, invitation: Hash,
    origin: [SignedPayload]
  ) {
    self.player = player
    self.name = name
    self.key = key
    self.at = at
    self.invitation = invitation
    self.origin = origin
  }
}

/// A key that speaks for a player no more. Its earlier events stay.
public struct RemovedKey: Hashable, Sendable {
  public var player: PlayerID
  public var key: PublicKey
  /// The player's key that removed it; perhaps itself, or one that a recovery brought in.
  public var remover: PublicKey
  public var at: Instant

  public init(player: PlayerID, key: PublicKey, remover: PublicKey, at: Instant) {
    self.player = player
    self.key = key
    self.remover = remover
    self.at = at
  }
}
