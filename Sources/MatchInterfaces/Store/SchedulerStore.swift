import IssueReporting
public import MatchCore

/// What the scheduler, its steward and the housekeeper need of the store. Confined to its thread.
public struct SchedulerStore {
  /// Whether this scheduler, or this steward, is the active one; tries to become it. Lost with the
  /// connection.
  public var lead: () throws(StoreError) -> Bool
  /// The store's clock.
  public var now: () throws(StoreError) -> Instant
  /// The clocks of all queues, by queue index.
  public var queueClocks: () throws(StoreError) -> [Int: QueueClock]
  /// Which queue serves which slots; nil where that is not written down.
  public var layout: () throws(StoreError) -> StoredLayout?
  /// Matches whose deadline lies before an instant, those after one of them and the oldest deadline
  /// first, at most so many.
  public var overdue:
    (_ before: Instant, _ after: Overdue?, _ limit: Int) throws(StoreError) -> [Overdue]
  /// A daily challenge if it is dealt.
  public var daily: (DailyKey) throws(StoreError) -> DailyChallenge?
  /// Keeps a daily challenge; whoever is first wins, and what is kept then is given back.
  public var keepDaily: (DailyChallenge) throws(StoreError) -> DailyChallenge
  /// Ranks anew the next players, at most so many, whose standing may have changed, and those whose
  /// score has left a board's window. One who cannot be ranked is put off. False: nobody was left to
  /// be ranked.
  public var rank: (_ limit: Int) throws(StoreError) -> Bool
  /// Owes the next players, at most so many, their `dailyReady` jobs in one transaction with the
  /// cursor; false when every player has been reached.
  public var fanOutDaily: (DailyKey, _ limit: Int) throws(StoreError) -> Bool
  /// Looks at matches, at most so many, in which somebody may have to be reminded, and owes the
  /// `turnRunningOut` jobs of those whose time has come by the clocks of their queues, once a turn;
  /// gives how many matches there were.
  public var remindTurns:
    (_ now: Instant, _ limit: Int, _ clock: (MatchID) -> QueueClock) throws(StoreError) -> Int
  /// Owes `dailyEndsSoon` jobs to those of the next players, at most so many, whose game runs, in one
  /// transaction with the cursor; false when every player has been reached.
  public var remindDaily: (DailyKey, _ limit: Int) throws(StoreError) -> Bool
  /// Makes the partitions of the days ahead and drops those whose time is over. The time by which that
  /// is judged goes on by no more than twice what the housekeeper has worked since its last round.
  public var rotatePartitions: (_ now: Instant, _ worked: Duration) throws(StoreError) -> Void
  /// Matches that wait for anyone and have no turn, those after one of them and the longest waiting
  /// first, at most so many, each with those whom its player might meet.
  ///
  /// Those on whose terms nobody else waits are passed over, up to ``moversLookedAt`` for each one
  /// that is wanted. Where fewer than wanted are found the last one that was looked at is given too,
  /// whatever it is: the next page begins after the last one of this. Nothing: nobody comes after.
  public var movers: (_ after: Pairing.Waiting?, _ limit: Int) throws(StoreError) -> [Pairing.Mover]

  /// How many are looked at for each one that `movers` is to give.
  public static let moversLookedAt: Int64 = 100

  /// What one of many leads.
  public enum Duty: String, Sendable {
    /// Ticks and deadlines.
    case scheduler
    /// What may take long.
    case steward
  }

  /// A match that may have run out of time.
  public struct Overdue: Hashable, Sendable {
    /// The match.
    public var match: MatchID
    /// The turn that is due.
    public var turn: Int
    /// The deadline that lies in the past.
    public var deadline: Instant

    /// Puts a row together.
    public init(match: MatchID, turn: Int, deadline: Instant) {
      self.match = match
      self.turn = turn
      self.deadline = deadline
    }
  }

  /// Puts a store together.
  public init(
    lead: @escaping () throws(StoreError) -> Bool,
    now: @escaping () throws(StoreError) -> Instant,
    queueClocks: @escaping () throws(StoreError) -> [Int: QueueClock],
    layout: @escaping () throws(StoreError) -> StoredLayout?,
    overdue:
      @escaping (
        _ before: Instant, _ after: Overdue?, _ limit: Int
      ) throws(StoreError) -> [Overdue],
    daily: @escaping (DailyKey) throws(StoreError) -> DailyChallenge?,
    keepDaily: @escaping (DailyChallenge) throws(StoreError) -> DailyChallenge,
    rank: @escaping (_ limit: Int) throws(StoreError) -> Bool,
    fanOutDaily: @escaping (DailyKey, _ limit: Int) throws(StoreError) -> Bool,
    remindTurns:
      @escaping (
        _ now: Instant, _ limit: Int, _ clock: (MatchID) -> QueueClock
      ) throws(StoreError) -> Int,
    remindDaily: @escaping (DailyKey, _ limit: Int) throws(StoreError) -> Bool,
    rotatePartitions: @escaping (_ now: Instant, _ worked: Duration) throws(StoreError) -> Void,
    movers:
      @escaping (_ after: Pairing.Waiting?, _ limit: Int) throws(StoreError) -> [Pairing.Mover]
  ) {
    self.lead = lead
    self.now = now
    self.queueClocks = queueClocks
    self.layout = layout
    self.overdue = overdue
    self.daily = daily
    self.keepDaily = keepDaily
    self.rank = rank
    self.fanOutDaily = fanOutDaily
    self.remindTurns = remindTurns
    self.remindDaily = remindDaily
    self.rotatePartitions = rotatePartitions
    self.movers = movers
  }
}

extension SchedulerStore {
  /// Never leads.
  public static var noop: SchedulerStore {
    SchedulerStore(
      lead: { false }, now: { Instant(microseconds: 0) }, queueClocks: { [:] },
      layout: { nil }, overdue: { _, _, _ in [] }, daily: { _ in nil }, keepDaily: { $0 },
      rank: { _ in false }, fanOutDaily: { _, _ in false }, remindTurns: { _, _, _ in 0 },
      remindDaily: { _, _ in false }, rotatePartitions: { _, _ in }, movers: { _, _ in [] })
  }

  /// Reports an issue whenever it is used, and is unavailable.
  public static var failing: SchedulerStore {
    SchedulerStore(
      lead: { () throws(StoreError) in throw failure("SchedulerStore.lead") },
      now: { () throws(StoreError) in throw failure("SchedulerStore.now") },
      queueClocks: { () throws(StoreError) in throw failure("SchedulerStore.queueClocks") },
      layout: { () throws(StoreError) in throw failure("SchedulerStore.layout") },
      overdue: { _, _, _ throws(StoreError) in throw failure("SchedulerStore.overdue") },
      daily: { _ throws(StoreError) in throw failure("SchedulerStore.daily") },
      keepDaily: { _ throws(StoreError) in throw failure("SchedulerStore.keepDaily") },
      rank: { _ throws(StoreError) in throw failure("SchedulerStore.rank") },
      fanOutDaily: { _, _ throws(StoreError) in throw failure("SchedulerStore.fanOutDaily") },
      remindTurns: { _, _, _ throws(StoreError) in throw failure("SchedulerStore.remindTurns") },
      remindDaily: { _, _ throws(StoreError) in throw failure("SchedulerStore.remindDaily") },
      rotatePartitions: { _, _ throws(StoreError) in
        throw failure("SchedulerStore.rotatePartitions")
      },
      movers: { _, _ throws(StoreError) in throw failure("SchedulerStore.movers") })
  }
}
