import MatchCore
import MatchInterfaces
import Testing

@Suite("Answers of push services as they are kept")
struct PushAnswerTests {
  private static func answer(
    _ verdict: PushStore.Answer.Verdict, _ status: Int?, _ text: String = ""
  ) -> PushStore.Answer {
    PushStore.Answer(
      player: PlayerID(rawValue: 1), devices: [], provider: "webPush", verdict: verdict,
      status: status, text: text)
  }

  @Test("A status that no push service uses is counted by its hundreds, whatever a server answers")
  func counted() {
    #expect(Self.answer(.taken, 201).counted == "taken 201")
    #expect(Self.answer(.gone, 410).counted == "gone 410")
    #expect(Self.answer(.refused, 499).counted == "refused 4xx")
    #expect(Self.answer(.later, nil).counted == "later")
    #expect(Self.answer(.refused, -1).counted == "refused")
    let words = PushStore.Answer.Verdict.allCases.map { verdict in
      Set((-1_000...2_000).map { Self.answer(verdict, $0).counted })
    }
    #expect(words.allSatisfy { $0.count < 50 })
  }

  @Test("A kept text has no controls and an end, however a push service writes")
  func text() {
    #expect(Self.answer(.refused, 400, "no\0\u{1b}[31m\nway").storedText == "no[31mway")
    let long = String(repeating: "\u{1f389}", count: 10_000)
    #expect(Self.answer(.refused, 400, long).storedText.unicodeScalars.count == 200)
  }
}
