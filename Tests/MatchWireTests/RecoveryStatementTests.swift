// swift-format-ignore-file: NeverForceUnwrap

import CustomDump
import MatchCore
import MatchWire
import Testing

@Suite("The service's statement about a recovery")
struct RecoveryStatementTests {
  private let statement = RecoveryStatement(
    player: PlayerID(rawValue: 0xb), key: PublicKey(bytes: Array(repeating: 0xb, count: 32))!,
    recovery: EventID(rawValue: 9), begunAt: Instant(microseconds: 1),
    queueTime: Instant(microseconds: 12), creditMicroseconds: 2,
    statedAt: Instant(microseconds: 13))
  private let form =
    #"{"v":1,"service":"\#(PayloadTests.service)","type":"recovered","#
    + #""player":"00000000-0000-0000-0000-00000000000b","#
    + #""key":"\#(String(repeating: "0b", count: 32))","#
    + #""recovery":"00000000-0000-0000-0000-000000000009","#
    + #""begunAt":1,"queueTime":12,"credit":2,"statedAt":13}"#

  private func decoded(_ text: String) throws -> RecoveryStatement {
    try PayloadCodec.decodeRecovery(Array(text.utf8)).statement
  }

  @Test("It has one form and is read from it")
  func coding() throws {
    let payload = PayloadCodec.encode(statement, service: PayloadTests.service)
    expectNoDifference(String(decoding: payload, as: UTF8.self), form)
    let decoded = try PayloadCodec.decodeRecovery(payload)
    #expect(decoded.service == PayloadTests.service && decoded.statement == statement)
  }

  @Test("It is no entry of a record, and no statement about a match is one about a recovery")
  func apart() {
    let payload = PayloadCodec.encode(statement, service: PayloadTests.service)
    #expect(throws: Refusal.malformed("match is missing")) {
      try PayloadCodec.decodeContent(payload)
    }
    for (other, _) in PayloadTests.statements {
      let payload = PayloadCodec.encode(
        other, match: PayloadTests.match, service: PayloadTests.service)
      #expect(throws: Refusal.self) { try PayloadCodec.decodeRecovery(payload) }
    }
  }

  @Test("A field that is missing, negative or of another kind is refused by name")
  func faults() {
    let credit = form.replacing(#""credit":2"#, with: #""credit":-2"#)
    #expect(throws: Refusal.malformed("credit is -2, outside 0 to 9007199254740992")) {
      try decoded(credit)
    }
    for field in ["player", "key", "recovery", "begunAt", "queueTime", "credit", "statedAt"] {
      #expect(throws: Refusal.malformed("\(field) is missing")) {
        try decoded(form.replacing(#""\#(field)":"#, with: #""other":"#))
      }
    }
    #expect(throws: Refusal.unsupportedVersion(2)) {
      try decoded(form.replacing(#""v":1"#, with: #""v":2"#))
    }
  }
}
