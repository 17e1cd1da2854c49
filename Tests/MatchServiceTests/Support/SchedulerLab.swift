import CubeLexicon
import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

/// A scheduler and a steward whose store and bus are `.failing` but for the calls that both need.
final class SchedulerLab {
  var store = SchedulerStore.failing
  var bus = SchedulerBus.failing
  /// The true time. The store's clock shows it, unless it has jumped.
  var now = Instant.noon {
    didSet { clock.elapse(now.microseconds(since: oldValue)) }
  }
  /// How far the store's clock is from the true time, µs.
  var offset: Int64 = 0
  private(set) var correction = ServiceTime(shown: .noon)
  var leads = true
  var layout: StoredLayout?
  var clocks: [Int: QueueClock] = [:]
  var overdue: [SchedulerStore.Overdue] = []
  var recoveries: [SchedulerStore.DueRecovery] = []
  var dealt: [DailyKey: DailyChallenge] = [:]
  var chunks = 0
  var toRank = 0
  /// How many matches are to be reminded of, and how many chunks of players of a daily.
  var (reminders, reminderChunks) = (0, 0)
  /// The offers of a rematch that have waited for a day, in the order of their times.
  var offers: [SchedulerStore.WaitingOffer] = []
  /// How many players' wishes for a time of their own clocks are due.
  var wishes = 0
  /// The players who wait without a turn, in the order of their matches.
  var movers: [Pairing.Mover] = []
  let clock = TestClock()
  var identity = ServiceIdentity.test
  var settings = SchedulerSettings()
  var stewardSettings = StewardSettings()
  /// The broker's error for a slot.
  var troubles: [Slot: BusError] = [:]
  /// After how many seconds readers answer; nil: not at all.
  var readerDelay: Int64? = 0
  /// The readers' answer, where it is a refusal.
  var readerRefusal: QueryRefusal?
  private(set) var asked: [[UInt8]] = []
  private var answers: [(body: [UInt8], due: Instant)] = []
  private(set) var published: [(slot: Slot, body: [UInt8])] = []
  private(set) var acts: [String] = []
  private(set) lazy var scheduler = Scheduler(
    identity: identity, layout: required(QueueLayout(queueCount: 4)), store: store, bus: bus,
    clock: clock.clock, randomness: TestRandomness().randomness, settings: settings,
    memory: memory, log: Logger(label: "test") { [logs] _ in logs })
  /// The scheduler's log, from `info` on.
  let logs = InMemoryLogHandler()
  /// The looks at the store's clock that outlast a scheduler.
  var memory = ClockMemory()
  private(set) lazy var steward = Steward(
    identity: identity, layout: required(QueueLayout(queueCount: 4)), lexicons: .test, store: store,
    bus: bus, clock: clock.clock, randomness: TestRandomness().randomness,
    settings: stewardSettings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

  init() {
    store.lead.answer { [unowned self] in leads }
    store.now.answer { [unowned self] in time.now }
    store.time.answer { [unowned self] in time }
    store.correctTime.answer { [unowned self] in correction.take($0) }
    store.queueClocks.answer { [unowned self] in clocks }
    store.layout.answer { [unowned self] in layout }
    store.overdue.answer { [unowned self] before, after, limit in
      let rest = overdue.filter { row in
        row.deadline < before
          && after.map { ($0.deadline, $0.match) < (row.deadline, row.match) } ?? true
      }
      return Array(rest.prefix(limit))
    }
    store.recoveriesDue.answer { [unowned self] before, after, limit in
      let rest = recoveries.filter { row in
        row.due < before && after.map { ($0.due, $0.player) < (row.due, row.player) } ?? true
      }
      return Array(rest.prefix(limit))
    }
    store.daily.answer { [unowned self] in dealt[$0] }
    store.keepDaily.answer { [unowned self] in
      acts.append("keep \($0.key)")
      dealt[$0.key] = $0
      return $0
    }
    store.fanOutDaily.answer { [unowned self] key, _ in
      acts.append("tell \(key)")
      chunks -= 1
      return chunks > 0
    }
    store.rank.answer { [unowned self] _ in
      toRank -= 1
      return toRank >= 0
    }
    store.remindTurns.answer { [unowned self] _, limit, _ in
      let count = min(reminders, limit)
      if count > 0 { acts.append("remind \(count)") }
      reminders -= count
      return count
    }
    store.remindDaily.answer { [unowned self] key, _ in
      acts.append("remind of \(key)")
      reminderChunks -= 1
      return reminderChunks > 0
    }
    store.remindOffers.answer { [unowned self] _, after, limit in
      let rest = offers.filter { offer in
        after.map { ($0.at, $0.match) < (offer.at, offer.match) } ?? true
      }
      let next = rest.prefix(limit)
      if !next.isEmpty { acts.append("remind of \(next.count) offers") }
      return next.last
    }
    store.remindByLocalTime.answer { [unowned self] _, limit, _, _ in
      let count = min(wishes, limit)
      if count > 0 { acts.append("look at \(count) wishes") }
      wishes -= count
      return count
    }
    store.movers.answer { [unowned self] after, limit in
      Array(
        movers.drop { mover in after.map { $0.match >= mover.own.match } ?? false }.prefix(limit))
    }
    bus.send.answer { [unowned self] in published += $0 }
    bus.troubles.answer { [unowned self] in troubles }
    bus.ask.answer { [unowned self] query in
      asked.append(query)
      guard let readerDelay else { return }
      let body =
        readerRefusal.map { AnswerCodec.encode(refusal: $0, query: nil) }
        ?? AnswerCodec.encode(["version": "1.2.3"], query: nil)
      answers.append((body, now.adding(seconds: readerDelay)))
    }
    bus.answers.answer { [unowned self] in
      defer { answers.removeAll { $0.due <= now } }
      return answers.filter { $0.due <= now }.map(\.body)
    }
  }

  /// Does the round of a second that begins now.
  func second() throws {
    try scheduler.step()
    clock.pass(.seconds(1))
    now = now.adding(seconds: 1)
  }

  /// Does the steward's round of a second that begins now.
  func stewardSecond() throws {
    try steward.step()
    clock.pass(.seconds(1))
    now = now.adding(seconds: 1)
  }

  private var time: ServiceTime {
    var time = correction
    time.shown = now.adding(microseconds: offset)
    return time
  }

  func forget() { (published, acts, asked) = ([], [], []) }

  /// The published events, verified as a worker would verify them.
  var events: [Event] {
    published.compactMap { slot, body in
      guard let signed = try? Envelope.decode(body), Ed25519.verify(signed, .service),
        let event = try? PayloadCodec.decodeEvent(signed.payload),
        event.player == ServiceIdentity.test.player
      else {
        Issue.record("an event that no worker would believe")
        return nil
      }
      return event
    }
  }

  /// How many mergers were proposed.
  var mergeCount: Int {
    events.count { if case .mergeProposed = $0.action { true } else { false } }
  }

  /// Every queue has seen the last tick.
  func consume() { for queue in 0..<4 { clocks[queue] = QueueClock(time: now) } }
}
