import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Checks every end by a deadline against the ticks that its queue really got: none may come before
/// a tick has reached the deadline and the credits given since it was set.
struct DeadlineCheck {
  /// When each deadline was set, by the simulation's own clock.
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

  /// Where a batch that came late has ticks of many seconds, a deadline may be set and pass within
  /// it, if an entry of it is as old as the match gives time.
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
      let due = deadline.adding(
        microseconds: leastCredit(ticks[...last], since: setAt))
      guard queueTime < due else { return nil }
      return "match \(match.id) ended at \(queueTime) of its queue's time, due was \(due)"
    }
  }

  /// A tick, and when it arrived by the simulation's own clock.
  private typealias Tick = (time: Instant, arrivedAt: Instant)

  /// What a queue was told, in the order of arrival.
  private func ticks(in queue: Int, _ world: World) -> [Tick] {
    world.broker.arrivals.messages[queue, default: []].compactMap { message in
      guard message.replyTo == nil, let signed = try? Envelope.decode(message.body),
        world.identity.isCertified(signed.key),
        let event = try? PayloadCodec.decodeEvent(signed.payload),
        case .ticked(_, let time) = event.action
      else { return nil }
      return (time, message.arrivedAt)
    }
  }

  /// The credit that ticks give at least after a deadline was set, whatever became of each of them:
  /// what lies between two beyond the longest step. The first tick of all gives none.
  private func leastCredit(_ ticks: ArraySlice<Tick>, since setAt: Instant) -> Int64 {
    var credit: Int64 = 0
    var newest: Instant?
    for tick in ticks where tick.time > newest ?? Instant(microseconds: .min) {
      if let newest, tick.arrivedAt > setAt {
        let gap = tick.time.microseconds(since: newest)
        credit += max(0, gap - QueueClock.longestStepMicroseconds)
      }
      newest = tick.time
    }
    return credit
  }
}
