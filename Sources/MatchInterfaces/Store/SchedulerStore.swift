package import MatchCore

/// The store as the scheduler, its steward and the housekeeper need it. Confined to its thread.
package struct SchedulerStore: Interface {
  /// Whether this scheduler, or this steward, is the active one. If not, it tries to become it.
  /// Lost with the connection.
  package var lead: Ask<Void, Bool, StoreError>
  /// The service's time.
  package var now: Ask<Void, Instant, StoreError>
  /// The store's clock, and what is added to it to have the service's time.
  package var time: Ask<Void, ServiceTime, StoreError>
  /// Has something else added to the store's clock from now on.
  package var correctTime: Ask<ServiceTime.Change, Void, StoreError>
  /// The state of the service without counts that take long, and without locks: of players, matches
  /// and tables.
  package var workload: Ask<Void, ServiceStatus, StoreError>
  /// The clocks of all queues, by queue index.
  package var queueClocks: Ask<Void, [Int: QueueClock], StoreError>
  /// Which queue serves which slots; nil if that is not written down.
  package var layout: Ask<Void, StoredLayout?, StoreError>
  /// Matches with a deadline before an instant, those after one of them and the oldest deadline
  /// first, up to a limit. Also the matches of players who are gone, with the time from which they
  /// are gone as the deadline.
  package var overdue: Ask<(Instant, Overdue?, Int), [Overdue], StoreError>
  /// Recoveries with a time before an instant, those after one of them and the oldest time first, at
  /// most so many.
  package var recoveriesDue: Ask<(Instant, DueRecovery?, Int), [DueRecovery], StoreError>
  /// A daily challenge if it is dealt.
  package var daily: Ask<DailyKey, DailyChallenge?, StoreError>
  /// Keeps a daily challenge. The first one wins; gives back the one that is kept then.
  package var keepDaily: Ask<DailyChallenge, DailyChallenge, StoreError>
  /// Ranks anew the next players, at most so many, whose standing may have changed or whose score
  /// has left a board's window. A player who cannot be ranked is put off. False: nobody was left to
  /// be ranked.
  package var rank: Ask<Int, Bool, StoreError>
  /// Owes the next players, at most so many, their `dailyReady` jobs in one transaction with the
  /// cursor; false when every player has been reached.
  package var fanOutDaily: Ask<(DailyKey, Int), Bool, StoreError>
  /// Looks at matches, at most so many, in which somebody may have to be reminded. Owes the
  /// `turnRunningOut` jobs of the matches that are due by the clocks of their queues, once a turn.
  /// Gives how many matches it looked at.
  package var remindTurns: Ask<(Instant, Int, (MatchID) -> QueueClock), Int, StoreError>
  /// Owes `dailyEndsSoon` jobs to the next players with a running game, at most so many, in one
  /// transaction with the cursor; false when every player has been reached.
  package var remindDaily: Ask<(DailyKey, Int), Bool, StoreError>
  /// Looks at the next offers of a rematch that have waited for a day, after one of them and the
  /// longest waiting first, at most so many. Owes their `rematchWaits` jobs, but for those that
  /// exist, and for offers between players who have blocked one another. Gives the last one that it
  /// looked at; nil: there was none.
  package var remindOffers: Ask<(Instant, WaitingOffer?, Int), WaitingOffer?, StoreError>
  /// Looks at the next players with a wish for a time of their own clocks, at most so many. Owes the
  /// jobs that the function gives for each, and reminds of the turns that would run out in the
  /// player's quiet hours by the clocks of their queues, and notes the time of the next look, in one
  /// transaction. Gives how many it looked at.
  package var remindByLocalTime: Ask<(Instant, Int, ClockOfMatch, LocalLook), Int, StoreError>
  /// Makes the partitions of the days ahead, by this time, and drops old ones. The second input is
  /// the time that the housekeeper has worked since its last round. The time by which partitions
  /// are dropped advances by at most twice that.
  package var rotatePartitions: Ask<(Instant, Duration), Void, StoreError>
  /// Matches that wait for anyone and have no turn, those after one of them and the longest waiting
  /// first, at most so many, each with the matches that its own might be merged with.
  ///
  /// A match is skipped if nobody else waits on its terms. For each match that is wanted, at most
  /// ``moversLookedAt`` are looked at. If fewer than wanted are found, the last match that was
  /// looked at is given too, even if it does not fit: the next page begins after the last match of
  /// this page. Nothing: no match comes after.
  package var movers: Ask<(Pairing.Waiting?, Int), [Pairing.Mover], StoreError>

  /// How many are looked at for each one that `movers` is to give.
  package static let moversLookedAt: Int64 = 100

  /// The work that one process of several leads.
  package enum Duty: String, Sendable {
    /// Ticks and deadlines.
    case scheduler
    /// Work that may take long.
    case steward
  }

  /// A match that may have run out of time.
  package struct Overdue: Hashable, Sendable {
    package var match: MatchID
    /// The turn that is due.
    package var turn: Int
    /// The deadline that lies in the past.
    package var deadline: Instant
    /// The player of the match who is gone since the deadline. Nil: it is the match's own.
    package var gone: PlayerID?

    package init(match: MatchID, turn: Int, deadline: Instant, gone: PlayerID? = nil) {
      self.match = match
      self.turn = turn
      self.deadline = deadline
      self.gone = gone
    }
  }

  /// A recovery whose time may have come.
  package struct DueRecovery: Hashable, Sendable {
    package var player: PlayerID
    /// The event that asked for it.
    package var recovery: EventID
    /// The key that is to speak for the player.
    package var key: PublicKey
    /// The time that lies in the past.
    package var due: Instant

    package init(player: PlayerID, recovery: EventID, key: PublicKey, due: Instant) {
      self.player = player
      self.recovery = recovery
      self.key = key
      self.due = due
    }
  }

  /// An offer of a rematch that waits for an answer.
  package struct WaitingOffer: Hashable, Sendable {
    package var match: MatchID
    package var at: Instant

    /// How long an offer waits before its reminder: a day. Nobody is reminded of one that runs out
    /// within that time.
    package static let reminderSeconds: Int64 = 86_400

    package init(match: MatchID, at: Instant) {
      self.match = match
      self.at = at
    }
  }

  /// A player with a wish for a time of the player's own clock.
  package struct LocalWish: Hashable, Sendable {
    package var player: PlayerID
    package var preferences: PushPreferences
    /// The time of this look, as the last one noted it, or the time of the last change of the wishes.
    package var dueAt: Instant
    /// Whether turns, invitations or offers of a rematch wait for the player.
    package var hasWaiting: Bool

    package init(
      player: PlayerID, preferences: PushPreferences, dueAt: Instant, hasWaiting: Bool
    ) {
      self.player = player
      self.preferences = preferences
      self.dueAt = dueAt
      self.hasWaiting = hasWaiting
    }
  }

  package typealias ClockOfMatch = (MatchID) -> QueueClock
  package typealias LocalLook = (LocalWish) -> LocalRound

  /// The answer to a wish.
  package struct LocalRound: Hashable, Sendable {
    package var jobs: [PushJob]
    /// The quiet hours that begin now. Turns whose reminder would come in them, and that run out in
    /// them or shortly after, are reminded of before.
    package var quiet: Range<Instant>?
    /// The time of the next look. Nil: there is nothing more to look for.
    package var next: Instant?

    package init(jobs: [PushJob] = [], quiet: Range<Instant>? = nil, next: Instant?) {
      self.jobs = jobs
      self.quiet = quiet
      self.next = next
    }

    /// Whether the player to move must be reminded before quiet hours: by the clock of the match's
    /// queue, with its credit, the reminder would come in them, and the turn would run out before
    /// it is of use after them.
    package static func mustRemind(
      of match: Match, before quiet: Range<Instant>, _ clock: QueueClock
    ) -> Bool {
      guard let reminder = match.reminderAt, let deadline = match.deadline else { return false }
      let credit = match.credit(clock)
      return quiet.contains(reminder.adding(microseconds: credit))
        && deadline.at.adding(microseconds: credit)
          < quiet.upperBound.adding(seconds: PushPlan.leastUseSeconds)
    }
  }

  package init(_ how: Asking<StoreError>, around inner: SchedulerStore?) {
    lead = how("SchedulerStore.lead", inner?.lead) { false }
    now = how("SchedulerStore.now", inner?.now) { Instant(microseconds: 0) }
    time = how("SchedulerStore.time", inner?.time) {
      ServiceTime(shown: Instant(microseconds: 0))
    }
    correctTime = how("SchedulerStore.correctTime", inner?.correctTime) { _ in }
    workload = how("SchedulerStore.workload", inner?.workload) {
      ServiceStatus(now: Instant(microseconds: 0), schemaVersion: 0)
    }
    queueClocks = how("SchedulerStore.queueClocks", inner?.queueClocks) { [:] }
    layout = how("SchedulerStore.layout", inner?.layout) { nil }
    overdue = how("SchedulerStore.overdue", inner?.overdue) { _, _, _ in [] }
    recoveriesDue = how("SchedulerStore.recoveriesDue", inner?.recoveriesDue) { _, _, _ in [] }
    daily = how("SchedulerStore.daily", inner?.daily) { _ in nil }
    keepDaily = how("SchedulerStore.keepDaily", inner?.keepDaily) { $0 }
    rank = how("SchedulerStore.rank", inner?.rank) { _ in false }
    fanOutDaily = how("SchedulerStore.fanOutDaily", inner?.fanOutDaily) { _, _ in false }
    remindTurns = how("SchedulerStore.remindTurns", inner?.remindTurns) { _, _, _ in 0 }
    remindDaily = how("SchedulerStore.remindDaily", inner?.remindDaily) { _, _ in false }
    remindOffers = how("SchedulerStore.remindOffers", inner?.remindOffers) { _, _, _ in nil }
    remindByLocalTime = how("SchedulerStore.remindByLocalTime", inner?.remindByLocalTime) {
      _, _, _, _ in 0
    }
    rotatePartitions = how("SchedulerStore.rotatePartitions", inner?.rotatePartitions) { _, _ in }
    movers = how("SchedulerStore.movers", inner?.movers) { _, _ in [] }
  }
}
