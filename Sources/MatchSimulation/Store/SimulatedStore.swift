import MatchCore
import MatchInterfaces
import MatchWire

/// The store in memory: what PostgreSQL holds for the service, with its promises. A batch is
/// written as a whole or not at all, versions and unique keys are checked before anything becomes
/// visible, and locks last as long as their transaction or their commit takes.
final class SimulatedStore {
  struct Player {
    var name: PlayerName
    var registeredAt: Instant
    /// When that became visible, by no clock that anybody sets; for checks only.
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
    /// When it became visible, by no clock that anybody sets; for checks only.
    var since: Instant
    /// The last player who has been told, in the order of ids.
    var cursor: PlayerID?
    var isDone = false
    /// The last player who has been looked at for a reminder.
    var reminderCursor: PlayerID?
    var isReminded = false
  }

  var players: [PlayerID: Player] = [:]
  var keys: [PublicKey: KeyOwner] = [:]
  /// How many keys have been revoked.
  private(set) var revocationCount: Int64 = 0
  /// What was written though the key that said it had been revoked; for checks only.
  var writtenAfterRevocation: [String] = []
  var names: [String: PlayerID] = [:]
  var needsCode = false
  /// The certificates of the service's working keys.
  var certificates: [KeyCertificate] = []
  /// Registration codes, and who has used each.
  var registrationCodes: [ShareCode: PlayerID?] = [:]
  var matches: [MatchID: Match] = [:]
  /// Every state that was ever visible, with the time since when; for checks only.
  private(set) var history: [MatchID: [(match: Match, since: Instant)]] = [:]
  var entries: [MatchID: [Entry]] = [:]
  var rows: [MatchID: StoredListing] = [:]
  var codes: [ShareCode: MatchID] = [:]
  var shares: [ShareCode: MatchID] = [:]
  var pairs: [String: MatchID] = [:]
  var replies: [EventKey: StoredReply] = [:]
  var outbox: [PushJobID: Job] = [:]
  var deliveries: [PushJobID: (job: PushJob, fate: PushStore.Fate)] = [:]
  /// When each delivery was recorded, and those that were seen.
  var sent: [PushJobID: Instant] = [:]
  var seen: Set<PushJobID> = []
  /// Until when all that was sent to a player counts as seen.
  var seenUntil: [PlayerID: Instant] = [:]
  /// The turn that was reminded of last, by match.
  var remindedTurns: [MatchID: Int] = [:]
  var settings: [PlayerID: PlayerSettings] = [:]
  var devices: [PlayerID: [DeviceName: DeviceRow]] = [:]
  /// Who ever did not want to hear of the daily; for checks only.
  var everMutedDaily: Set<PlayerID> = []
  var deadEvents: [DeadEvent] = []
  /// In how many lives messages were read that nobody is known to have survived.
  var trials: [Hash: Int] = [:]
  /// Push jobs that were given up.
  var deadJobs: [DeadEventID: DeadJobRow] = [:]
  var clocks: [Int: QueueClock] = [:]
  var layout: StoredLayout?
  var heartbeats: [WorkerID: Instant] = [:]
  var dailies: [DailyKey: Daily] = [:]
  var ratings = RatingBook()
  /// Players who have to be ranked anew.
  var rankingQueue: [Listing.Rerank] = []
  /// Who stands where, by the names of boards.
  var ranked: [String: [PlayerID: Ranked]] = [:]
  /// The leaderboards among them.
  var boards: [String: Leaderboard] = [:]
  /// Words that no board shows.
  var hiddenWords: Set<HiddenWord> = []
  /// Who does not want to meet whom, and since when.
  var blocks: [Block: Instant] = [:]
  /// How often strangers have invited, by days.
  var strangerInvitations: [Day: [BatchWrite.Invitation: Int]] = [:]

  /// Called while a commit is under way: nothing of it is visible, and what it writes is locked.
  var duringCommit: (Session) -> Void = { _ in }
  /// Called when a batch has become visible, whether anybody is told of it or not; for checks only.
  var afterCommit: (BatchWrite) -> Void = { _ in }
  /// Until when nobody reaches the store.
  private(set) var downUntil = Instant(microseconds: 0)
  /// How far the store's clock is from the time, µs.
  private(set) var clockOffset: Int64 = 0

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

  /// How long after its last heartbeat a worker counts as living.
  static let heartbeatLimitSeconds: Int64 = 10

  /// An empty store; `random` decides what becomes of a commit whose connection breaks.
  init(clock: VirtualClock, random: SeededRandom = SeededRandom(seed: 0)) {
    self.clock = clock
    self.random = random
  }

  /// The store's clock.
  var now: Instant { clock.now.adding(microseconds: clockOffset) }

  /// Sets the store's clock forth, or back.
  func setClock(by microseconds: Int64) { clockOffset += microseconds }

  /// Begins the clocks of queues, as `cubistd setup` does.
  func beginClocks(of layout: QueueLayout) {
    for queue in 0..<layout.queueCount { clocks[queue] = QueueClock(time: now) }
  }

  /// One connection, with what it has begun.
  final class Session {
    let number: Int
    fileprivate(set) var isOpen = true
    /// Whether its server is no longer the primary.
    fileprivate(set) var isReadOnly = false
    /// What whoever waits for this connection does meanwhile.
    var work: () -> Bool = { false }

    fileprivate init(_ number: Int) { self.number = number }
  }

  // MARK: Connections

  /// Opens a connection; nil while the store is down.
  func connect() -> Session? {
    guard clock.now >= downUntil else { return nil }
    lastSession += 1
    let session = Session(lastSession)
    sessions[lastSession] = session
    return session
  }

  /// Opens a connection anew, whatever became of it.
  func reopen(_ session: Session) throws(StoreError) {
    drop(session, isCommitted: false)
    guard clock.now >= downUntil else { throw .unavailable("the store is down") }
    session.isOpen = true
    session.isReadOnly = false
    sessions[session.number] = session
  }

  /// Closes a connection, whosever wish it was: what it had begun is undone, but for a commit under
  /// way, of which nobody knows; chance decides, unless it is told.
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

  /// Makes a standby the primary, which has every commit that was answered. Connections break, or
  /// are to a server that can only be read from.
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

  /// Makes the server of a connection one that can only be read from.
  func demote(_ session: Session) {
    session.isReadOnly = true
    rollBack(session)
  }

  private var ordered: [Session] { sessions.values.sorted { $0.number < $1.number } }

  /// Undoes what a connection has begun.
  func rollBack(_ session: Session) {
    if !claimLocks.isEmpty {
      claimLocks = claimLocks.filter { $0.value != session.number }
    }
    for (id, job) in outbox where job.lockedBy == session.number { outbox[id]?.lockedBy = nil }
    if raterSession == session.number { raterSession = nil }
    if !session.isOpen || session.isReadOnly {
      leaders = leaders.filter { $0.value != session.number }
    }
  }

  func checkOpen(_ session: Session) throws(StoreError) {
    guard session.isOpen else { throw .unavailable("the connection is closed") }
  }

  /// Begins to write: a server that is no longer the primary cannot, and its connection is of no
  /// use any more.
  func checkWritable(_ session: Session) throws(StoreError) {
    try checkOpen(session)
    guard session.isReadOnly else { return }
    drop(session)
    throw .unavailable("cannot write in a read-only transaction")
  }

  /// Commits a batch that has been found right. What is under way meanwhile is locked for others.
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

  /// Lets whoever waits for an answer work, as often as chance wants.
  func keepWaiting(for session: Session) {
    while random.happens(0.6), session.work() {}
  }

  /// Checks that no commit under way has locked what a batch writes. Everything here happens at
  /// once, so that waiting for it would be for ever.
  func checkLocks(of write: BatchWrite, _ session: Session) throws(StoreError) {
    guard !underWay.isEmpty else { return }
    let wanted = write.lockedRows
    for other in underWay where other.key != session.number {
      guard wanted.isDisjoint(with: other.value.lockedRows) else {
        throw .conflict("a row was not to be had in time")
      }
    }
  }

  /// Revokes a key. A batch that is being committed would be waited for, which would be for ever.
  /// - Returns: false where there is no such key, or it was revoked before.
  func revoke(_ key: PublicKey) throws(StoreError) -> Bool {
    guard underWay.values.allSatisfy({ $0.revocationCount == nil }) else {
      throw .conflict("the batches that are being written were not to be waited for")
    }
    guard keys[key]?.isRevoked == false else { return false }
    keys[key]?.isRevoked = true
    revocationCount += 1
    return true
  }

  /// Takes the lock of a claim. Everything here happens at once, so that waiting for it would be
  /// for ever.
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

  /// Adds push jobs; one that is there already stays.
  func owe(_ jobs: [PushJob]) {
    for job in jobs where outbox[job.id] == nil {
      outbox[job.id] = Job(job: job, createdAt: now, lockedBy: nil)
    }
  }
}

extension BatchWrite {
  /// What a commit of the batch locks: rows that it changes or guards, and keys that must be there
  /// once.
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
    for code in usedCodes.keys { rows.insert("registration code \(code)") }
    for reply in replies { rows.insert("event \(reply.key.player) \(reply.key.event)") }
    for job in outbox { rows.insert("job \(job.id)") }
    for queue in clocks.keys { rows.insert("clock \(queue)") }
    for change in blocks { rows.insert("block \(change.block)") }
    for block in forbiddenBlocks { rows.insert("block \(block)") }
    return rows
  }
}
