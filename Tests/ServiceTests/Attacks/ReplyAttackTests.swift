import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("Strangers' attacks on the roles that answer", .serialized)
struct ReplyAttackTests {
  @Test("Reply-tos that are made up interrupt neither worker nor reader")
  func madeUp() async throws {
    try await ServiceLab.run(.init(hasNewHost: true)) { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let intruder = try Intruder(in: lab)
      func query() -> [UInt8] {
        let asked = Query(
          service: lab.identity.service, id: EventID(at: WallClock.live.now(), random: 1),
          player: ann.id, kind: .whoAmI)
        return Envelope.encode(ann.key.signer.sign(asked))
      }
      var before: [String: Set<String>] = [:]
      try waitUntil("the broker knows all connections") {
        before = try connections(lab)
        return Self.lasting.union(Self.strangers).isSubset(of: before.keys)
      }
      for round in 0..<10 {
        for target in ["made.up", "g1h2AA5y.AAAA", Self.address(UInt32(1_000 + round))] {
          let target = "amq.rabbitmq.reply-to.\(target)"
          let sent = try bob.sign(
            .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
          try intruder.publish(sent.envelope, to: sent.slot, replyTo: target)
          try intruder.publish(query(), replyTo: target)
        }
        // Nothing is sent again: an answer that was lost is missed.
        let player = round % 2 == 0 ? ann : bob
        try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
        guard case .ok = try intruder.query(query(), attempts: 1) else {
          Issue.record("the reader does not answer")
          return
        }
      }
      // Later brokers drop a reply to a node that they do not have.
      let isConnectionEnded = try LabBroker.isBelow("3.12.0")
      if isConnectionEnded {
        try waitUntil("the connections for strangers have ended") {
          let now = try connections(lab)
          return Self.strangers.allSatisfy { now[$0] != before[$0] }
        }
      }
      let now = try connections(lab)
      for name in isConnectionEnded ? Self.lasting : Self.lasting.union(Self.strangers) {
        #expect(now[name] == before[name], "\(name)")
      }
      #expect(try lab.deadEventCount() == 0)
      #expect(try lab.violations() == [])
    }
  }

  /// An address as a node with that number would give it.
  private static func address(_ node: UInt32) -> String {
    let name = "reply@\(node)"
    let process: [UInt8] =
      [131, 88, 118, 0, UInt8(name.utf8.count)] + name.utf8
      + [0, 0, 10, 0, 0, 0, 0, 0, 100, 100, 100, 100]
    return "\(Data(process).base64EncodedString()).AAAA"
  }

  private static let strangers: Set = [
    "cubist worker, replying to strangers", "cubist reader, answering to strangers",
  ]

  /// The others that are there from the first moment on. The relay connects when it has something to send.
  private static let lasting: Set = [
    "cubist worker, consuming", "cubist worker, publishing", "cubist worker, replying",
    "cubist reader, listening", "cubist reader, answering",
    "cubist push, consuming", "cubist push, publishing", "cubist push, announcing",
  ]

  /// The service's connections: the broker's names for them, by the service's names.
  private func connections(_ lab: ServiceLab) throws -> [String: Set<String>] {
    Dictionary(
      try lab.host.connections().filter { $0.user?.hasSuffix("-service") == true }
        .compactMap { connection in connection.clientName.map { ($0, [connection.name]) } },
      uniquingKeysWith: { $0.union($1) })
  }
}
