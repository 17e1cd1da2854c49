import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

/// The shipped worker on the lab's database. It believes that every queue is its own, and the test
/// hands it its deliveries. Two such workers are the worst case of a takeover. Confined to one
/// thread at a time.
// SAFETY: a test hands it to one child task, and uses it again only after having awaited that.
final class HandWorker: @unchecked Sendable {
  private let layout: QueueLayout
  private let connection: PostgreSQLConnection
  private let worker: TurnWorker
  private var arriving: [EventDelivery] = []
  private var tag: UInt64 = 0
  private var answers: [String: [UInt8]] = [:]
  /// How often the database refused a commit.
  private(set) var conflicts = 0
  /// Done once, before the next commit.
  var beforeCommit: (() -> Void)?

  init(in lab: ServiceLab) throws {
    layout = lab.layout
    connection = try PostgreSQLConnection(
      lab.database.patientSettings().forMatchStore())
    let id = WorkerID(rawValue: Randomness.live.next128())
    var store = WorkerStore.live(connection)
    store.heartbeat.answer { _ in [id] }
    let hand = Hand()
    let commit = store.commit
    store.commit.answer { write throws(StoreError) in try hand.commit(write, commit) }
    var bus = WorkerBus.noop
    bus.receive.answer { _, _ in hand.take() }
    bus.publish.answer { hand.worker?.hear($0) }
    worker = TurnWorker(
      id: id, identity: lab.identity, layout: lab.layout, lexicons: lab.lexicons, store: store,
      bus: bus, clock: .live, verifier: .live, log: ServiceLab.log)
    hand.worker = self
    // It finds out its queues.
    try worker.step()
  }

  deinit { connection.close() }

  /// The link from the worker's closures to the test.
  private final class Hand {
    weak var worker: HandWorker?

    func take() -> [EventDelivery] { worker?.take() ?? [] }

    func commit(
      _ write: BatchWrite, _ commit: Ask<BatchWrite, Void, StoreError>
    ) throws(StoreError) {
      let before = worker?.beforeCommit
      worker?.beforeCommit = nil
      before?()
      do throws(StoreError) { try commit(write) } catch {
        worker?.conflicts += 1
        throw error
      }
    }
  }

  private func take() -> [EventDelivery] {
    defer { arriving = [] }
    return arriving
  }

  private func hear(_ outgoing: [WorkerBus.Outgoing]) {
    for case .reply(_, let id, let body) in outgoing { answers[id] = body }
  }

  /// Judges one event, and gives the reply.
  func judge(_ sent: LabPlayer.Sent) throws -> ReceivedReply {
    tag += 1
    arriving = [
      EventDelivery(
        queue: layout.queue(of: sent.slot), tag: tag, body: sent.envelope,
        replyTo: "amq.rabbitmq.reply-to.\(tag)", correlationID: "\(tag)")
    ]
    try worker.step()
    return try ReplyCodec.decode(#require(answers["\(tag)"])).reply
  }
}
