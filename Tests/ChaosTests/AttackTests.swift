import EventBusLive
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import Chaos

@Suite("Hostile players of a chaos run")
struct AttackTests {
  private func mind(_ seed: UInt64, _ log: HostileLog = HostileLog()) throws -> HostileMind {
    let keys = (0..<4).map { PlayerKey.make(using: .seeded($0)) }
    return HostileMind(
      HostileMind.World(
        service: ServiceID(rawValue: 9), accounts: Array(keys[..<2]),
        bystanders: Array(keys[2...]), victims: [PlayerID(rawValue: 5)], honest: SenderLog(),
        layout: .standard, log: log), seed: seed)
  }

  @Test("The same seed gives the same attacks, another seed others, and each kind as often")
  func plan() {
    func kinds(_ seed: UInt64) -> [AttackKind] {
      var plan = AttackPlan(seed: seed)
      return (0..<AttackKind.allCases.count * 10).map { _ in plan.next().kind }
    }
    #expect(kinds(7) == kinds(7))
    #expect(kinds(7) != kinds(8))
    let counts = Dictionary(grouping: kinds(1)) { $0 }.mapValues(\.count)
    #expect(counts.count == AttackKind.allCases.count)
    #expect(counts.values.allSatisfy { $0 == 10 })
  }

  /// These send nothing of their own: reading a queue, and replays while no honest player has sent
  /// anything.
  private static let silent: Set<AttackKind> = [.forbiddenQueue, .replay, .replayCounted]

  @Test("Every attack has messages", arguments: AttackKind.allCases)
  func messages(kind: AttackKind) throws {
    var mind = try mind(3)
    #expect(mind.messages(kind).isEmpty == Self.silent.contains(kind))
  }

  @Test("The log knows every event that an account signs, so its answer is no surprise")
  func signed() throws {
    let log = HostileLog()
    var mind = try mind(4, log)
    for message in mind.messages(.soloFlood) {
      let event = try PayloadCodec.decodeEvent(Envelope.decode(message.body).payload)
      #expect(log.hasSigned(EventKey(player: event.player, event: event.id)))
    }
  }

  @Test("An attack that was never sent is found, and one that was granted")
  func findings() {
    let log = HostileLog()
    #expect(log.findings.count == AttackKind.allCases.count)
    for kind in AttackKind.allCases { log.note(kind, messages: 2) }
    #expect(log.findings == [])
    log.note(granted: .probes, Array("{}".utf8))
    #expect(log.findings == [Finding(.wrong, "the attack probes was granted: {}")])
  }
}

@Suite("Waiting for answers")
struct AnswerWaitTests {
  private func seconds(_ count: UInt64) -> UInt64 { count * 1_000_000_000 }

  private func wait(_ from: UInt64, _ to: UInt64) -> AnswerWait {
    AnswerWait(of: "a turn", from: seconds(from), to: seconds(to))
  }

  private func quiet(_ wait: AnswerWait, _ faults: (UInt64, UInt64)...) -> Double {
    wait.quietSeconds(besides: faults.map { seconds($0.0)...seconds($0.1) })
  }

  @Test("The time of faults does not count, overlapping or not")
  func overlaps() {
    #expect(quiet(wait(100, 150)) == 50)
    #expect(quiet(wait(100, 150), (110, 120)) == 40)
    #expect(quiet(wait(100, 150), (130, 140), (110, 135)) == 20)
    #expect(quiet(wait(100, 150), (90, 105), (145, 200)) == 40)
    #expect(quiet(wait(100, 150), (10, 20), (160, 170)) == 50)
    #expect(quiet(wait(100, 150), (90, 200)) == 0)
  }

  @Test("Only a wait of more than thirty seconds without a fault is too long")
  func limit() {
    let faults = [seconds(110)...seconds(125)]
    #expect(AnswerWait.findings([wait(100, 145)], faults: faults) == [])
    #expect(
      AnswerWait.findings([wait(100, 146)], faults: faults)
        == [
          Finding(
            .wrong, "a turn was answered after 46 s, in 31 of which there was no fault")
        ])
  }
}
