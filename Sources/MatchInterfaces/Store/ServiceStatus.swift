public import MatchCore

/// How the service stands. Counts stop at a million.
public struct ServiceStatus: Hashable, Sendable {
  /// The store's clock.
  public var now: Instant
  public var schemaVersion: Int
  /// Workers that have not left, the oldest first. Their heartbeats tell which of them live.
  public var workers: [Worker] = []
  /// Roles that have given a sign of life within ten minutes, by kind, the oldest first.
  public var roles: [Role] = []
  /// The kinds of roles that work on a connection and give no sign of life: those of a former
  /// build.
  public var silentRoles: Set<String> = []
  /// The clocks of all queues, by queue index.
  public var clocks: [Int: QueueClock] = [:]
  /// How many have registered.
  public var playerCount = 0
  /// Matches that are not over.
  public var currentMatchCount = 0
  public var matchCount = 0
  /// Push jobs that the broker has not confirmed.
  public var outboxCount = 0
  /// When the oldest of them was owed.
  public var outboxOldestAt: Instant?
  /// Matches that wait to be rated.
  public var ratingQueueCount = 0
  /// When the match that waits longest ended.
  public var ratingQueueOldestAt: Instant?
  /// Events that no worker could handle.
  public var deadEventCount = 0
  /// Push jobs that were given up.
  public var deadJobCount = 0
  /// This deployment's identity; nil before it was set up.
  public var service: ServiceRow?
  public var registrationNeedsCode = false
  /// Which queue serves which slots; nil before it was written down.
  public var layout: StoredLayout?
  /// The parts that waited for a lock in vain or took too long; their fields are empty.
  public var unanswered: [Part] = []
  /// The tables that were locked then, and those with rows that somebody waited for.
  public var locks: [TableLock] = []

  /// A few of the players that ranking has failed several times, the most often failed first.
  public var unrankable: [Unrankable] = []

  /// A few of the matches and players that a part of the service has skipped.
  public var problems: [Problem] = []

  /// A match or player that a part of the service cannot handle, and has skipped so that the others
  /// go on.
  public struct Problem: Hashable, Sendable {
    /// The part that makes partitions and deletes old rows. Its problem is about nobody.
    public static let housekeeping = "housekeeping"

    /// Which part: `reminders`, `ratings`, `daily`, `remindersOfDaily`, `housekeeping`.
    public var part: String
    /// The id of the match or the player; 0: nobody's.
    public var subject: String
    public var since: Instant
    /// The reason for the failure.
    public var reason: String

    public init(part: String, subject: String, since: Instant, reason: String) {
      self.part = part
      self.subject = subject
      self.since = since
      self.reason = reason
    }
  }

  /// After this many failures a player is among the `unrankable`.
  public static let notableFailures = 3

  public struct Unrankable: Hashable, Sendable {
    public var player: PlayerID
    /// How often it has failed in a row.
    public var failureCount: Int
    /// The database's words of the last time.
    public var problem: String

    public init(player: PlayerID, failureCount: Int, problem: String) {
      self.player = player
      self.failureCount = failureCount
      self.problem = problem
    }
  }

  /// A worker that has not left.
  public struct Worker: Hashable, Sendable {
    public var id: WorkerID
    /// Since when.
    public var startedAt: Instant
    /// When it last gave a sign of life.
    public var heartbeatAt: Instant

    public init(id: WorkerID, startedAt: Instant, heartbeatAt: Instant) {
      self.id = id
      self.startedAt = startedAt
      self.heartbeatAt = heartbeatAt
    }
  }

  /// A role that has given a sign of life lately.
  public struct Role: Hashable, Sendable {
    /// Its last sign.
    public var sign: RoleSign
    /// Since when.
    public var startedAt: Instant
    /// When it last gave a sign of life.
    public var heartbeatAt: Instant

    public init(sign: RoleSign, startedAt: Instant, heartbeatAt: Instant) {
      self.sign = sign
      self.startedAt = startedAt
      self.heartbeatAt = heartbeatAt
    }
  }

  /// A table that a session keeps to itself, or rows of one.
  public struct TableLock: Hashable, Sendable {
    /// The table; empty: one that is not known.
    public var table: String
    /// How many sessions wait for rows that it has locked; 0: the table itself is locked.
    public var rowWaiterCount: Int
    /// The process of the server that serves the session.
    public var processID: Int
    /// The name that the session gives itself; empty: none.
    public var session: String
    /// When its transaction began; nil if that may not be seen.
    public var since: Instant?
    /// Whether it waits for the synchronous standby; false also if that may not be seen.
    public var awaitsStandby: Bool

    public init(
      table: String, processID: Int, session: String = "", since: Instant? = nil,
      awaitsStandby: Bool = false, rowWaiterCount: Int = 0
    ) {
      self.table = table
      self.rowWaiterCount = rowWaiterCount
      self.processID = processID
      self.session = session
      self.since = since
      self.awaitsStandby = awaitsStandby
    }
  }

  /// A part of the status that is asked for by itself.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    case workers, roles, clocks, service, layout, players, registration, matches, outbox, ratings
    case problems, ranking
    case deadLetters = "dead letters"
  }

  /// Whether the store has told a part.
  public func knows(_ part: Part) -> Bool { !unanswered.contains(part) }

  public init(now: Instant, schemaVersion: Int) {
    self.now = now
    self.schemaVersion = schemaVersion
  }
}
