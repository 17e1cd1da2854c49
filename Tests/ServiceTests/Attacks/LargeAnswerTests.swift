import Chaos
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import PlayerClient
import TestedService
import Testing

@testable import MatchWire

@Suite("The largest records", .serialized)
struct LargeAnswerTests {
  /// A turn with some bytes more than it needs, in a field that nobody knows.
  private static func padded(
    _ turn: Turn, of match: MatchID, by player: LabPlayer, in lab: ServiceLab, spare: Int
  ) -> [UInt8] {
    let event = Event(
      service: lab.identity.service, id: FieldStage.newID(), player: player.id,
      action: .turnPlayed(match, turn))
    let short = PayloadCodec.encode(event)
    let frame = Array(#","x":""#.utf8)
    let filling = [UInt8](repeating: 0x61, count: spare - frame.count - 1)
    return short.dropLast() + frame + filling + Array(#""}"#.utf8)
  }

  @Test("A turn has 256 bytes to spare; the record of a game in which all are used is given")
  func record() async throws {
    try await ServiceLab.run { lab in
      let eve = try lab.player("Eve")
      let asked = try eve.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      _ = try eve.send(asked)
      let intruder = try Intruder(in: lab)
      func plays(_ turn: Turn, spare: Int) throws -> ReceivedReply {
        let payload = Self.padded(turn, of: asked.newMatch, by: eve, in: lab, spare: spare)
        return try intruder.event(
          Envelope.encode(eve.key.signer.signed(payload, as: .event)), to: Slot(of: asked.newMatch)
        ).reply
      }
      while true {
        let match = try lab.match(asked.newMatch)
        guard match.outcome == nil else { break }
        var turn = lab.turn(match)
        turn.moves = [turn.moves[0]]
        if turn.number == 1 {
          guard case .refused("malformed", _, _) = try plays(turn, spare: 257) else {
            throw LabFailure("more was taken")
          }
        }
        guard case .accepted = try plays(turn, spare: 256) else {
          throw LabFailure("the turn was refused")
        }
      }
      let query = Query(
        service: lab.identity.service, id: FieldStage.newID(), player: eve.id,
        kind: .record(.init(asked.newMatch)))
      let body = try intruder.answer(Envelope.encode(eve.key.signer.sign(query)))
      guard case .ok = try AnswerCodec.decode(body, as: RecordAnswer.self).answer else {
        throw LabFailure("the record was not given")
      }
      let turns = try lab.match(asked.newMatch).turnNumber - 1
      // No game has more turns than its cubes and a third of the possible uses of their faces.
      #expect(body.count / turns * 90 < ReaderSettings().answerByteLimit, "\(body.count), \(turns)")
      #expect(try lab.violations() == [])
    }
  }
}
