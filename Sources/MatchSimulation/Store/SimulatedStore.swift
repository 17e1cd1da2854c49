import MatchCore
import MatchInterfaces

/// The store in memory: what PostgreSQL holds for the service, with its promises. A batch is
/// written as a whole or not at all, versions and unique keys are checked before anything becomes
/// visible, and locks last as long as their transaction.
final class SimulatedStore {
  struct Player {
    var name: PlayerName
    var registeredAt: Instant
  }

  struct Job {
    var job: PushJob
    var createdAt: Instant
    /// The relay that has locked the row.
    var lockedBy: Int?
  }

  struct Daily {
    var challenge: DailyChallenge
    var dealtAt: Instant
    /// The last player who has been told, in the order of ids.
    var cursor: PlayerID?
    var isDone = false
  }

  /// What is left out on purpose, see `PlantedBug`.
  var ignoresVersions = false

  var players: [PlayerID: Player] = [:]
  var keys: [PublicKey: KeyOwner] = [:]
  var names: [String: PlayerID] = [:]
  var needsCode = false
  /// Registration codes, and who has used each.
  var registrationCodes: [ShareCode: PlayerID?] = [:]
  var matches: [MatchID: Match] = [:]
  /// Every state that was ever visible, with the time since when; for checks only.
  private(set) var history: [MatchID: [(match: Match, since: Instant)]] = [:]
  var entries: [MatchID: [Entry]] = [:]
  var rows: [MatchID: StoredListing] = [:]
  var codes: [ShareCode: MatchID] = [:]
  var pairs: [String: MatchID] = [:]
  var replies: [EventKey: StoredReply] = [:]
  var outbox: [PushJobID: Job] = [:]
  var deliveries: [PushJobID: (job: PushJob, fate: PushStore.Fate)] = [:]
  var deadEvents: [DeadEvent] = []
  var clocks: [Int: QueueClock] = [:]
  var heartbeats: [WorkerID: Instant] = [:]
  var dailies: [DailyKey: Daily] = [:]

  private let clock: VirtualClock
  private var claimLocks: [String: Int] = [:]
  private var leader: Int?
  private var lastSession = 0
  private var sessions: [Int: Session] = [:]

  /// How long after its last heartbeat a worker counts as living.
  static let heartbeatLimitSeconds: Int64 = 10

  init(clock: VirtualClock) { self.clock = clock }

  /// The store's clock.
  var now: Instant { clock.now }

  /// One connection, with what it has begun.
  final class Session {
    let number: Int
    fileprivate(set) var isOpen = true

    fileprivate init(_ number: Int) { self.number = number }
  }

  /// Opens a connection.
  func connect() -> Session {
    lastSession += 1
    let session = Session(lastSession)
    sessions[lastSession] = session
    return session
  }

  /// Closes a connection, whosever wish it was: what it had begun is undone.
  func drop(_ session: Session) {
    rollBack(session)
    if leader == session.number { leader = nil }
    session.isOpen = false
    sessions[session.number] = nil
  }

  /// Closes every connection.
  func restart() {
    for session in sessions.values.sorted(by: { $0.number < $1.number }) { drop(session) }
  }

  /// Undoes what a connection has begun.
  func rollBack(_ session: Session) {
    claimLocks = claimLocks.filter { $0.value != session.number }
    for (id, job) in outbox where job.lockedBy == session.number { outbox[id]?.lockedBy = nil }
  }

  func checkOpen(_ session: Session) throws(StoreError) {
    guard session.isOpen else { throw .unavailable("the connection is closed") }
  }

  /// Takes the lock of a claim. Everything here happens at once, so that waiting for it would be
  /// for ever.
  func lock(_ claim: Claim, for session: Session) throws(StoreError) {
    if let holder = claimLocks[claim.order], holder != session.number {
      throw .conflict("the lock on \(claim.order) was not to be had in time")
    }
    claimLocks[claim.order] = session.number
  }

  /// Makes a connection the leader if there is none.
  func lead(_ session: Session) -> Bool {
    if leader == nil { leader = session.number }
    return leader == session.number
  }

  /// Makes a state visible.
  func show(_ match: Match) {
    matches[match.id] = match
    history[match.id, default: []].append((match, now))
  }

  /// Adds push jobs; one that is there already stays.
  func owe(_ jobs: [PushJob]) {
    for job in jobs where outbox[job.id] == nil {
      outbox[job.id] = Job(job: job, createdAt: now, lockedBy: nil)
    }
  }
}
