package import MatchCore
package import MatchWire

/// The store as a turn worker needs it. Confined to the worker's thread.
package struct WorkerStore: Interface {
  /// How long after its last heartbeat a worker counts as living.
  package static let heartbeatLimitSeconds: Int64 = 10

  /// Looks up the facts for a batch, in one round trip, with the service's time. Begins the
  /// transaction that `commit` or `abandon` ends. Each look-up sees everything that was committed
  /// before it.
  package var lookUp: Ask<Lookup, LookupResult, StoreError>
  /// Takes the locks of the claims, in an order that is the same for everybody, in the transaction
  /// of `lookUp` or in a new one. Says how things stand under the locks, which hold until `commit`
  /// or `abandon`.
  package var resolve: Ask<[Claim], [ClaimFacts], StoreError>
  /// Writes a whole batch and commits, in the transaction that was begun if there is one:
  /// everything or nothing. Every version is checked inside the store before anything becomes
  /// visible.
  package var commit: Ask<BatchWrite, Void, StoreError>
  /// Gives up the transaction that `lookUp` or `resolve` began; nothing if there is none.
  package var abandon: Ask<Void, Void, Never>
  /// How a worker that has no share yet stands among those that have one.
  package var standing: Ask<WorkerID, WorkerStanding, StoreError>
  /// Says that a worker lives and takes its share, and gives the ids of all living workers, itself
  /// included.
  package var heartbeat: Ask<WorkerID, [WorkerID], StoreError>
  /// Says that a worker leaves, so that nobody waits for its heartbeat to time out.
  package var leave: Ask<WorkerID, Void, StoreError>
  /// The clocks of all queues, by queue index.
  package var queueClocks: Ask<Void, [Int: QueueClock], StoreError>
  /// Which queue serves which slots; nil if that is not written down.
  package var layout: Ask<Void, StoredLayout?, StoreError>

  /// Connects anew if the connection is of no use any more. The open transaction is undone.
  package var reconnect: Ask<Void, Void, StoreError>
  /// Notes, in a transaction of its own, that a message is about to be read alone, or that reading
  /// it has ended no worker. Gives how many lives have begun to read it without surviving, this one
  /// included.
  package var trial: Ask<(TrialStep, Hash), Int, StoreError>

  /// Gives the store something to do whenever it waits for an answer: it is called at least once in
  /// a while, and again at once while it gives true. It must not use the store.
  package var workWhileWaiting: Ask<() -> Bool, Void, Never>

  package init(_ how: Asking<StoreError>, around inner: WorkerStore?) {
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
package struct WorkerStanding: Hashable, Sendable {
  /// A worker serves its queues now if its last sign of life is at most so many seconds old.
  package static let freshSeconds: Int64 = 5
  /// A worker died young if it lived for less than so many seconds.
  package static let youngSeconds: Int64 = 120

  /// Whether the store still counts it among them, from connections that it has lost.
  package var isMember = false
  /// Whether another one serves queues now.
  package var isServed = false
  /// How many processes with workers died young within ten minutes.
  package var youngDeathCount = 0

  /// Alone.
  package init() {}
}

/// Names one running worker.
package struct WorkerID: Identifier {
  /// The sixteen bytes as one big-endian number.
  package let rawValue: UInt128
  /// Makes an id of sixteen bytes given as one big-endian number.
  package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// A step of reading a message that has come so often that it may be ending its workers.
package enum TrialStep: Hashable, Sendable, CaseIterable {
  /// It is about to be read.
  case begins
  /// The worker that read it lives.
  case survived
}

/// Names a handled event: an event id is its sender's alone.
package struct EventKey: Hashable, Sendable {
  /// The sender.
  package var player: PlayerID
  /// The sender's id of it.
  package var event: EventID

  package init(player: PlayerID, event: EventID) {
    self.player = player
    self.event = event
  }
}

/// The answer that an event got.
package struct StoredReply: Hashable, Sendable {
  /// SHA-256 of the event's payload, to tell a resend from another event of the same id.
  package var payloadHash: Hash
  /// The reply, byte for byte.
  package var reply: [UInt8]

  package init(payloadHash: Hash, reply: [UInt8]) {
    self.payloadHash = payloadHash
    self.reply = reply
  }
}

/// The look-ups that a batch needs.
package struct Lookup: Hashable, Sendable {
  /// Events that may have been handled before.
  package var events: [EventKey] = []
  /// Keys without a cached owner.
  package var keys: [PublicKey] = []
  /// Players that are not cached as being there.
  package var players: [PlayerID] = []
  /// Matches that are not cached.
  package var matches: [MatchID] = []
  /// Daily challenges that are not cached.
  package var dailies: [DailyKey] = []
  /// Players who may meet one another: the blocks among them are wanted.
  package var meeting: Set<PlayerID> = []
  /// Blocks that begin or end. The answer says which of them stand.
  package var changing: Set<Block> = []
  /// How many blocks of each of their players to count at most; nil: none are counted.
  package var blockLimit: Int?
  /// Players who report: the reports of their last 24 hours are wanted.
  package var reporting: Set<PlayerID> = []
  /// Matches with a player to be reminded: their last reminders are wanted, and those of their
  /// players who refuse reminders.
  package var nudging: Set<MatchID> = []
  /// Whether an event of the batch may leave a seat, so that `maySeatsBeLeft` is looked up.
  package var leavesSeat = false
  /// Players who want to join a match: when they left seats lately is wanted.
  package var leaving: Set<PlayerID> = []
  /// Matches whose first request is wanted.
  package var requests: [MatchID] = []
  /// How many registrations of the last hour to count at most; nil: none register.
  package var registrations: Int?
  /// Hashes of codes: the invitations of devices with these are wanted.
  package var invitations: Set<Hash> = []
  /// Players whose recovery keys and pending recoveries are wanted.
  package var recoveries: Set<PlayerID> = []
  /// Whether the certificates of the service's working keys are wanted.
  package var certificates = false

  package init() {}
}

/// The answers to a look-up.
package struct LookupResult: Hashable, Sendable {
  /// The service's time: the batch's `now`.
  package var now: Instant
  /// Replies of events that were handled before.
  package var replies: [EventKey: StoredReply] = [:]
  /// How many keys had been revoked before the owners were looked up.
  package var revocationCount: Int64 = 0
  /// Owners of the keys that are registered, those that were revoked included.
  package var keys: [PublicKey: KeyOwner] = [:]
  /// Those of the players that exist and are not gone.
  package var players: Set<PlayerID> = []
  /// Those of the players whom nobody can meet, read after the count of revoked keys: no one is
  /// left out whose keys were revoked before.
  package var absences: [PlayerID: Absence] = [:]
  /// Those of the matches that exist.
  package var matches: [MatchID: Match] = [:]
  /// Those of the daily challenges that are dealt.
  package var dailies: [DailyKey: DailyChallenge] = [:]
  /// The blocks that stand: those among the players who may meet, and those of `changing`.
  package var blocks: Set<Block> = []
  /// How many players each player of `changing` has blocked, if that was wanted.
  package var blockCounts: [PlayerID: Int] = [:]
  /// The matches that each player of `reporting` has reported in the last 24 hours, with the times:
  /// the newest ones, at most ``Report/dailyLimit`` of each player.
  package var reports: [PlayerID: [MatchID: Instant]] = [:]
  /// The last reminders in those matches, and those of their players who refuse reminders.
  package var nudges = NudgeFacts()
  /// Whether every role with a heartbeat within some seconds is of schema 22 or later. Looked up only
  /// if `leavesSeat` is set.
  package var maySeatsBeLeft = true
  /// When each player of `leaving` left seats lately: the newest times, at most
  /// ``LeavingPause/countLimit`` of each player.
  package var leavings: [PlayerID: [Instant]] = [:]
  /// The first entry of each of those matches, as it was signed.
  package var requests: [MatchID: SignedPayload] = [:]
  /// The registrations of the last hour, only the newest if there are more than were wanted.
  package var registrations = RegistrationLoad()
  /// Those of the invitations of devices that exist.
  package var invitations: [Hash: InvitationFacts] = [:]
  /// The recovery keys of those players who have any: the one that counts, and the one that waits.
  package var recoveryKeys: [PlayerID: [PublicKey]] = [:]
  /// The recoveries of those players that are under way.
  package var pendingRecoveries: [PlayerID: PendingRecovery] = [:]
  /// The certificates of the service's working keys. The caller has to check whether they hold.
  package var certificates: [KeyCertificate] = []

  /// Nothing but the time.
  package init(now: Instant) { self.now = now }
}

/// A recovery that is under way, as far as a withdrawal needs it.
package struct PendingRecovery: Hashable, Sendable {
  package var recovery: EventID
  /// The recovery key that counts. It may withdraw the recovery.
  package var key: PublicKey

  package init(recovery: EventID, key: PublicKey) {
    self.recovery = recovery
    self.key = key
  }
}

/// An invitation of a device, as far as anybody may ask who shows its code.
package struct InvitationFacts: Hashable, Sendable {
  package var player: PlayerID
  /// Whether it is unused and not over.
  package var isOpen: Bool

  package init(player: PlayerID, isOpen: Bool) {
    self.player = player
    self.isOpen = isOpen
  }
}

package struct KeyOwner: Hashable, Sendable {
  package var player: PlayerID
  /// The player's name.
  package var name: PlayerName
  /// Whether the key has been revoked, so that it speaks for the player no more.
  package var isRevoked: Bool

  package init(player: PlayerID, name: PlayerName, isRevoked: Bool = false) {
    self.player = player
    self.name = name
    self.isRevoked = isRevoked
  }
}

/// An event that a worker could not handle, kept for a person to look at.
package struct DeadEvent: Hashable, Sendable {
  /// The queue that it came from.
  package var queue: Int
  /// The player who signed it; 0: nobody has read it.
  package var player: PlayerID
  /// Which event; 0: nobody has read it.
  package var event: EventID
  /// Why it is dead.
  package var reason: String
  /// The message, byte for byte.
  package var body: [UInt8]

  package init(queue: Int, player: PlayerID, event: EventID, reason: String, body: [UInt8]) {
    self.queue = queue
    self.player = player
    self.event = event
    self.reason = reason
    self.body = body
  }

  /// One that no worker dares to read.
  package init(unread delivery: EventDelivery, reason: String) {
    self.init(
      queue: delivery.queue, player: PlayerID(rawValue: 0), event: EventID(rawValue: 0),
      reason: reason, body: delivery.body)
  }
}

/// Everything that a batch makes true, in one transaction.
package struct BatchWrite: Hashable, Sendable {
  /// One reply to store.
  package struct Reply: Hashable, Sendable {
    package var key: EventKey
    package var reply: StoredReply

    package init(key: EventKey, reply: StoredReply) {
      self.key = key
      self.reply = reply
    }
  }

  /// The code of an open invitation.
  package struct Code: Hashable, Sendable {
    package var code: ShareCode
    /// The match that it invites to.
    package var match: MatchID

    package init(code: ShareCode, match: MatchID) {
      self.code = code
      self.match = match
    }
  }

  /// The players of an invitation.
  package struct Invitation: Hashable, Sendable {
    /// The invited player.
    package var player: PlayerID
    /// The player who invites.
    package var sender: PlayerID

    package init(of player: PlayerID, by sender: PlayerID) {
      self.player = player
      self.sender = sender
    }
  }

  /// A change of a player's settings or devices.
  package struct PlayerRow: Hashable, Sendable {
    package var player: PlayerID
    package var change: PlayerChange
    /// The key that signed the event. A device belongs to the key that registered it.
    package var key: PublicKey?

    package init(player: PlayerID, change: PlayerChange, key: PublicKey? = nil) {
      self.player = player
      self.change = change
      self.key = key
    }
  }

  /// The batch's time.
  package var now: Instant
  /// Matches that answers were derived from and that did not change: their version must still be
  /// this one.
  package var unchanged: [MatchID: Int64] = [:]
  /// Matches that changed: each exactly once, its `before.version` must still be the stored one, or
  /// it must not exist.
  package var changes: [MatchChange] = []
  /// The count of revoked keys that the batch was judged by; nil if nothing depends on keys. None
  /// may have been revoked since.
  package var revocationCount: Int64?
  /// Codes of new open invitations.
  package var codes: [Code] = []
  /// Codes of matches that were shared; one that is kept already stays.
  package var shares: [Code] = []
  /// Invitations to players who have never met the sender. They count on the batch's day (UTC)
  /// regardless of their outcome; under the lock of the claim on the inbox.
  package var strangerInvitations: [Invitation: Int] = [:]
  /// New players.
  package var registrations: [Registration] = []
  /// Changes of the keys that speak for players, in their order. If a key is removed, nothing is
  /// committed later that was judged before, as with a revocation by an operator. An invitation that
  /// is not open any more, or a key that somebody has by then, is a conflict.
  package var keyChanges: [KeyChange] = []
  /// Registration codes that were used up, by the new player.
  package var usedCodes: [ShareCode: PlayerID] = [:]
  /// Replies, each event once.
  package var replies: [Reply] = []
  /// Push jobs that are owed.
  package var outbox: [PushJob] = []
  /// Changes of players' settings and devices, in their order.
  package var playerChanges: [PlayerRow] = []
  /// Push jobs that the broker has confirmed since: their outbox rows go.
  package var published: [PushJobID] = []
  /// Clocks of queues that ticked, each with its value before. If the stored clock is another, the
  /// batch is a conflict: the queue's last worker may have heard of ticks that nobody else has.
  package var clocks: [Int: ClockChange] = [:]
  /// Events that could not be handled.
  package var dead: [DeadEvent] = []
  /// Blocks that begin or end, in their order; the last change of each stands.
  package var blocks: [BlockChange] = []
  /// Reports, in their order. Reason and text of the last one of each player and match replace those
  /// of the others. The first one's time stays.
  package var reports: [Report] = []
  /// Reminders of turns. If the store has one of the same turn, or of a later one, by then, that is
  /// a conflict.
  package var nudges: [Nudge] = []

  package init(now: Instant) { self.now = now }

  /// The keys that the batch removes.
  package var removedKeys: [RemovedKey] {
    keyChanges.flatMap { change -> [RemovedKey] in
      switch change {
      case .removed(let removed): [removed]
      case .recovered(let recovered): recovered.removedKeys
      case .invited, .added, .recoverySet: []
      }
    }
  }

  /// The recovery keys and recoveries of players as the batch leaves them.
  package var recoveries: [PlayerID: PlayerRecovery] {
    var recoveries: [PlayerID: PlayerRecovery] = [:]
    for change in keyChanges {
      switch change {
      case .recoverySet(let set): recoveries[set.player] = set.after
      case .recovered(let recovered): recoveries[recovered.player] = recovered.after
      case .invited, .added, .removed: break
      }
    }
    return recoveries
  }

  /// Whether there is nothing to write.
  package var isEmpty: Bool {
    changes.isEmpty && registrations.isEmpty && replies.isEmpty && outbox.isEmpty
      && published.isEmpty && clocks.isEmpty && dead.isEmpty && codes.isEmpty && shares.isEmpty
      && usedCodes.isEmpty && keyChanges.isEmpty
      && playerChanges.isEmpty
      && blocks.isEmpty && reports.isEmpty && nudges.isEmpty && strangerInvitations.isEmpty
  }
}

extension Device.Route {
  /// Whether it leads to a device. A token that is not known yet is nobody's.
  package var hasAddress: Bool { self != .app(token: nil) }
}

/// The change of a queue's clock by ticks.
package struct ClockChange: Hashable, Sendable {
  /// The clock that the batch was judged by; `QueueClock()` for a queue without a stored clock.
  package var before: QueueClock
  /// The clock after the ticks.
  package var after: QueueClock

  package init(before: QueueClock = QueueClock(), after: QueueClock) {
    self.before = before
    self.after = after
  }
}
