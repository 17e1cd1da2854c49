import MatchCore
import Testing

@testable import MatchCore
@testable import MatchWire

extension PayloadTests {
  @Test("Every kind of match travels in a deal", arguments: MatchKind.allCases)
  func kinds(kind: MatchKind) throws {
    var deal = PayloadTests.deal
    deal.terms = Terms(kind: .solo(.unlimited), turnLimitSeconds: 86_400, language: .english)
    let kinds: [Terms.Kind] = [
      .random, .invitation, .open, .rematch, .solo(.timed), .daily(PayloadTests.daily),
    ]
    deal.terms.kind = try #require(kinds.first { $0.name == kind })
    let payload = PayloadCodec.encode(
      .matchDealt(deal), match: PayloadTests.match, service: PayloadTests.service)
    #expect(try PayloadCodec.decodeStatement(payload).statement == .matchDealt(deal))
  }

  @Test(
    "A deal says that a match is casual, and nothing where it is rated", arguments: [true, false])
  func casual(isCasual: Bool) throws {
    var deal = PayloadTests.deal
    deal.terms = Terms(
      kind: .random, turnLimitSeconds: 60, language: .english, isCasual: isCasual)
    let payload = PayloadCodec.encode(
      .matchDealt(deal), match: PayloadTests.match, service: PayloadTests.service)
    #expect(text(payload).contains("casual") == isCasual)
    #expect(try PayloadCodec.decodeStatement(payload).statement == .matchDealt(deal))
  }

  @Test("Whether a match is casual is said by true or false", arguments: ["1", #""true""#, "{}"])
  func casualFlag(value: String) {
    let action = Event.Action.matchRequested(
      MatchRequest(opponent: .random, turnLimitSeconds: 60, isCasual: true))
    let payload = text(PayloadCodec.encode(PayloadTests.event(action)))
      .replacing(#""casual":true"#, with: #""casual":"# + value)
    #expect(throws: Refusal.malformed("casual: true or false is due")) {
      try PayloadCodec.decodeEvent(bytes(payload))
    }
  }
}
