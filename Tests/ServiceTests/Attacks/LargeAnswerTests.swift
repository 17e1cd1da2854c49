import Chaos
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import PlayerClient
import Testing

@testable import MatchWire

@Suite("Answers larger than the broker takes", .serialized)
struct LargeAnswerTests {
  /// A turn with as many bytes as it may have, most of them in a field that nobody knows.
  private static func padded(
    _ turn: Turn, of match: MatchID, by player: LabPlayer, in lab: ServiceLab
  ) -> [UInt8] {
    let event = Event(
      service: lab.identity.service, id: FieldStage.newID(), player: player.id,
      action: .turnPlayed(match, turn))
    let short = PayloadCodec.encode(event).dropLast() + Array(#","x":""#.utf8)
    let filling = [UInt8](repeating: 0x61, count: 4_096 - short.count - 2)
    return short + filling + Array(#""}"#.utf8)
  }

  @Test(
    "A record that does not fit into a message is refused, and ends nobody's connection",
    .timeLimit(.minutes(15)))
  func record() async throws {
    try await ServiceLab.run { lab in
      let (eve, ann) = (try lab.player("Eve"), try lab.player("Ann"))
      let asked = try eve.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      _ = try eve.send(asked)
      let intruder = try Intruder(in: lab)
      while true {
        let match = try lab.match(asked.newMatch)
        guard match.outcome == nil else { break }
        var turn = lab.turn(match)
        turn.moves = [turn.moves[0]]
        let payload = Self.padded(turn, of: match.id, by: eve, in: lab)
        #expect(payload.count == 4_096)
        let answer = try intruder.event(
          Envelope.encode(eve.key.signer.signed(payload, as: .event)), to: Slot(of: match.id))
        guard case .accepted = answer.reply else { throw LabFailure("the turn was refused") }
      }
      func query(_ kind: Query.Kind, of player: LabPlayer) -> [UInt8] {
        let asked = Query(
          service: lab.identity.service, id: FieldStage.newID(), player: player.id, kind: kind)
        return Envelope.encode(player.key.signer.sign(asked))
      }
      for _ in 0..<20 {
        let record = query(.record(asked.newMatch), of: eve)
        guard case .refused = try intruder.query(record, attempts: 1) else {
          throw LabFailure("the record was given")
        }
        guard case .ok(let view) = try intruder.query(query(.whoAmI, of: ann), attempts: 1) else {
          throw LabFailure("Ann was not answered")
        }
        #expect(view.id == ann.id)
      }
      #expect(try lab.violations() == [])
    }
  }
}
