extension Match {
  /// The shortest turn limit, in seconds, of matches whose players are reminded.
  public static let remindedLimitSeconds: Int64 = 3_600

  /// The time, before credits, from which the player to move must be reminded: when a fifth of the
  /// turn's time is left. Nil if nobody is reminded.
  public var reminderAt: Instant? {
    guard stage == .playing, isTimedByTurn, let deadline, let limit = terms.turnLimitSeconds,
      limit >= Match.remindedLimitSeconds, seats[seatToPlay].player != nil
    else { return nil }
    return deadline.at.adding(seconds: -(limit / 5))
  }

  /// Whether the player to move must be reminded, by the time of the match's queue. Deadlines are
  /// measured in it.
  public func isReminderDue(_ clock: QueueClock) -> Bool {
    guard let reminderAt, let deadline else { return false }
    let (at, credit) = (reminderAt, deadline.creditMicroseconds)
    return clock.hasReached(
      Deadline(at: at, creditMicroseconds: credit), setAt: deadlineSetAt) && !isOverdue(clock)
  }

  /// The time of the next look for a reminder, if it is too early at `now`. Nil if nobody is
  /// reminded, or if it is too late to be useful.
  public func nextReminder(_ clock: QueueClock, after now: Instant) -> Instant? {
    guard let reminderAt, !isOverdue(clock) else { return nil }
    let at = reminderAt.adding(microseconds: credit(clock))
    // The queue's time lags by an unknown amount.
    return max(at, now.adding(seconds: 30))
  }

  /// The job that tells the player to move that the turn's time is running out. Nil if nobody is
  /// reminded.
  public var turnReminder: PushJob? {
    guard reminderAt != nil, let player = seats[seatToPlay].player else { return nil }
    return PushJob(turnRunningOut: id, turn: turnNumber, to: player)
  }

  /// The job that reminds of an unfinished daily challenge near the end of its day. Nil for any
  /// other match.
  public var dailyReminder: PushJob? {
    guard outcome == nil, case .daily(let key) = terms.kind, let player = seats.first?.player
    else { return nil }
    return PushJob(dailyEndsSoon: key, match: id, to: player)
  }
}

extension DailyKey {
  /// The time from which the players of an unfinished challenge are reminded: three hours before
  /// its day ends.
  public var reminderAt: Instant { day.end.adding(seconds: -3 * 3_600) }
}

extension PushJob {
  /// The reminder that a turn's time is running out, once per turn.
  public init(turnRunningOut match: MatchID, turn: Int, to player: PlayerID) {
    self.init(.turnRunningOut, to: player, match: match, turn: turn)
  }

  /// A job that exists once a turn.
  init(_ kind: Kind, to player: PlayerID, match: MatchID, turn: Int) {
    let number = UInt32(clamping: turn)
    let id = PushJobID(kind: kind, player: player) { hash in
      hash.update(match)
      hash.update((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }
    self.init(id: id, kind: kind, player: player, match: match, turn: turn)
  }

  /// The reminder that a day's challenge ends soon, once per challenge.
  public init(dailyEndsSoon key: DailyKey, match: MatchID, to player: PlayerID) {
    self.init(
      id: PushJobID(kind: .dailyEndsSoon, player: player) {
        $0.update(Array(key.description.utf8))
      },
      kind: .dailyEndsSoon, player: player, match: match, day: key.day)
  }
}

extension PushJob {
  /// `dailyReady`: the challenge of the day before. The notification tells its result.
  public var dayBefore: DailyKey? {
    guard kind == .dailyReady, let day else { return nil }
    return DailyKey(day: day.previous)
  }
}
