import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader when things fail")
struct ReaderFailureTests {
  let lab = ReaderLab()

  @Test("A store that is gone: everybody in hand is told to ask again, then the reader stops")
  func storeGone() throws {
    lab.expectOwner()
    lab.store.players = { _ throws(StoreError) in throw .unavailable("gone") }
    lab.ask(.whoAmI, id: "first")
    lab.ask(.whoAmI, by: .bob, id: "second")
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.step() }
    #expect(lab.answers.map(\.correlationID) == ["first", "second"])
    for answer in lab.answers {
      let decoded = try AnswerCodec.decode(answer.body, as: PlayerView.self)
      guard case .refused(_, _, .unavailable?) = decoded.answer else {
        Issue.record("not refused")
        continue
      }
      #expect(decoded.query == EventID(at: .noon, random: 1))
    }
  }

  @Test("A match that the store cannot read costs its asker the answer, and nobody else")
  func unreadableMatch() throws {
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.match = { _ throws(StoreError) in throw .rejected("no such state") }
    lab.ask(.match(MatchID(rawValue: 1), atLeast: nil, newerThan: 5), id: "first")
    lab.ask(.whoAmI, id: "second")
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["first", "second"])
  }

  @Test("A broker that is gone interrupts")
  func brokerGone() {
    lab.bus.receive = { _, _ throws(BusError) in throw .disconnected("gone") }
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.step() }
  }

  @Test("An answer that would be too large is not given")
  func tooLarge() throws {
    lab.settings.answerByteLimit = 10
    lab.expectOwner()
    lab.expectPlayers()
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try lab.refusal() == .unavailable)
  }
}
