import MatchCore
import MatchInterfaces
import MatchWire

/// The store in memory: PostgreSQL's data for the service, with its guarantees. A batch is written
/// as a whole or not at all. Versions and unique keys are checked before anything becomes visible.
/// Locks last as long as their transaction or their commit.
final class SimulatedStore {
  struct Player {
    var name: PlayerName
    var registeredAt: Instant
    /// The time at which that became visible, by a clock that nobody sets. For checks only.
    var since: Instant
  }

  struct Job {
    var job: PushJob
    var createdAt: Instant
    /// The relay that has locked the row.
    var lockedBy: Int?
  }

  struct Daily {
    var challenge: DailyChallenge
    /// The time at which it became visible, by a clock that nobody sets. For checks only.
    var since: Instant
    /// The last player who was told, in the order of ids.
    var cursor: PlayerID?
    var isDone = false
    /// The last player checked for a reminder.
    var reminderCursor: PlayerID?
    var isReminded = false
  }

  var players: [PlayerID: Player] = [:]
  var keys: [PublicKey: KeyOwner] = [:]
  /// The number of removed and revoked keys.
  var revocationCount: Int64 = 0
  /// Each key with what a change of keys needs to know of it.
  var keyRows: [PublicKey: PlayerKeys.Key] = [:]
  /// The events that brought each later key in.
  var origins: [PublicKey: [SignedPayload]] = [:]
  /// Invitations of devices, with the key that has used each.
  var invitations: [Hash: (invitation: DeviceInvitation, usedBy: PublicKey?)] = [:]
  /// The recovery keys of players, and the recoveries that wait for their time.
  var recoveries: [PlayerID: PlayerRecovery] = [:]
  /// Writes for keys that had been revoked. For checks only.
  var writtenAfterRevocation: [String] = []
  var names: [String: PlayerID] = [:]
  /// The players by the skeletons of their names.
  var skeletons: [String: Set<PlayerID>] = [:]
  var needsCode = false
  /// The certificates of the service's working keys.
  var certificates: [KeyCertificate] = []
  /// Registration codes, and the player who has used each.
  var registrationCodes: [ShareCode: PlayerID?] = [:]
  var matches: [MatchID: Match] = [:]
  /// Every state that was ever visible, with the time of its start. For checks only.
  private(set) var history: [MatchID: [(match: Match, since: Instant)]] = [:]
  var entries: [MatchID: [Entry]] = [:]
  var rows: [MatchID: StoredListing] = [:]
  var codes: [ShareCode: MatchID] = [:]
  var shares: [ShareCode: MatchID] = [:]
  var pairs: [String: MatchID] = [:]
  var replies: [EventKey: StoredReply] = [:]
  var outbox: [PushJobID: Job] = [:]
  /// The jobs that no record shows, each with the time since which it is owed.
  var owedJobs: [PushJobID: (job: PushJob, at: Instant)] = [:]
  /// The jobs that wait for their hour, each with the relay that has locked its row.
  var held: [PushJobID: (held: HeldJob, lockedBy: Int?)] = [:]
  var deliveries: [PushJobID: (job: PushJob, fate: PushStore.Fate)] = [:]
  /// The reason for a job's fate, if it has one.
  var reasons: [PushJobID: PushReason] = [:]
  /// The time at which each delivery was recorded, and the deliveries that were seen.
  var sent: [PushJobID: Instant] = [:]
  var seen: Set<PushJobID> = []
  /// The time until which everything sent to a player counts as seen.
  var seenUntil: [PlayerID: Instant] = [:]
  /// The turn of the last reminder, by match.
  var remindedTurns: [MatchID: Int] = [:]
  var settings: [PlayerID: PlayerSettings] = [:]
  var devices: [PlayerID: [DeviceName: DeviceRow]] = [:]
  /// The players who have asked for the end of their account, and those who are gone.
  var departures: [PlayerID: DepartureRow] = [:]
  /// The skeletons of the names of players who are gone, each with the time until which nobody can take it.
  var reservedNames: [String: Instant] = [:]
  /// When the scheduler looks at a player for a digest or a review next. No value: never.
  var nextDigest: [PlayerID: Instant] = [:]
  /// The service's public key of Web Push.
  var pushKey: [UInt8]?
  /// The players who ever did not want to hear of the daily. For checks only.
  var everMutedDaily: Set<PlayerID> = []
  var deadEvents: [DeadEvent] = []
  /// The number of lives in which a message was read that nobody is known to have survived.
  var trials: [Hash: Int] = [:]
  /// Push jobs that were given up.
  var deadJobs: [DeadEventID: DeadJobRow] = [:]
  var clocks: [Int: QueueClock] = [:]
  var layout: StoredLayout?
  var heartbeats: [WorkerID: Instant] = [:]
  var dailies: [DailyKey: Daily] = [:]
  var ratings = SimulatedRatings()
  /// Players to be ranked anew.
  var rankingQueue: [Listing.Rerank] = []
  /// The players' places.
  var ranked: [RankedBoard: [PlayerID: Ranked]] = [:]
  /// Words that no board shows.
  var hiddenWords: Set<HiddenWord> = []
  /// The blocks, with the time of their start.
  var blocks: [Block: Instant] = [:]
  /// The last report of each player about each match, with the time of the first.
  var reports: [PlayerID: [MatchID: Report]] = [:]
  /// The turn of which a player was last reminded by the other one, by match, and when.
  var nudges: [MatchID: (turn: Int, at: Instant)] = [:]
  /// The seats that players left.
  var seatsLeft: [PlayerID: [(at: Instant, match: MatchID)]] = [:]
  /// The number of strangers' invitations, by days.
  var strangerInvitations: [Day: [BatchWrite.Invitation: Int]] = [:]

  var dropped = Dropped()

  /// Called while a commit is under way. Nothing of it is visible, and its rows are locked.
  var duringCommit: (Session) -> Void = { _ in }
  /// Called when a batch has become visible, whether anybody is told of it or not. For checks only.
  var afterCommit: (BatchWrite) -> Void = { _ in }
  /// Until this time nobody reaches the store.
  private(set) var downUntil = Instant(microseconds: 0)
  /// The distance of the store's clock from the true time, µs.
  private(set) var clockOffset: Int64 = 0
  /// What is added to the store's clock, and its last jump.
  private var correction = ServiceTime(shown: Instant(microseconds: 0))

  let clock: VirtualClock
  private let random: SeededRandom
  private var claimLocks: [String: Int] = [:]
  private var leaders: [SchedulerStore.Duty: Int] = [:]
  /// The connection of the rater that has taken matches.
  var raterSession: Int?
  private var lastSession = 0
  private var sessions: [Int: Session] = [:]
  /// Commits under way, by session.
  private var underWay: [Int: BatchWrite] = [:]

  /// An empty store. `random` decides the fate of a commit whose connection breaks.
  init(clock: VirtualClock, random: SeededRandom = SeededRandom(seed: 0)) {
    self.clock = clock
    self.random = random
  }

  /// The store's clock.
  var shown: Instant { clock.now.adding(microseconds: clockOffset) }

  /// The service's time, with the store's clock.
  var time: ServiceTime {
    var time = correction
    time.shown = shown
    return time
  }

  /// The service's time.
  var now: Instant { time.now }

  func correctTime(_ change: ServiceTime.Change) { correction.take(change) }

  /// Sets the store's clock forward or back.
  func setClock(by microseconds: Int64) { clockOffset += microseconds }

  /// Begins the clocks of queues, as `cubistd setup` does.
  func beginClocks(of layout: QueueLayout) {
    for queue in 0..<layout.queueCount { clocks[queue] = QueueClock(time: now) }
  }

  /// One connection, with its transaction.
  final class Session {
    let number: Int
    fileprivate(set) var isOpen = true
    /// Whether its server is no longer the primary.
    fileprivate(set) var isReadOnly = false
    /// The work of a caller that waits for this connection.
    var work: () -> Bool = { false }

    fileprivate init(_ number: Int) { self.number = number }
  }

  // MARK: Connections

  /// Opens a connection. Nil while the store is down.
  func connect() -> Session? {
    guard clock.now >= downUntil else { return nil }
    lastSession += 1
    let session = Session(lastSession)
    sessions[lastSession] = session
    return session
  }

  /// Opens a connection anew, in any state.
  func reopen(_ session: Session) throws(StoreError) {
    drop(session, isCommitted: false)
    guard clock.now >= downUntil else { throw .unavailable("the store is down") }
    session.isOpen = true
    session.isReadOnly = false
    sessions[session.number] = session
  }

  /// Closes a connection, for any reason, and undoes its transaction. Only a commit under way may
  /// survive. Chance decides that, unless `isCommitted` is set.
  func drop(_ session: Session, isCommitted: Bool? = nil) {
    guard session.isOpen else { return }
    if let write = underWay.removeValue(forKey: session.number),
      isCommitted ?? random.happens(0.5)
    {
      apply(write)
    }
    session.isOpen = false
    rollBack(session)
    sessions[session.number] = nil
  }

  /// Closes every connection and takes none for a while.
  func restart(downFor microseconds: Int64 = 0) {
    for session in ordered { drop(session) }
    downUntil = clock.now.adding(microseconds: microseconds)
  }

  /// Makes a standby the primary. It has every commit that was answered. Connections break, or lead
  /// to a read-only server.
  func failOver(downFor microseconds: Int64) {
    for session in ordered {
      if underWay[session.number] != nil || random.happens(0.5) {
        drop(session)
      } else {
        demote(session)
      }
    }
    downUntil = clock.now.adding(microseconds: microseconds)
  }

  /// Makes the server of a connection read-only.
  func demote(_ session: Session) {
    session.isReadOnly = true
    rollBack(session)
  }

  private var ordered: [Session] { sessions.values.sorted { $0.number < $1.number } }

  /// Undoes a connection's transaction.
  func rollBack(_ session: Session) {
    if !claimLocks.isEmpty {
      claimLocks = claimLocks.filter { $0.value != session.number }
    }
    for (id, job) in outbox where job.lockedBy == session.number { outbox[id]?.lockedBy = nil }
    for (id, row) in held where row.lockedBy == session.number { held[id]?.lockedBy = nil }
    if raterSession == session.number { raterSession = nil }
    if !session.isOpen || session.isReadOnly {
      leaders = leaders.filter { $0.value != session.number }
    }
  }

  func checkOpen(_ session: Session) throws(StoreError) {
    guard session.isOpen else { throw .unavailable("the connection is closed") }
  }

  /// Begins to write. A server that is no longer the primary cannot, and its connection is closed.
  func checkWritable(_ session: Session) throws(StoreError) {
    try checkOpen(session)
    guard session.isReadOnly else { return }
    drop(session)
    throw .unavailable("cannot write in a read-only transaction")
  }

  /// Commits a checked batch. Its rows are locked for others meanwhile.
  func finish(_ write: BatchWrite, _ session: Session) throws(StoreError) {
    underWay[session.number] = write
    duringCommit(session)
    keepWaiting(for: session)
    guard underWay.removeValue(forKey: session.number) != nil else {
      throw .unavailable("the connection broke while committing")
    }
    apply(write)
    rollBack(session)
  }

  /// Lets a caller that waits for an answer work, as often as chance decides.
  func keepWaiting(for session: Session) {
    while random.happens(0.6), session.work() {}
  }

  /// Checks that no commit under way has locked a row that a batch writes. A wait would be for
  /// ever, because everything here happens at once.
  func checkLocks(of write: BatchWrite, _ session: Session) throws(StoreError) {
    guard !underWay.isEmpty else { return }
    let wanted = write.lockedRows
    for other in underWay where other.key != session.number {
      guard wanted.isDisjoint(with: other.value.lockedRows) else {
        throw .conflict("a row was not to be had in time")
      }
      guard !write.excludesKeys(of: other.value), !other.value.excludesKeys(of: write) else {
        throw .conflict("the lock on the keys was not to be had in time")
      }
    }
  }

  /// Revokes a key. It does not wait for a batch under way: that would be for ever.
  /// - Returns: false if there is no such key, or if it was revoked before.
  func revoke(_ key: PublicKey) throws(StoreError) -> Bool {
    guard underWay.values.allSatisfy({ $0.revocationCount == nil }) else {
      throw .conflict("the batches that are being written were not to be waited for")
    }
    guard keys[key]?.isRevoked == false else { return false }
    keys[key]?.isRevoked = true
    keyRows[key]?.isRemoved = true
    removeDevices(of: key)
    revocationCount += 1
    return true
  }

  /// Whether a player's rows can be removed. It does not wait for a batch: that would be for ever.
  func checkRemovable(_ player: PlayerID) throws(StoreError) {
    guard underWay.values.allSatisfy({ $0.revocationCount == nil }),
      claimLocks[Claim.keys(of: player).order] == nil
    else { throw .conflict("the batches that are being written were not to be waited for") }
  }

  /// Stops a recovery. It does not wait for a batch that has the lock: that would be for ever.
  /// - Returns: false if that recovery is not under way.
  func stopRecovery(_ recovery: EventID, of player: PlayerID) throws(StoreError) -> Bool {
    guard claimLocks[Claim.keys(of: player).order] == nil else {
      throw .conflict("the batch with the player's keys was not to be waited for")
    }
    guard recoveries[player]?.pending?.recovery == recovery else { return false }
    recoveries[player]?.pending = nil
    owe([PushJob(account: player, stopped: recovery)])
    return true
  }

  /// Takes back the invitations by a player that nobody has used. It does not wait for a batch that
  /// has the lock: that would be for ever.
  func stopInvitations(by player: PlayerID) throws(StoreError) -> Int {
    guard claimLocks[Claim.keys(of: player).order] == nil else {
      throw .conflict("the batch with the player's keys was not to be waited for")
    }
    let open = invitations.filter { _, row in
      row.invitation.player == player && row.usedBy == nil && row.invitation.until > now
    }
    for hash in open.keys { invitations[hash] = nil }
    return open.count
  }

  /// Takes the lock of a claim. A wait would be for ever, because everything here happens at once.
  func lock(_ claim: Claim, for session: Session) throws(StoreError) {
    if session.isReadOnly { return }
    if let holder = claimLocks[claim.order], holder != session.number {
      throw .conflict("the lock on \(claim.order) was not to be had in time")
    }
    claimLocks[claim.order] = session.number
  }

  /// Makes a connection the leader if there is none.
  func lead(_ duty: SchedulerStore.Duty, _ session: Session) -> Bool {
    let leader = leaders[duty] ?? session.number
    leaders[duty] = leader
    return leader == session.number
  }

  /// Makes a state visible.
  func show(_ match: Match) {
    matches[match.id] = match
    history[match.id, default: []].append((match, clock.now))
  }

  /// Adds push jobs, and notes those that no record shows. A job that exists already stays.
  func owe(_ jobs: [PushJob]) {
    for job in jobs where !job.kind.isInRecord && owedJobs[job.id] == nil {
      owedJobs[job.id] = (job, now)
    }
    for job in jobs where outbox[job.id] == nil {
      outbox[job.id] = Job(job: job, createdAt: now, lockedBy: nil)
    }
  }
}

extension BatchWrite {
  /// Whether it removes keys while another batch depends on keys.
  fileprivate func excludesKeys(of other: BatchWrite) -> Bool {
    !removedKeys.isEmpty && (other.revocationCount != nil || !other.removedKeys.isEmpty)
  }

  /// The locks of the batch's commit: rows that it changes or guards, and keys that must be unique.
  fileprivate var lockedRows: Set<String> {
    var rows = Set(unchanged.keys.map { "match \($0)" })
    for change in changes {
      rows.insert("match \(change.after.id)")
      if let pair = StoredListing(of: change.after).pairKey { rows.insert("pair \(pair)") }
      if let before = change.before, let pair = StoredListing(of: before).pairKey {
        rows.insert("pair \(pair)")
      }
    }
    for code in codes { rows.insert("code \(code.code)") }
    for registration in registrations {
      rows.insert("player \(registration.player)")
      rows.insert("name \(registration.name.key)")
    }
    for change in keyChanges {
      switch change {
      case .invited(let invitation): rows.insert("device invitation \(invitation.hash)")
      case .added(let added):
        rows.insert("device invitation \(added.invitation)")
        rows.insert("key \(added.key)")
      case .removed(let removed): rows.insert("key \(removed.key)")
      case .recoverySet: break
      case .recovered(let recovered):
        for key in [recovered.key] + recovered.removed { rows.insert("key \(key)") }
      }
    }
    for player in recoveries.keys { rows.insert("recovery \(player)") }
    for code in usedCodes.keys { rows.insert("registration code \(code)") }
    for reply in replies { rows.insert("event \(reply.key.player) \(reply.key.event)") }
    for job in outbox { rows.insert("job \(job.id)") }
    for queue in clocks.keys { rows.insert("clock \(queue)") }
    for change in blocks { rows.insert("block \(change.block)") }
    for report in reports { rows.insert("report \(report.player) \(report.match)") }
    for nudge in nudges { rows.insert("nudge \(nudge.match)") }
    for (match, left) in seatsLeft { rows.insert("seat left \(left.player) \(match)") }
    for block in forbiddenBlocks { rows.insert("block \(block)") }
    return rows
  }
}
