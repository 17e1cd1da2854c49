/// The recovery key of a player, and the recovery that is under way. The key is no key of the
/// player: it speaks for nothing but a recovery.
public struct PlayerRecovery: Hashable, Sendable {
  /// How long a recovery key, and a recovery, waits before it counts; and how long an objection
  /// delays a recovery.
  public static let seconds: Int64 = 72 * 3_600
  /// How long after its registration a player's first key names the first recovery key so that it
  /// counts at once.
  public static let newcomerSeconds: Int64 = 3_600
  /// The shortest time between two new recovery keys, and between two recoveries. So nobody can
  /// fill the store or the devices with them.
  public static let pauseSeconds: Int64 = 3_600

  /// The recovery key that was named.
  public struct Named: Hashable, Sendable {
    public var key: PublicKey
    /// The event that named it.
    public var signed: SignedPayload

    public init(key: PublicKey, signed: SignedPayload) {
      self.key = key
      self.signed = signed
    }
  }

  /// A recovery key that counts later.
  public struct Waiting: Hashable, Sendable {
    public var named: Named
    /// From then on it counts.
    public var deadline: Deadline

    public init(named: Named, deadline: Deadline) {
      self.named = named
      self.deadline = deadline
    }
  }

  /// A recovery that was asked for.
  public struct Pending: Hashable, Sendable {
    /// The event that asked for it.
    public var recovery: EventID
    /// The key that is to speak for the player.
    public var key: PublicKey
    /// The event that asked for it, with the recovery key that signed it.
    public var signed: SignedPayload
    public var begunAt: Instant
    /// Then it takes effect.
    public var deadline: Deadline
    /// The key that objected.
    public var objector: PublicKey?

    public init(
      recovery: EventID, key: PublicKey, signed: SignedPayload, begunAt: Instant,
      deadline: Deadline, objector: PublicKey? = nil
    ) {
      self.recovery = recovery
      self.key = key
      self.signed = signed
      self.begunAt = begunAt
      self.deadline = deadline
      self.objector = objector
    }

    /// The end of the wait of a recovery that was begun then.
    public func waitEnd(begunAt: Instant) -> Instant {
      begunAt.adding(seconds: (objector == nil ? 1 : 2) * PlayerRecovery.seconds)
    }

    /// Whether it takes effect by the clock of the player's queue. Somebody who writes the store may
    /// have moved the deadline: it never ends before the wait does.
    func isDue(_ clock: QueueClock) -> Bool {
      var deadline = deadline
      deadline.at = max(deadline.at, waitEnd(begunAt: begunAt))
      return clock.hasReached(deadline, setAt: begunAt)
    }
  }

  /// The key that counts; nil: none does yet.
  public var named: Named?
  /// The key that counts next.
  public var waiting: Waiting?
  public var pending: Pending?
  /// When a recovery key was last named that had to wait.
  public var namedAt: Instant?
  /// When a recovery was last begun.
  public var begunAt: Instant?

  public init(
    named: Named? = nil, waiting: Waiting? = nil, pending: Pending? = nil,
    namedAt: Instant? = nil, begunAt: Instant? = nil
  ) {
    self.named = named
    self.waiting = waiting
    self.pending = pending
    self.namedAt = namedAt
    self.begunAt = begunAt
  }

  /// The keys that may have signed a recovery, or may sign one soon.
  public var keys: [PublicKey] {
    var keys: [PublicKey] = []
    if let named { keys.append(named.key) }
    if let waiting { keys.append(waiting.named.key) }
    return keys
  }

  /// The state once a waiting key counts whose time has come. While a recovery is pending it does
  /// not: a thief with a device cannot stop a recovery by naming another key.
  public func settled(_ clock: QueueClock) -> PlayerRecovery {
    guard pending == nil, let waiting, let namedAt,
      clock.isPast(waiting.deadline, setAt: namedAt)
    else { return self }
    var settled = self
    (settled.named, settled.waiting) = (waiting.named, nil)
    return settled
  }
}

/// A new state of a player's recovery key and recovery.
public struct RecoveryChange: Hashable, Sendable {
  public var player: PlayerID
  public var after: PlayerRecovery

  public init(player: PlayerID, after: PlayerRecovery) {
    self.player = player
    self.after = after
  }
}

/// A key that speaks for a player from now on by a recovery. All other keys do so no more.
public struct RecoveredKey: Hashable, Sendable {
  public var player: PlayerID
  public var name: PlayerName
  public var key: PublicKey
  public var at: Instant
  /// The naming of the recovery key, the recovery, and the service's statement.
  public var origin: [SignedPayload]
  /// The keys that spoke until now.
  public var removed: [PublicKey]
  public var after: PlayerRecovery

  public init(
    player: PlayerID, name: PlayerName, key: PublicKey, at: Instant, origin: [SignedPayload],
    removed: [PublicKey], after: PlayerRecovery
  ) {
    self.player = player
    self.name = name
    self.key = key
    self.at = at
    self.origin = origin
    self.removed = removed
    self.after = after
  }

  /// The removals of the keys that spoke until now.
  public var removedKeys: [RemovedKey] {
    removed.map { RemovedKey(player: player, key: $0, remover: key, at: at) }
  }
}

/// The service states that a recovery has taken effect. Queue time and credit decided it; they are
/// stated so that anyone can check.
public struct RecoveryStatement: Hashable, Sendable {
  public var player: PlayerID
  /// The key that speaks for the player from now on.
  public var key: PublicKey
  /// The event that asked for it.
  public var recovery: EventID
  public var begunAt: Instant
  public var queueTime: Instant
  /// The credit given since it was begun, µs.
  public var creditMicroseconds: Int64
  /// When the service states it, by the store's clock. Its working key is certified for that time.
  public var statedAt: Instant

  public init(
    player: PlayerID, key: PublicKey, recovery: EventID, begunAt: Instant, queueTime: Instant,
    creditMicroseconds: Int64, statedAt: Instant
  ) {
    self.player = player
    self.key = key
    self.recovery = recovery
    self.begunAt = begunAt
    self.queueTime = queueTime
    self.creditMicroseconds = creditMicroseconds
    self.statedAt = statedAt
  }

  /// Whether as much time has passed as a recovery has to wait.
  public var isTimely: Bool {
    creditMicroseconds >= 0
      && queueTime
        >= begunAt.adding(seconds: PlayerRecovery.seconds)
        .adding(microseconds: creditMicroseconds)
  }
}
