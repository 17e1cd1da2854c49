package import MatchCore

/// How the service stands. Counts stop at a million.
package struct ServiceStatus: Hashable, Sendable {
  /// The store's clock. Signs of life and rows of push jobs are dated by it.
  package var now: Instant
  /// What is added to it to have the service's time, µs. Matches and the clocks of queues are dated
  /// by that time.
  package var addedMicroseconds: Int64 = 0
  /// The last jump of the store's clock; nil: none was ever noticed.
  package var clockJump: ServiceTime.Jump?
  package var schemaVersion: Int
  /// Workers that have not left, the oldest first. Their heartbeats tell which of them live.
  package var workers: [Worker] = []
  /// Roles that have given a sign of life within ten minutes, by kind, the oldest first.
  package var roles: [Role] = []
  /// The kinds of roles that work on a connection and give no sign of life: those of a former
  /// build.
  package var silentRoles: Set<String> = []
  /// The clocks of all queues, by queue index.
  package var clocks: [Int: QueueClock] = [:]
  /// How many have registered.
  package var playerCount = 0
  /// Matches that are not over.
  package var currentMatchCount = 0
  package var matchCount = 0
  /// Push jobs that the broker has not confirmed.
  package var outboxCount = 0
  /// When the oldest of them was owed.
  package var outboxOldestAt: Instant?
  /// Push jobs that wait for their hour.
  package var heldCount = 0
  /// When the hour of the first one comes.
  package var heldNextAt: Instant?
  /// Matches that wait to be rated.
  package var ratingQueueCount = 0
  /// When the match that waits longest ended.
  package var ratingQueueOldestAt: Instant?
  /// Players who wait to be ranked anew.
  package var rankingQueueCount = 0
  /// The size of the database on disk, in bytes.
  package var databaseBytes: Int64 = 0
  /// Events that no worker could handle.
  package var deadEventCount = 0
  /// Push jobs that were given up.
  package var deadJobCount = 0
  /// This deployment's identity; nil before it was set up.
  package var service: ServiceRow?
  package var registrationNeedsCode = false
  /// Which queue serves which slots; nil before it was written down.
  package var layout: StoredLayout?
  /// The parts that waited for a lock in vain or took too long; their fields are empty.
  package var unanswered: [Part] = []
  /// The tables that were locked then, and those with rows that somebody waited for.
  package var locks: [TableLock] = []
  /// The processes of sessions that held a lock then; looked for only while the database is slow.
  package var lockHolders: Set<Int> = []
  /// Those of them that the user who asks may not end.
  package var protectedHolders: Set<Int> = []

  /// Sessions that the database's server has.
  package var connectionCount = 0
  /// Sessions that it allows; 0: not known.
  package var connectionLimit = 0
  /// When the database's server began; nil: not known.
  package var serverStartedAt: Instant?
  /// Bytes of the log that the standby furthest behind has not replayed; nil without a standby, and
  /// where the service's user may not see it.
  package var standbyLagBytes: Int?
  /// How many synchronous standbys a commit waits for; 0: for none.
  package var neededStandbyCount = 0
  /// How many synchronous standbys stream.
  package var streamingStandbyCount = 0
  /// The replication slots that nobody uses, by name, with the bytes of the log that each keeps.
  package var idleSlots: [String: Int] = [:]
  /// Kept replies of the last minutes, and of the day before.
  package var replies = ReplySample()

  /// Kept replies, counted by the name of the refusal; accepted events have the name "". Of each
  /// minute and each hour a few hundred are looked at, so that the counts are not all of them.
  package struct ReplySample: Hashable, Sendable {
    /// So many minutes count as recent.
    package static let recentMinutes = 10
    /// At most so many replies of each of these minutes, and of each hour before, are looked at.
    package static let limit = 500

    package var recent: [String: Int] = [:]
    /// Those of the 24 hours before.
    package var earlier: [String: Int] = [:]

    package init() {}
  }

  /// A few of the players who left many matches within a day after joining them, the most first.
  package var leavers: [Leaver] = []

  /// A player who joins matches and leaves them.
  package struct Leaver: Hashable, Sendable {
    /// The most that are named.
    package static let limit = 10

    package var player: PlayerID
    package var name: String
    /// The seats that the player left within the day.
    package var count: Int

    package init(player: PlayerID, name: String, count: Int) {
      (self.player, self.name, self.count) = (player, name, count)
    }
  }

  /// A few of the players that ranking has failed several times, the most often failed first.
  package var unrankable: [Unrankable] = []

  /// A few of the matches and players that a part of the service has skipped.
  package var problems: [Problem] = []

  /// A match or player that a part of the service cannot handle, and has skipped so that the others
  /// go on.
  package struct Problem: Hashable, Sendable {
    /// The part that makes partitions and deletes old rows. Its problem is about nobody.
    package static let housekeeping = "housekeeping"
    /// The records of matches, where one is damaged.
    package static let records = "records"
    /// The database, where a statement takes long. Its problem is about nobody.
    package static let database = "database"

    /// Which part: `reminders`, `ratings`, `daily`, `remindersOfDaily`, `records`, `housekeeping`,
    /// `database`.
    package var part: String
    /// The id of the match or the player; 0: nobody's.
    package var subject: String
    package var since: Instant
    /// The reason for the failure.
    package var reason: String

    package init(part: String, subject: String, since: Instant, reason: String) {
      self.part = part
      self.subject = subject
      self.since = since
      self.reason = reason
    }
  }

  /// After this many failures a player is among the `unrankable`.
  package static let notableFailures = 3

  package struct Unrankable: Hashable, Sendable {
    package var player: PlayerID
    /// How often it has failed in a row.
    package var failureCount: Int
    /// The database's words of the last time.
    package var problem: String

    package init(player: PlayerID, failureCount: Int, problem: String) {
      self.player = player
      self.failureCount = failureCount
      self.problem = problem
    }
  }

  /// A worker that has not left.
  package struct Worker: Hashable, Sendable {
    package var id: WorkerID
    /// Since when.
    package var startedAt: Instant
    /// When it last gave a sign of life.
    package var heartbeatAt: Instant

    package init(id: WorkerID, startedAt: Instant, heartbeatAt: Instant) {
      self.id = id
      self.startedAt = startedAt
      self.heartbeatAt = heartbeatAt
    }
  }

  /// A role that has given a sign of life lately.
  package struct Role: Hashable, Sendable {
    /// Its last sign.
    package var sign: RoleSign
    /// Since when.
    package var startedAt: Instant
    /// When it last gave a sign of life.
    package var heartbeatAt: Instant

    package init(sign: RoleSign, startedAt: Instant, heartbeatAt: Instant) {
      self.sign = sign
      self.startedAt = startedAt
      self.heartbeatAt = heartbeatAt
    }
  }

  /// A table that a session keeps to itself, or rows of one.
  package struct TableLock: Hashable, Sendable {
    /// The table; empty: one that is not known.
    package var table: String
    /// How many sessions wait for rows that it has locked; 0: the table itself is locked.
    package var rowWaiterCount: Int
    /// The process of the server that serves the session.
    package var processID: Int
    /// The name that the session gives itself; empty: none.
    package var session: String
    /// Its user of the database.
    package var user = ""
    /// Whether the user who asks may end it.
    package var mayBeEnded = true
    /// When its transaction began; nil if that may not be seen.
    package var since: Instant?
    /// Whether it waits for the synchronous standby; false also if that may not be seen.
    package var awaitsStandby: Bool
    /// Whether readers wait for it, too, and not only writers.
    package var blocksReads = true

    package init(
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
  package enum Part: String, Hashable, Sendable, CaseIterable {
    case workers, roles, clocks, time, service, layout, players, registration, matches, outbox
    case ratings, problems, ranking, server, replies, leavers
    case deadLetters = "dead letters"
  }

  /// The service's time.
  package var serviceTime: Instant { now.adding(microseconds: addedMicroseconds) }

  /// Whether the store has told a part.
  package func knows(_ part: Part) -> Bool { !unanswered.contains(part) }

  package init(now: Instant, schemaVersion: Int) {
    self.now = now
    self.schemaVersion = schemaVersion
  }
}
