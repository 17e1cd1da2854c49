/// The time of one queue: the last tick seen in it. Deadlines are measured with it, so no clock of
/// a client, no backlog and no outage of the service costs anyone a game.
public struct QueueClock: Hashable, Sendable {
  /// The time of the last tick; nil before the first.
  public private(set) var time: Instant?
  /// Time in which the service did not tick, in all, µs: it is added to every deadline set before.
  public private(set) var creditMicroseconds: Int64
  /// Before this no deadline passes: nobody could play shortly before.
  public private(set) var heldUntil: Instant?
  /// The last time without ticks that was credited.
  public private(set) var outage: Outage?

  /// A time without ticks that was credited.
  public struct Outage: Hashable, Sendable {
    /// When the first tick that is missing was due.
    public var from: Instant
    /// When ticks came again.
    public var until: Instant

    /// An outage as it was stored.
    public init(from: Instant, until: Instant) {
      self.from = from
      self.until = until
    }
  }

  /// A clock as it was stored.
  public init(
    time: Instant? = nil, creditMicroseconds: Int64 = 0, heldUntil: Instant? = nil,
    outage: Outage? = nil
  ) {
    self.time = time
    self.creditMicroseconds = creditMicroseconds
    self.heldUntil = heldUntil
    self.outage = outage
  }

  /// Two ticks may be so far apart before it is an outage.
  public static let longestGapMicroseconds: Int64 = 2_000_000
  /// How far two ticks are apart where nothing is wrong: of an outage, so much is no credit.
  public static let tickMicroseconds: Int64 = 1_000_000
  /// How long no deadline passes after an outage or a standstill.
  public static let holdMicroseconds: Int64 = 10_000_000

  /// A tick arrived. A tick from before the last one changes nothing.
  ///
  /// - Parameter since: Since when whoever ticks has been at work on this queue without a break; nil:
  ///   since this tick. Only what lies before that is an outage: ticks that are sent seldom, because
  ///   nobody takes them, give no credit.
  public mutating func ticked(at tick: Instant, since: Instant? = nil) {
    guard let time else {
      self.time = tick
      return
    }
    guard tick > time else { return }
    let end = min(tick, since ?? tick)
    if end.microseconds(since: time) > QueueClock.longestGapMicroseconds {
      let outage = Outage(
        from: time.adding(microseconds: QueueClock.tickMicroseconds), until: end)
      creditMicroseconds =
        Instant(microseconds: creditMicroseconds)
        .adding(microseconds: outage.until.microseconds(since: outage.from)).microseconds
      self.outage = outage
      hold(from: tick)
    }
    self.time = tick
  }

  /// Whoever judges the queue begins again after a time in which nobody did.
  public mutating func resumed(at now: Instant) { hold(from: now) }

  private mutating func hold(from time: Instant) {
    let end = time.adding(microseconds: QueueClock.holdMicroseconds)
    heldUntil = max(end, heldUntil ?? end)
  }

  /// The clock of something that has credit beside that of the queue.
  public func adding(creditMicroseconds: Int64) -> QueueClock {
    var clock = self
    clock.creditMicroseconds =
      Instant(microseconds: self.creditMicroseconds)
      .adding(microseconds: creditMicroseconds).microseconds
    return clock
  }

  /// Whether a deadline has passed: the queue's time has reached it plus the credit given since it
  /// was set, and nothing holds it.
  public func hasReached(_ deadline: Deadline, setAt: Instant? = nil) -> Bool {
    guard let time, heldUntil.map({ time >= $0 }) ?? true else { return false }
    return time >= deadline.at.adding(microseconds: credit(since: deadline, setAt: setAt))
  }

  /// Credit given since a deadline was set, µs.
  ///
  /// - Parameter setAt: When that was: of an outage that had begun before, only the rest counts.
  public func credit(since deadline: Deadline, setAt: Instant? = nil) -> Int64 {
    let (now, then) = (creditMicroseconds, deadline.creditMicroseconds)
    let credit = Instant(microseconds: now).microseconds(since: Instant(microseconds: then))
    // Where there is any credit, the last outage is in it.
    guard credit > 0, let setAt, let outage else { return max(0, credit) }
    let before = max(0, min(setAt, outage.until).microseconds(since: outage.from))
    return max(0, Instant(microseconds: credit).adding(microseconds: -before).microseconds)
  }
}

/// Until when something must happen.
public struct Deadline: Hashable, Sendable {
  /// The instant, before credits.
  public var at: Instant
  /// The queue's credit when the deadline was set, µs: only what came later is added.
  public var creditMicroseconds: Int64

  /// A deadline as it was stored.
  public init(at: Instant, creditMicroseconds: Int64) {
    self.at = at
    self.creditMicroseconds = creditMicroseconds
  }
}

extension Match {
  /// When the present deadline was set, by the store's clock; nil where there is none.
  public var deadlineSetAt: Instant? {
    guard let deadline else { return nil }
    guard isTimedByTurn, let limit = terms.turnLimitSeconds else { return dealtAt }
    return deadline.at.adding(seconds: -limit)
  }

  /// Whether the deadline has passed by the clock of the match's queue.
  public func isOverdue(_ clock: QueueClock) -> Bool {
    guard let deadline else { return false }
    return clock.hasReached(deadline, setAt: deadlineSetAt)
  }

  /// The credit given since the deadline was set, µs.
  public func credit(_ clock: QueueClock) -> Int64 {
    deadline.map { clock.credit(since: $0, setAt: deadlineSetAt) } ?? 0
  }
}
