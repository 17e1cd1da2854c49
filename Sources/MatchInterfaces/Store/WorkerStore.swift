public import MatchCore
public import MatchWire

/// The store as a turn worker needs it. Confined to the worker's thread.
public struct WorkerStore: Interface {
  /// Looks up the facts for a batch, in one round trip, with the store's clock. Begins the
  /// transaction that `commit` or `abandon` ends. Each look-up sees everything that was committed
  /// before it.
  public var lookUp: Ask<Lookup, LookupResult, StoreError>
  /// Takes the locks of the claims, in an order that is the same for everybody, in the transaction
  /// of `lookUp` or in a new one. Says how things stand under the locks, which hold until `commit`
  /// or `abandon`.
  public var resolve: Ask<[Claim], [ClaimFacts], StoreError>
  /// Writes a whole batch and commits, in the transaction that was begun if there is one:
  /// everything or nothing. Every version is checked inside the store before anything becomes
  /// visible.
  public var commit: Ask<BatchWrite, Void, StoreError>
  /// Gives up the transaction that `lookUp` or `resolve` began; nothing if there is none.
  public var abandon: Ask<Void, Void, Never>
  /// How a worker that has no share yet stands among those that have one.
  public var standing: Ask<WorkerID, WorkerStanding, StoreError>
  /// Says that a worker lives and takes its share, and gives the ids of all living workers, itself
  /// included.
  public var heartbeat: Ask<WorkerID, [WorkerID], StoreError>
  /// Says that a worker leaves, so that nobody waits for its heartbeat to time out.
  public var leave: Ask<WorkerID, Void, StoreError>
  /// The clocks of all queues, by queue index.
  public var queueClocks: Ask<Void, [Int: QueueClock], StoreError>
  /// Which queue serves which slots; nil if that is not written down.
  public var layout: Ask<Void, StoredLayout?, StoreError>

  /// Connects anew if the connection is of no use any more. The open transaction is undone.
  public var reconnect: Ask<Void, Void, StoreError>
  /// Notes, in a transaction of its own, that a message is about to be read alone, or that reading
  /// it has ended no worker. Gives how many lives have begun to read it without surviving, this one
  /// included.
  public var trial: Ask<(TrialStep, Hash), Int, StoreError>

  /// Gives the store something to do whenever it waits for an answer: it is called at least once in
  /// a while, and again at once while it gives true. It must not use the store.
  public var workWhileWaiting: Ask<() -> Bool, Void, Never>

  public init(_ how: Asking<StoreError>, around inner: WorkerStore?) {
    lookUp = how("WorkerStore.lookUp", inner?.lookUp) { _ in
      LookupResult(now: Instant(microseconds: 0))
    }
    resolve = how("WorkerStore.resolve", inner?.resolve) { $0.map { _ in .free } }
    commit = how("WorkerStore.commit", inner?.commit) { _ in }
    abandon = how("WorkerStore.abandon", inner?.abandon) {}
    standing = how("WorkerStore.standing", inner?.standing) { _ in WorkerStanding() }
    heartbeat = how("WorkerStore.heartbeat", inner?.heartbeat) { [$0] }
    leave = how("WorkerStore.leave", inner?.leave) { _ in }
    queueClocks = how("WorkerStore.queueClocks", inner?.queueClocks) { [:] }
    layout = how("WorkerStore.layout", inner?.layout) { nil }
    reconnect = how("WorkerStore.reconnect", inner?.reconnect) {}
    trial = how("WorkerStore.trial", inner?.trial) { _, _ in 1 }
    workWhileWaiting = how("WorkerStore.workWhileWaiting", inner?.workWhileWaiting) { _ in }
  }
}

/// How a worker that has no share of the queues yet stands among those that have one.
public struct WorkerStanding: Hashable, Sendable {
  /// A worker serves its queues now if its last sign of life is at most so many seconds old.
  public static let freshSeconds: Int64 = 5
  /// A worker died young if it lived for less than so many seconds.
  public static let youngSeconds: Int64 = 120

  /// Whether the store still counts it among them, from connections that it has lost.
  public var isMember = false
  /// Whether another one serves queues now.
  public var isServed = false
  /// How many processes with workers died young within ten minutes.
  public var youngDeathCount = 0

  /// Alone.
  public init() {}
}

/// Names one running worker.
public struct WorkerID: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128
  /// Makes an id of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// A step of reading a message that has come so often that it may be ending its workers.
public enum TrialStep: Hashable, Sendable, CaseIterable {
  /// It is about to be read.
  case begins
  /// The worker that read it lives.
  case survived
}

/// Names a handled event: an event id is its sender's alone.
public struct EventKey: Hashable, Sendable {
  /// The sender.
  public var player: PlayerID
  /// The sender's id of it.
  public var event: EventID

  public init(player: PlayerID, event: EventID) {
    self.player = player
    self.event = event
  }
}

/// The answer that an event got.
public struct StoredReply: Hashable, Sendable {
  /// SHA-256 of the event's payload, to tell a resend from another event of the same id.
  public var payloadHash: Hash
  /// The reply, byte for byte.
  public var reply: [UInt8]

  public init(payloadHash: Hash, reply: [UInt8]) {
    self.payloadHash = payloadHash
    self.reply = reply
  }
}

/// The look-ups that a batch needs.
public struct Lookup: Hashable, Sendable {
  /// Events that may have been handled before.
  public var events: [EventKey] = []
  /// Keys without a cached owner.
  public var keys: [PublicKey] = []
  /// Players that are not cached as existing.
  public var players: [PlayerID] = []
  /// Matches that are not cached.
  public var matches: [MatchID] = []
  /// Daily challenges that are not cached.
  public var dailies: [DailyKey] = []
  /// Players who may meet one another: the blocks among them are wanted.
  public var meeting: Set<PlayerID> = []
  /// Blocks that begin or end. The answer says which of them stand.
  public var changing: Set<Block> = []
  /// How many blocks of each of their players to count at most; nil: none are counted.
  public var blockLimit: Int?
  /// Matches whose first request is wanted.
  public var requests: [MatchID] = []
  /// How many registrations of the last hour to count at most; nil: none register.
  public var registrations: Int?
  /// Whether the certificates of the service's working keys are wanted.
  public var certificates = false

  public init() {}
}

/// The answers to a look-up.
public struct LookupResult: Hashable, Sendable {
  /// The store's clock: the batch's `now`.
  public var now: Instant
  /// Replies of events that were handled before.
  public var replies: [EventKey: StoredReply] = [:]
  /// How many keys had been revoked before the owners were looked up.
  public var revocationCount: Int64 = 0
  /// Owners of the keys that are registered, those that were revoked included.
  public var keys: [PublicKey: KeyOwner] = [:]
  /// Those of the players that exist.
  public var players: Set<PlayerID> = []
  /// Those of the matches that exist.
  public var matches: [MatchID: Match] = [:]
  /// Those of the daily challenges that are dealt.
  public var dailies: [DailyKey: DailyChallenge] = [:]
  /// The blocks that stand: those among the players who may meet, and those of `changing`.
  public var blocks: Set<Block> = []
  /// How many players each player of `changing` has blocked, if that was wanted.
  public var blockCounts: [PlayerID: Int] = [:]
  /// The first entry of each of those matches, as it was signed.
  public var requests: [MatchID: SignedPayload] = [:]
  /// The registrations of the last hour, only the newest if there are more than were wanted.
  public var registrations = RegistrationLoad()
  /// The certificates of the service's working keys. The caller has to check whether they hold.
  public var certificates: [KeyCertificate] = []

  /// Nothing but the time.
  public init(now: Instant) { self.now = now }
}

public struct KeyOwner: Hashable, Sendable {
  public var player: PlayerID
  /// The player's name.
  public var name: PlayerName
  /// Whether the key has been revoked, so that it speaks for the player no more.
  public var isRevoked: Bool

  public init(player: PlayerID, name: PlayerName, isRevoked: Bool = false) {
    self.player = player
    self.name = name
    self.isRevoked = isRevoked
  }
}

/// An event that a worker could not handle, kept for a person to look at.
public struct DeadEvent: Hashable, Sendable {
  /// The queue that it came from.
  public var queue: Int
  /// The player who signed it; 0: nobody has read it.
  public var player: PlayerID
  /// Which event; 0: nobody has read it.
  public var event: EventID
  /// Why it is dead.
  public var reason: String
  /// The message, byte for byte.
  public var body: [UInt8]

  public init(queue: Int, player: PlayerID, event: EventID, reason: String, body: [UInt8]) {
    self.queue = queue
    self.player = player
    self.event = event
    self.reason = reason
    self.body = body
  }

  /// One that no worker dares to read.
  public init(unread delivery: EventDelivery, reason: String) {
    self.init(
      queue: delivery.queue, player: PlayerID(rawValue: 0), event: EventID(rawValue: 0),
      reason: reason, body: delivery.body)
  }
}

/// Everything that a batch makes true, in one transaction.
public struct BatchWrite: Hashable, Sendable {
  /// One reply to store.
  public struct Reply: Hashable, Sendable {
    public var key: EventKey
    public var reply: StoredReply

    public init(key: EventKey, reply: StoredReply) {
      self.key = key
      self.reply = reply
    }
  }

  /// The code of an open invitation.
  public struct Code: Hashable, Sendable {
    public var code: ShareCode
    /// The match that it invites to.
    public var match: MatchID

    public init(code: ShareCode, match: MatchID) {
      self.code = code
      self.match = match
    }
  }

  /// The players of an invitation.
  public struct Invitation: Hashable, Sendable {
    /// The invited player.
    public var player: PlayerID
    /// The player who invites.
    public var sender: PlayerID

    public init(of player: PlayerID, by sender: PlayerID) {
      self.player = player
      self.sender = sender
    }
  }

  /// A change of a player's settings or devices.
  public struct PlayerRow: Hashable, Sendable {
    public var player: PlayerID
    public var change: PlayerChange

    public init(player: PlayerID, change: PlayerChange) {
      self.player = player
      self.change = change
    }
  }

  /// The batch's time.
  public var now: Instant
  /// Matches that answers were derived from and that did not change: their version must still be
  /// this one.
  public var unchanged: [MatchID: Int64] = [:]
  /// Matches that changed: each exactly once, its `before.version` must still be the stored one, or
  /// it must not exist.
  public var changes: [MatchChange] = []
  /// The count of revoked keys that the batch was judged by; nil if nothing depends on keys. None
  /// may have been revoked since.
  public var revocationCount: Int64?
  /// Codes of new open invitations.
  public var codes: [Code] = []
  /// Codes of matches that were shared; one that is kept already stays.
  public var shares: [Code] = []
  /// Invitations to players who have never met the sender. They count on the batch's day (UTC)
  /// regardless of their outcome; under the lock of the claim on the inbox.
  public var strangerInvitations: [Invitation: Int] = [:]
  /// New players.
  public var registrations: [Registration] = []
  /// Registration codes that were used up, by the new player.
  public var usedCodes: [ShareCode: PlayerID] = [:]
  /// Replies, each event once.
  public var replies: [Reply] = []
  /// Push jobs that are owed.
  public var outbox: [PushJob] = []
  /// Changes of players' settings and devices, in their order.
  public var playerChanges: [PlayerRow] = []
  /// Push jobs that the broker has confirmed since: their outbox rows go.
  public var published: [PushJobID] = []
  /// Clocks of queues that ticked, each with its value before. If the stored clock is another, the
  /// batch is a conflict: the queue's last worker may have heard of ticks that nobody else has.
  public var clocks: [Int: ClockChange] = [:]
  /// Events that could not be handled.
  public var dead: [DeadEvent] = []
  /// Blocks that begin or end, in their order; the last change of each stands.
  public var blocks: [BlockChange] = []

  public init(now: Instant) { self.now = now }

  /// The codes of matches that are not over by the end of the batch. The other codes lead nowhere.
  public var standingCodes: [Code] {
    guard !codes.isEmpty else { return [] }
    let over = Set(changes.filter { $0.after.outcome != nil }.map(\.after.id))
    return codes.filter { !over.contains($0.match) }
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    changes.isEmpty && registrations.isEmpty && replies.isEmpty && outbox.isEmpty
      && published.isEmpty && clocks.isEmpty && dead.isEmpty && codes.isEmpty && shares.isEmpty
      && usedCodes.isEmpty
      && playerChanges.isEmpty
      && blocks.isEmpty && strangerInvitations.isEmpty
  }
}

/// The change of a queue's clock by ticks.
public struct ClockChange: Hashable, Sendable {
  /// The clock that the batch was judged by; `QueueClock()` for a queue without a stored clock.
  public var before: QueueClock
  /// The clock after the ticks.
  public var after: QueueClock

  public init(before: QueueClock = QueueClock(), after: QueueClock) {
    self.before = before
    self.after = after
  }
}
