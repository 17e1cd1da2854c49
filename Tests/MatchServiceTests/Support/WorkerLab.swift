import CustomDump
import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

/// A turn worker whose store and bus are `.failing` where a test overrides nothing, and a journal
/// of its acts.
final class WorkerLab {
  /// One thing that the worker did to the outside.
  enum Act: Equatable {
    case lookUp(Lookup)
    case resolve([Claim])
    case commit(BatchWrite)
    case abandon
    case acknowledge(UInt64)
    case publish([WorkerBus.Outgoing])
    case consume([Int])
    case leave
    case close

    /// The act without its values.
    var name: String {
      switch self {
      case .lookUp: "lookUp"
      case .resolve: "resolve"
      case .commit: "commit"
      case .abandon: "abandon"
      case .acknowledge(let tag): "acknowledge \(tag)"
      case .publish: "publish"
      case .consume(let queues): "consume \(queues.count)"
      case .leave: "leave"
      case .close: "close"
      }
    }
  }

  static let id = WorkerID(rawValue: 1)

  var store = WorkerStore.failing
  var bus = WorkerBus.failing
  var settings = TurnWorkerSettings()
  var verifier = SignatureVerifier.live
  let clock = TestClock()
  /// The store's answer to every look-up.
  var known = LookupResult(now: .noon) {
    didSet { clock.elapse(known.now.microseconds(since: oldValue.now)) }
  }
  /// The events that arrive in the next step.
  var arriving: [EventDelivery] = []
  /// The jobs that the broker has confirmed by the next step.
  var confirmed: [PushJobID] = []
  /// The workers that live.
  var living = [WorkerLab.id]
  /// How a worker without a share stands.
  var standing = WorkerStanding()
  var layout = QueueLayout.standard
  var id = WorkerLab.id
  var identity = ServiceIdentity.test
  let proof = WorkerProof()
  private(set) var acts: [Act] = []
  private var tag: UInt64 = 0
  private(set) lazy var worker = TurnWorker(
    id: id, identity: identity, layout: layout, lexicons: .test, store: store, bus: bus,
    clock: clock.clock, verifier: verifier, settings: settings,
    proof: proof, log: Logger(label: "test") { [logs] _ in logs })
  /// The worker's log, from `info` on.
  let logs = InMemoryLogHandler()

  /// A worker that holds queues and receives; `expecting` names the other calls it will make.
  init(_ expecting: Expecting...) {
    // Only some tests look at beats.
    settings.beatSeconds = nil
    for player in TestPlayer.all { known.keys[player.key] = player.owner }
    known.players = Set(TestPlayer.all.map(\.id))
    store.standing.answer { [unowned self] _ in standing }
    store.heartbeat.answer { [unowned self] _ in living }
    store.queueClocks.answer { [:] }
    store.layout.answer { nil }
    store.workWhileWaiting.answer { _ in }
    bus.consume.answer { [unowned self] in acts.append(.consume($0)) }
    bus.receive.answer { [unowned self] _, _ in
      defer { arriving = [] }
      return arriving
    }
    bus.confirmed.answer { [unowned self] in
      defer { confirmed = [] }
      return confirmed
    }
    for use in expecting { expect(use) }
  }

  /// The calls that a worker may make, each journaled.
  enum Expecting { case lookUp, resolve, commit, abandon, acknowledge, publish, heartbeats, leave }

  func expect(_ use: Expecting) {
    switch use {
    case .lookUp:
      store.lookUp.answer { [unowned self] in
        acts.append(.lookUp($0))
        return known
      }
    case .resolve:
      store.resolve.answer { [unowned self] in
        acts.append(.resolve($0))
        return $0.map { _ in .free }
      }
    case .commit: store.commit.answer { [unowned self] in acts.append(.commit($0)) }
    case .abandon: store.abandon.answer { [unowned self] in acts.append(.abandon) }
    case .acknowledge: bus.acknowledge.answer { [unowned self] in acts.append(.acknowledge($0)) }
    case .publish: bus.publish.answer { [unowned self] in acts.append(.publish($0)) }
    case .heartbeats: bus.serveHeartbeats.answer {}
    case .leave:
      store.leave.answer { [unowned self] _ in acts.append(.leave) }
      bus.close.answer { [unowned self] in acts.append(.close) }
    }
  }

  /// Journals something that a test overrides by itself.
  func note(_ act: Act) { acts.append(act) }

  /// Forgets all acts so far.
  func forget() { acts = [] }

  /// The acts without their values.
  var names: [String] { acts.map(\.name) }

  var writes: [BatchWrite] {
    acts.compactMap { if case .commit(let write) = $0 { write } else { nil } }
  }

  var lookups: [Lookup] {
    acts.compactMap { if case .lookUp(let lookup) = $0 { lookup } else { nil } }
  }

  var published: [WorkerBus.Outgoing] {
    acts.flatMap { act -> [WorkerBus.Outgoing] in
      if case .publish(let outgoing) = act { outgoing } else { [] }
    }
  }

  /// The replies that went out, by correlation id.
  var replies: [String: Reply] {
    var replies: [String: Reply] = [:]
    for case .reply(_, let id, let body) in published {
      switch try? ReplyCodec.decode(body).reply {
      case .accepted(let acceptance): replies[id] = .accepted(acceptance)
      case .refused(_, _, let refusal?): replies[id] = .refused(refusal)
      default: Issue.record("a reply that cannot be read")
      }
    }
    return replies
  }

  /// Does one step in which a body arrives, sent to where it belongs unless said otherwise.
  func deliver(_ event: Event, by player: TestPlayer, count: Int = 1) {
    arriving.append(
      delivery(player.body(event), queue: queue(of: event), id: "\(player.name)", count: count))
  }

  /// A delivery with the next tag.
  func delivery(
    _ body: [UInt8], queue: Int, id: String? = nil, count: Int = 1
  ) -> EventDelivery {
    tag += 1
    return EventDelivery(
      queue: queue, tag: tag, body: body, deliveryCount: count,
      replyTo: id.map { "amq.rabbitmq.reply-to.\($0)" }, correlationID: id)
  }

  func queue(of event: Event) -> Int {
    Slot(of: event).map { layout.queue(of: $0) } ?? 0
  }

  /// Makes a match known to the store.
  func know(_ match: Match) { known.matches[match.id] = match }

  /// Takes the step in which the worker only finds out its queues.
  func settleIn() throws {
    try worker.step()
    forget()
  }

  func step() throws { try worker.step() }
}
