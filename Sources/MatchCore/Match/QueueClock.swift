/// The time of one queue: the last tick seen in it. Deadlines are measured with it, so no client's
/// clock, no backlog and no outage of the service costs anyone a game.
public struct QueueClock: Hashable, Sendable {
  /// The time of the last tick. Nil before the first.
  public private(set) var time: Instant?
  /// The total time in which the service did not tick, in µs. It is added to every deadline set
  /// before.
  public private(set) var creditMicroseconds: Int64
  /// Before this time no deadline passes, because nobody could play shortly before.
  public private(set) var heldUntil: Instant?
  /// The last credited outage.
  public private(set) var outage: Outage?

  /// A time without ticks that was credited.
  public struct Outage: Hashable, Sendable {
    /// The time at which the first missing tick was due.
    public var from: Instant
    /// The time at which ticks came again.
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

  /// The longest gap between two ticks that is no outage.
  public static let longestGapMicroseconds: Int64 = 2_000_000
  /// The normal gap between two ticks. That much of an outage is not credited.
  public static let tickMicroseconds: Int64 = 1_000_000
  /// The time after an outage or a standstill in which no deadline passes.
  public static let holdMicroseconds: Int64 = 10_000_000

  /// Handles a tick. A tick from before the last one changes nothing.
  ///
  /// - Parameter since: The start of the scheduler's unbroken work on this queue. Nil: this tick.
  ///   Only the time before it is an outage. Ticks that are rare because nobody takes them give no
  ///   credit.
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

  /// The queue is judged again after a time without a judge.
  public mutating func resumed(at now: Instant) { hold(from: now) }

  private mutating func hold(from time: Instant) {
    let end = time.adding(microseconds: QueueClock.holdMicroseconds)
    heldUntil = max(end, heldUntil ?? end)
  }

  /// The clock of something with credit beyond that of the queue.
  public func adding(creditMicroseconds: Int64) -> QueueClock {
    var clock = self
    clock.creditMicroseconds =
      Instant(microseconds: self.creditMicroseconds)
      .adding(microseconds: creditMicroseconds).microseconds
    return clock
  }

  /// Whether a deadline has passed: the queue's time has reached it, plus the credit given since it
  /// was set, and no hold is on.
  public func hasReached(_ deadline: Deadline, setAt: Instant? = nil) -> Bool {
    guard let time, heldUntil.map({ time >= $0 }) ?? true else { return false }
    return isPast(deadline, setAt: setAt)
  }

  /// Whether the queue's time has reached a deadline, with its credit, even if a hold is on.
  func isPast(_ deadline: Deadline, setAt: Instant?) -> Bool {
    guard let time else { return false }
    return time >= deadline.at.adding(microseconds: credit(since: deadline, setAt: setAt))
  }

  /// Credit given since a deadline was set, µs.
  ///
  /// - Parameter setAt: The time at which it was set. Of an outage that began earlier, only the
  ///   rest counts.
  public func credit(since deadline: Deadline, setAt: Instant? = nil) -> Int64 {
    let (now, then) = (creditMicroseconds, deadline.creditMicroseconds)
    let credit = Instant(microseconds: now).microseconds(since: Instant(microseconds: then))
    // If there is any credit, it includes the last outage.
    guard credit > 0, let setAt, let outage else { return max(0, credit) }
    let before = max(0, min(setAt, outage.until).microseconds(since: outage.from))
    return max(0, Instant(microseconds: credit).adding(microseconds: -before).microseconds)
  }
}

extension JudgingContext {
  /// Whether the service has ticked lately, as far as any queue shows it. A queue with this clock may
  /// lag all the same, since a tick waits behind the events before it.
  func isTicking(_ clock: QueueClock) -> Bool {
    var newest = clock.time
    for other in queueClocks.values {
      if let time = other.time { newest = max(newest ?? time, time) }
    }
    guard let newest else { return false }
    return now.microseconds(since: newest) <= Match.lateSeconds * 1_000_000
  }

  /// Whether the service itself was away during a match: most queues had an outage in it. One queue
  /// alone may have been full, which a player can bring about.
  func wasAway(during match: Match) -> Bool {
    let end = match.endedAt ?? now
    func wasAway(_ clock: QueueClock) -> Bool {
      guard let outage = clock.outage else { return false }
      return outage.from < end && match.dealtAt < outage.until
    }
    guard !queueClocks.isEmpty else { return wasAway(clock(match.id)) }
    return 2 * queueClocks.values.count(where: wasAway) > queueClocks.count
  }
}

/// The time by which something must happen.
public struct Deadline: Hashable, Sendable {
  /// The instant, before credits.
  public var at: Instant
  /// The queue's credit when the deadline was set, µs. Only later credit is added.
  public var creditMicroseconds: Int64

  /// A deadline as it was stored.
  public init(at: Instant, creditMicroseconds: Int64) {
    self.at = at
    self.creditMicroseconds = creditMicroseconds
  }
}

extension Match {
  /// The time at which the present deadline was set, by the store's clock. Nil if there is none.
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
