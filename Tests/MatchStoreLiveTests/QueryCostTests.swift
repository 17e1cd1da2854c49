import Conformance
import LibPQ
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import MatchStoreLive

@Suite("The cost of a query")
struct QueryCostTests {
  @Test("A match is shown by two round trips, and each further one of a batch by one more")
  func views() throws {
    try LiveStores.run { stores in
      let lab = StoreLab(.live(try stores.connect()))
      try lab.register(.ann, .bob)
      let (first, second) = (try lab.begin(), try lab.begin())
      let connection = try stores.connect()
      var arriving: [ReaderBus.Incoming] = []
      var shown: [MatchID] = []
      var bus = ReaderBus.failing
      bus.receive.answer { _, _ in
        defer { arriving = [] }
        return arriving
      }
      bus.ownQueries.answer { [] }
      bus.answer.answer { answers in
        for answer in answers {
          let answer = try? AnswerCodec.decode(answer.body, as: MatchView.self).answer
          if case .ok(let view)? = answer { shown.append(view.id) }
        }
      }
      let reader = Reader(
        identity: try Self.identity(), layout: .standard, version: "1.0.0",
        store: .live(connection), bus: bus, clock: .live, verifier: .live,
        log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      func trips(_ asked: [(MatchID, TestPlayer)]) throws -> Int {
        arriving = asked.map { match, player in
          let query = Query(
            service: .test, id: EventID(at: WallClock.live.now(), random: 1), player: player.id,
            kind: .match(.init(match)))
          return .query(
            body: Envelope.encode(player.signer.sign(query)), replyTo: "somebody",
            correlationID: "1")
        }
        shown = []
        let before = connection.statistics.roundTripCount
        try reader.step()
        #expect(shown == asked.map(\.0))
        return connection.statistics.roundTripCount - before
      }
      #expect(try trips([(first, .ann)]) == 2)
      #expect(try trips([(first, .bob), (second, .ann), (first, .ann)]) == 4)
    }
  }

  private static func identity() throws -> ServiceIdentity {
    let root = try #require(Signer.ed25519(seed: Array(repeating: 1, count: 32)))
    return ServiceIdentity(
      service: .test, rootKey: root.publicKey, certificates: [], signer: root,
      secret: try #require(ServiceSecret(bytes: Array(0..<32))))
  }
}
