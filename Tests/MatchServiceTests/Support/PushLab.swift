import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

/// A push worker whose store, bus and provider are `.failing` where a test overrides nothing.
final class PushLab {
  var store = PushStore.failing
  var bus = PushBus.failing
  var providers = [
    PushProvider.each { _ in
      Issue.record("a provider that nothing was expected of")
      return .refused("unimplemented")
    }
  ]
  /// A single provider that has its verdicts at once.
  var provider: PushProvider {
    get { providers[0] }
    set { providers = [newValue] }
  }
  var exchange = PushExchange.none
  var plan: PushWorker.Plan = { _, _ in .now(silently: false) }
  var arriving: [PushBus.Delivery] = []
  var acts: [String] = []
  /// The answers that were recorded, and the copies that are tried again.
  var answers: [PushStore.Answer] = []
  var copies: [PushBus.Delayed] = []
  private var lastTag: UInt64 = 0
  var settings = PushWorkerSettings()
  var source: NoticeSource?
  let logs = InMemoryLogHandler()
  let clock = TestClock()
  private(set) lazy var worker = PushWorker(
    store: store, bus: bus, providers: providers, exchange: exchange, plan: plan, source: source,
    clock: clock.clock, settings: settings, log: Logger(label: "test") { [logs] _ in logs })

  /// Expects the calls for a job that is not known as delivered.
  func expectNewJobs() {
    var details = PushStore.Details.plain
    details.opponent = .init(TestPlayer.bob.id, "Bob")
    expectJobs { _ in .due(details) }
  }

  func expectJobs(_ briefing: @escaping (PushJob) -> PushStore.Briefing) {
    store.brief.answer { jobs in Dictionary(jobs.map { ($0.id, briefing($0)) }) { $1 } }
  }

  /// Steps as long as there is something to wait for, an hour at most.
  func work(until isDone: () -> Bool) throws {
    let end = clock.uptime + 3_600_000_000_000
    while !isDone(), clock.uptime < end {
      try worker.step()
      clock.pass(.milliseconds(1))
    }
  }

  func expectRecord() {
    store.record.answer { [unowned self] results in
      answers += results.answers
      let parts =
        results.outcomes.map { "\($0.fate.rawValue) \($0.job.id.rawValue)" }
        + results.held.map { "held \($0.job.id.rawValue) \($0.reason.rawValue)" }
      if !parts.isEmpty { acts.append(parts.joined(separator: ", ")) }
    }
  }

  func expectRetry() {
    bus.retry.answer { [unowned self] delayed in
      copies += delayed
      let parts = delayed.map { "\($0.delivery.tag) after \($0.delay.rawValue)" }
      acts.append("retry " + parts.joined(separator: ", "))
    }
  }

  init() {
    bus.receive.answer { [unowned self] _, _ in
      defer { arriving = [] }
      return arriving
    }
    bus.acknowledge.answer { [unowned self] tags in
      acts.append("ack " + tags.map { "\($0)" }.joined(separator: ", "))
    }
    store.bury.answer { [unowned self] in acts.append("bury \($0.map(\.reason))") }
    store.reconnect.answer { [unowned self] in acts.append("reconnect") }
    bus.serveHeartbeats.answer {}
  }

  func deliver(
    _ number: UInt128, _ kind: PushJob.Kind = .yourTurn, to player: TestPlayer = .ann,
    attempts: Int = 0, deliveryCount: Int = 1, reached: Set<DeviceName> = [],
    refused: Set<DeviceName> = [], publishedAt: Instant? = nil, isInDoubt: Bool = false
  ) {
    let job = PushJob(
      id: PushJobID(rawValue: number), kind: kind, player: player.id,
      match: [.dailyReady, .account].contains(kind) ? nil : MatchID(rawValue: 600 + number),
      turn: kind == .yourTurn ? 2 : nil,
      day: kind == .dailyReady ? Day(containing: .noon) : nil)
    lastTag += 1
    arriving.append(
      .init(
        tag: lastTag, job: job, attempts: attempts,
        deliveryCount: deliveryCount,
        body: PushJobCodec.encode(job), reached: reached, refused: refused,
        publishedAt: publishedAt, isInDoubt: isInDoubt))
  }
}

/// Notifications that were handed over.
final class Sent: Sendable {
  private let list = Mutex<[PushNotification]>([])
  var all: [PushNotification] { list.withLock { $0 } }
  func add(_ notification: PushNotification) { list.withLock { $0.append(notification) } }
}

extension PushProvider {
  /// Has a verdict on each notification at once, for all devices of its service.
  static func each(
    _ verdict: @escaping @Sendable (PushNotification) -> PushVerdict
  ) -> PushProvider {
    PushProvider(name: "test", service: .app) { notification, _ in
      [PushParcel(device: nil, work: .finished(verdict(notification)))]
    }
  }

  /// Takes everything.
  static var taking: PushProvider { .each { _ in .taken } }
}

extension PushStore.Details {
  /// Nothing is known of the player but the wish to hear of each turn alone.
  static var plain: PushStore.Details {
    var preferences = PushPreferences()
    preferences.isBundled = false
    return PushStore.Details(preferences: preferences)
  }
}

extension PushBundle {
  /// A notification of one job.
  static func one(_ job: PushJob, _ details: PushStore.Details) -> PushBundle {
    bundles(of: [Part(job, details, isSilent: false)])[0]
  }
}
