import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Days in which nobody plays and the service works on. Owners, thieves, deadlines and reminders
/// come in their time.
extension World {
  /// The longest time that may pass, in seconds.
  private static let daysSeconds: Int64 = 25 * 86_400
  /// The most times at which something happens.
  private static let stopLimit = 300
  /// The pace between two such times. No queue stands still at it.
  static let daysPace: Int64 = 5
  private static let busySeconds: Int64 = 900
  private static let soonSeconds: Int64 = 30
  /// The time after which it looks again, in seconds.
  private static let longestSkipSeconds: Int64 = 86_400

  /// Lets days pass, from one time at which something happens to the next, until every owner has
  /// come to an end. Faults may strike between.
  func passDays() {
    faults.isCalm = true
    receiver.calm()
    trace.note("players", "rest for days")
    let end = clock.now.adding(seconds: World.daysSeconds)
    var stops = 0
    while comeToRest(), clock.now < end, stops < World.stopLimit,
      !owners.allSatisfy(\.isOver)
    {
      stops += 1
      skip(to: nextOccasion)
      guard random.happens(0.5) else { continue }
      faults.isCalm = false
      for _ in 0..<random.number(in: 50...300) { turn() }
      faults.isCalm = true
    }
  }

  /// The clock of the queue that a player's own events go to.
  func queueClock(of player: PlayerID) -> QueueClock {
    store.clocks[layout.queue(of: Slot(of: player))] ?? QueueClock()
  }

  /// The time until a deadline passes by the clock of a player's queue, µs.
  func remaining(until deadline: Deadline, setAt: Instant?, of player: PlayerID) -> Int64 {
    let clock = queueClock(of: player)
    let end = deadline.at.adding(microseconds: clock.credit(since: deadline, setAt: setAt))
    return end.microseconds(since: clock.time ?? store.now)
  }

  // MARK: Rest

  /// Waits until everything has settled. False: it takes too long, and the end of the run says so.
  func comeToRest() -> Bool {
    // Owners and thieves may be busy for minutes.
    for (step, seconds) in [(World.daysPace, World.busySeconds), (1, patience)] {
      pace = step
      let limit = clock.now.adding(seconds: seconds)
      while !isAtRest, clock.now < limit { turn() }
      pace = 1
      if isAtRest { return true }
    }
    return false
  }

  private var isAtRest: Bool {
    let soon = clock.now.adding(seconds: World.soonSeconds)
    return isSettled && renewsAt == nil && !isHeld
      && owners.allSatisfy { $0.nextActs.allSatisfy { $0 > soon } }
      && recoveries.allSatisfy { $0.remaining > 0 }
      && !broker.isDown && broker.alarmUntil == nil
      && broker.queues.allSatisfy { $0.fullUntil.map { $0 <= clock.now } ?? true }
      && store.downUntil <= clock.now
  }

  /// Whether no deadline passes in some queue.
  private var isHeld: Bool {
    store.clocks.values.contains { clock in
      guard let time = clock.time, let end = clock.heldUntil else { return false }
      return time < end
    }
  }

  private var recoveries: [(player: PlayerID, remaining: Int64)] {
    store.recoveries.compactMap { player, recovery in
      recovery.pending.map { pending in
        (player, remaining(until: pending.deadline, setAt: pending.begunAt, of: player))
      }
    }
  }

  // MARK: Skipping

  /// The next time at which something happens.
  var nextOccasion: Instant {
    let (now, day) = (clock.now, Day(containing: store.now).end)
    let days = [day, day.adding(seconds: -3 * 3_600)].map { $0.microseconds(since: store.now) }
    let waits = days + matchWaits + recoveries.map(\.remaining)
    let times = waits.map { now.adding(microseconds: $0) } + owners.flatMap(\.nextActs)
    let last = now.adding(seconds: World.longestSkipSeconds)
    return times.filter { $0 > now }.min().map { min($0, last) } ?? last
  }

  /// The time until each deadline and each reminder, in the time of the match's queue, µs.
  private var matchWaits: [Int64] {
    store.matches.values.filter { $0.outcome == nil }.flatMap { match -> [Int64] in
      let clock = store.clocks[layout.queue(of: Slot(of: match.id))] ?? QueueClock()
      return [match.deadline?.at, match.reminderAt].compactMap(\.self).map { time in
        time.adding(microseconds: match.credit(clock))
          .microseconds(since: clock.time ?? store.now)
      }
    }
  }

  /// Lets all the time pass until then. The service works, so workers give signs of life, and
  /// the scheduler ticks without a break. One tick stands for all.
  func skip(to time: Instant) {
    let fresh = store.shown.adding(seconds: -WorkerStore.heartbeatLimitSeconds)
    let living = store.heartbeats.filter { $0.value > fresh }.keys
    clock.advance(microseconds: max(0, time.microseconds(since: clock.now)) + 1_000_000)
    for worker in living { store.heartbeats[worker] = store.shown }
    trace.note("players", "let hours pass")
    guard let speaker = try? identity.speaker(at: store.now), let link = broker.openLink() else {
      return
    }
    for queue in 0..<layout.queueCount {
      let tick = Event.Action.ticked(
        queue: queue, time: store.now, since: store.clocks[queue]?.time)
      let id = EventID(at: store.now, random: random.randomness.next128())
      let message = SimulatedBroker.Message(body: speaker.message(tick, id: id))
      _ = try? broker.publish(message, to: .events(queue), "tick \(queue)", over: link)
    }
    broker.drop(link)
  }
}
