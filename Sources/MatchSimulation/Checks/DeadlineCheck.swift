import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Checks every end by a deadline against the ticks that its queue really got. No end may come
/// before a tick has reached the deadline plus the credits given since it was set.
struct DeadlineCheck {
  /// The time at which each deadline was set, by the simulation's own clock.
  private var settings: [MatchID: [Instant: Instant]] = [:]

  /// Notes the deadlines that a batch has set.
  mutating func committed(_ write: BatchWrite, at time: Instant) {
    for change in write.changes {
      noteWithinBatch(change, at: time)
      guard let deadline = change.after.deadline?.at else { continue }
      if settings[change.after.id]?[deadline] == nil {
        settings[change.after.id, default: [:]][deadline] = time
      }
    }
  }

  /// A late batch may have ticks of many seconds. Then a deadline may be set and pass within it.
  /// This holds if an entry of the batch is as old as the match's time limit.
  private mutating func noteWithinBatch(_ change: MatchChange, at time: Instant) {
    guard change.after.outcome != nil else { return }
    var deadlines: [Instant] = []
    if let limit = change.after.terms.turnLimitSeconds {
      deadlines = change.entries.map { $0.acceptedAt.adding(seconds: limit) }
    } else if change.before == nil, let seconds = change.after.terms.soloMode?.seconds {
      deadlines = [change.after.dealtAt.adding(seconds: seconds)]
    }
    for deadline in deadlines {
      if settings[change.after.id]?[deadline] == nil {
        settings[change.after.id, default: [:]][deadline] = time
      }
    }
  }

  func violations(_ world: World) -> [String] {
    var told: [Int: [Tick]] = [:]
    return world.store.matches.values.sorted { $0.id < $1.id }.compactMap { match in
      guard match.outcome != nil, let entry = world.store.entries[match.id]?.dropLast().last,
        case .statement(let stated)? = try? PayloadCodec.decodeContent(entry.signed.payload),
        case .deadlinePassed(_, let deadline, let queueTime, _) = stated.statement
      else { return nil }
      guard let setAt = settings[match.id]?[deadline] else {
        return "match \(match.id) ended by a deadline that it never had"
      }
      let queue = world.layout.queue(of: Slot(of: match.id))
      let ticks = told[queue] ?? ticks(in: queue, world)
      told[queue] = ticks
      guard let last = ticks.firstIndex(where: { $0.time == queueTime }) else {
        return "match \(match.id) ended at \(queueTime), which no tick told its queue"
      }
      let told = stoppages(ticks[...last], since: world.beginning)
      let due = max(
        deadline.adding(microseconds: leastCredit(told, since: setAt, of: match, deadline)),
        told.last?.until.adding(microseconds: QueueClock.holdMicroseconds) ?? deadline)
      guard queueTime < due else { return nil }
      return "match \(match.id) ended at \(queueTime) of its queue's time, due was \(due)"
    }
  }

  /// A tick, and its arrival by the simulation's own clock.
  private typealias Tick = (time: Instant, since: Instant?, arrivedAt: Instant)

  /// A gap between ticks, from the last tick before it, and the time at which a tick told of it.
  private typealias Stoppage = (from: Instant, until: Instant, arrivedAt: Instant)

  /// The ticks of a queue, in the order of arrival.
  private func ticks(in queue: Int, _ world: World) -> [Tick] {
    world.broker.arrivals.messages[queue, default: []].compactMap { message in
      guard message.replyTo == nil, let signed = try? Envelope.decode(message.body),
        world.identity.isCertified(signed.key),
        let event = try? PayloadCodec.decodeEvent(signed.payload),
        case .ticked(let tick) = event.action
      else { return nil }
      return (tick.time, tick.since, message.arrivedAt)
    }
  }

  /// The gaps that ticks tell of, from the start of the queue's clock.
  private func stoppages(_ ticks: ArraySlice<Tick>, since beginning: Instant) -> [Stoppage] {
    var stoppages: [Stoppage] = []
    var newest = beginning
    for tick in ticks where tick.time > newest {
      let until = min(tick.time, tick.since ?? tick.time)
      if until.microseconds(since: newest) > QueueClock.longestGapMicroseconds {
        stoppages.append((newest, until, tick.arrivedAt))
      }
      newest = tick.time
    }
    return stoppages
  }

  /// The least credit that the gaps give after a deadline was set, whether each tick was kept or
  /// lost. It is all but the first second of each gap. Of a gap in which the deadline was set, only
  /// the rest counts.
  private func leastCredit(
    _ stoppages: [Stoppage], since setAt: Instant, of match: Match, _ deadline: Instant
  ) -> Int64 {
    let limit = match.outcome?.seat == nil ? nil : match.terms.turnLimitSeconds
    let storedAt =
      limit.map { deadline.adding(seconds: -$0) } ?? match.leavings.last?.at
      ?? match.dealtAt
    return stoppages.filter { $0.arrivedAt > setAt }.reduce(0) { credit, stoppage in
      let first = stoppage.from.adding(microseconds: QueueClock.tickMicroseconds)
      return credit + max(0, stoppage.until.microseconds(since: max(first, storedAt)))
    }
  }
}
