// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import CubeRules
import CubistBasics
import CustomDump
import MatchCore
import Testing

@testable import MatchWire

@Suite("Queries and answers")
struct QueryTests {
  static let service = ServiceID(rawValue: 0xa)
  static let match = MatchID(rawValue: 0xb)
  static let head =
    #"""
    {"v":1,"service":"00000000-0000-0000-0000-00000000000a","id":"019de137-7000-7000-8000-00\#
    000000000d","type":
    """#
  static let from = #","player":"00000000-0000-0000-0000-00000000000c""#
  static let b = #""00000000-0000-0000-0000-00000000000b""#

  static func query(_ kind: Query.Kind) -> Query {
    Query(service: service, id: PayloadTests.id, player: PlayerID(rawValue: 0xc), kind: kind)
  }

  static let kinds: [(Query.Kind, String)] = [
    (.serviceInfo, #""serviceInfo"\#(from)}"#),
    (.whoAmI, #""whoAmI"\#(from)}"#),
    (.player(.init(PlayerName("Bert")!)), #""player"\#(from),"name":"Bert"}"#),
    (.matches, #""matches"\#(from)}"#),
    (.match(.init(match)), #""match"\#(from),"match":\#(b)}"#),
    (
      .match(.init(match, atLeast: 3, newerThan: 4)),
      #""match"\#(from),"match":\#(b),"atLeast":3,"newerThan":4}"#
    ),
    (.matchByCode(.init(ShareCode("CODE")!)), #""matchByCode"\#(from),"code":"CODE"}"#),
    (.pastGames(.init(limit: 20)), #""pastGames"\#(from),"limit":20}"#),
    (
      .pastGames(
        .init(
          with: PlayerID(rawValue: 0xb),
          before: PastGamesCursor(endedAt: Instant(microseconds: 7), match: match), limit: 1)),
      #"""
      "pastGames"\#(from),"with":\#(b),"before":"7_00000000-0000-0000-0000-00000000000b","li\#
      mit":1}
      """#
    ),
    (
      .pastGames(
        .init(
          with: nil,
          filter: PastGamesFilter(
            kind: .solo, result: .won, from: Instant(microseconds: 3),
            until: Instant(microseconds: 9)), before: nil, limit: 2)),
      #"""
      "pastGames"\#(from),"kind":"solo","result":"won","from":3,"until":9,"limit":2}
      """#
    ),
    (.recordByCode(.init(ShareCode("CODE")!)), #""recordByCode"\#(from),"code":"CODE"}"#),
    (.inbox, #""inbox"\#(from)}"#),
    (.settings, #""settings"\#(from)}"#),
    (.blocks, #""blocks"\#(from)}"#),
    (.record(.init(match)), #""record"\#(from),"match":\#(b)}"#),
    (.record(.init(match, part: 128)), #""record"\#(from),"match":\#(b),"part":128}"#),
    (
      .recordByCode(.init(ShareCode("CODE")!, part: 2)),
      #""recordByCode"\#(from),"code":"CODE","part":2}"#
    ),
    (
      .standings(.init(PayloadTests.daily)),
      #""standings"\#(from),"daily":{"day":"2026-05-01","mode":"unlimited","language":"en"}}"#
    ),
    (.ladder(.init(limit: 20)), #""ladder"\#(from),"limit":20}"#),
    (.dailyHistory, #""dailyHistory"\#(from)}"#),
    (.review, #""review"\#(from)}"#),
    (
      .headToHead(.init(with: PlayerID(rawValue: 0xb))),
      #""headToHead"\#(from),"with":\#(b)}"#
    ),
    (
      .leaderboard(
        .init(
          Leaderboard(
            games: SoloGames(kind: .solo, mode: .timed), measure: .words, window: .week))),
      #"""
      "leaderboard"\#(from),"board":{"kind":"solo","mode":"timed","language":"en","measure":"w\#
      ords","window":"week"}}
      """#
    ),
    (.overview, #""overview"\#(from)}"#),
    (.keys, #""keys"\#(from)}"#),
    (
      .invitationOf(.init(Hash(sha256Of: []))),
      #"""
      "invitationOf"\#(from),"invitation":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca4959\#
      91b7852b855"}
      """#
    ),
    (.recoveryOf(.init(PlayerName("Anna")!)), #""recoveryOf"\#(from),"name":"Anna"}"#),
    (.account(.init(.keys, after: 7)), #""account"\#(from),"section":"keys","after":7}"#),
  ]

  @Test("Every query has one form and is read from it", arguments: kinds.indices)
  func queries(index: Int) throws {
    let (kind, tail) = QueryTests.kinds[index]
    let query = QueryTests.query(kind)
    let signed = Table.signer(3).sign(query)
    expectNoDifference(text(signed.payload), QueryTests.head + tail)
    expectNoDifference(try QueryCodec.decode(signed.payload), query)
    #expect(Ed25519.verify(signed, .query) && !Ed25519.verify(signed, .event))
  }

  @Test("A query is valid for 60 s, and 5 minutes ahead at most")
  func validity() {
    let query = QueryTests.query(.whoAmI)
    let asked = query.id.time
    #expect(query.isValid(at: asked) && query.isValid(at: asked.adding(seconds: 60)))
    #expect(!query.isValid(at: asked.adding(seconds: 60).adding(microseconds: 1)))
    #expect(query.isValid(at: asked.adding(seconds: -300)))
    #expect(!query.isValid(at: asked.adding(seconds: -300).adding(microseconds: -1)))
  }

  // Failure: QueryRefusal.malformed: The payload is not a query of this version.
  // Failure: QueryRefusal.unsupportedVersion: The service does not know this version.
  @Test("A fault in a query is named")
  func malformed() {
    let good = text(QueryCodec.encode(QueryTests.query(QueryTests.kinds[8].0)))
    for (part, replacement, reason) in [
      (#""limit":1"#, #""limit":0"#, "limit is 0, outside 1 to 100"),
      (#""limit":1"#, #""limit":101"#, "limit is 101, outside 1 to 100"),
      ("7_0", "7-0", "before is not a cursor"),
      ("pastGames", "futureGames", "type \"futureGames\" is not known"),
    ] {
      let bad = bytes(good.replacing(part, with: replacement))
      #expect(throws: QueryRefusal.malformed(reason)) { try QueryCodec.decode(bad) }
    }
    #expect(throws: QueryRefusal.malformed("the payload has 1025 bytes where at most 1024 may be"))
    {
      try QueryCodec.decode(Array(repeating: 0x20, count: 1_025))
    }
    #expect(throws: QueryRefusal.unsupportedVersion(3)) {
      try QueryCodec.decode(bytes(#"{"v":3}"#))
    }
  }

  @Test("Mutated queries give a query or a refusal", arguments: [UInt64(31), 32])
  func mutations(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let queries = QueryTests.kinds.map { QueryCodec.encode(QueryTests.query($0.0)) }
    var refused = 0
    for _ in 0..<2_000 {
      let query = queries.randomElement(using: &random)!.mutated(using: &random)
      if (try? QueryCodec.decode(query)) == nil { refused += 1 }
    }
    #expect(refused > 500, "seed \(seed)")
  }

  static let refusals: [(QueryRefusal, String)] = [
    (.malformed("why"), #"{"name":"malformed","values":{"text":"why"}"#),
    (.unsupportedVersion(2), #"{"name":"unsupportedVersion","values":{"version":2}"#),
    (
      .wrongService(ServiceID(rawValue: 0xb)), #"{"name":"wrongService","values":{"service":\#(b)}"#
    ),
    (
      .expired(serviceTime: Instant(microseconds: 5)),
      #"{"name":"expired","values":{"serviceTime":5}"#
    ),
    (.notRegistered, #"{"name":"notRegistered","values":{}"#),
    (.keyRevoked, #"{"name":"keyRevoked","values":{}"#),
    (.notPermitted, #"{"name":"notPermitted","values":{}"#),
    (.unknownMatch, #"{"name":"unknownMatch","values":{}"#),
    (.matchGone, #"{"name":"matchGone","values":{}"#),
    (.unknownPlayer, #"{"name":"unknownPlayer","values":{}"#),
    (.codeUnknown, #"{"name":"codeUnknown","values":{}"#),
    (.seatTaken, #"{"name":"seatTaken","values":{}"#),
    (.invitationOver(.withdrawn), #"{"name":"invitationOver","values":{"reason":"withdrawn"}"#),
    (
      .invitationOver(.withdrawn, isOwn: true),
      #"{"name":"invitationOver","values":{"reason":"withdrawn","own":true}"#
    ),
    (.invitationOver(.expired), #"{"name":"invitationOver","values":{"reason":"expired"}"#),
    (.invitationOver(.stopped), #"{"name":"invitationOver","values":{"reason":"stopped"}"#),
    (.matchNotOver, #"{"name":"matchNotOver","values":{}"#),
    (.matchDamaged, #"{"name":"matchDamaged","values":{}"#),
    (.dailyNotDealt(Day("2026-05-01")!), #"{"name":"dailyNotDealt","values":{"day":"2026-05-01"}"#),
    (.standingsGone(Day("2026-05-01")!), #"{"name":"standingsGone","values":{"day":"2026-05-01"}"#),
    (.unavailable, #"{"name":"unavailable","values":{}"#),
    (
      .rateLimited(retryAfterSeconds: 7), #"{"name":"rateLimited","values":{"retryAfter":7}"#
    ),
  ]

  @Test("Every refusal of a query comes back", arguments: refusals.indices)
  func everyRefusal(index: Int) throws {
    let (refusal, json) = QueryTests.refusals[index]
    let encoded = AnswerCodec.encode(refusal: refusal, query: EventID(rawValue: 0xb))
    expectNoDifference(
      text(encoded),
      #"{"v":1,"query":\#(QueryTests.b),"refused":\#(json),"message":"\#(refusal.message)"}}"#)
    let (query, answer) = try AnswerCodec.decode(encoded, as: PlayerView.self)
    #expect(query == EventID(rawValue: 0xb))
    guard case .refused(refusal.name, refusal.message, refusal) = answer else {
      Issue.record("\(answer)")
      return
    }
  }

  @Test("An answer of another shape is a fault, and an unknown refusal keeps its message")
  func faults() throws {
    #expect(throws: ReplyFault.malformed("ok is not a PlayerView")) {
      try AnswerCodec.decode(bytes(#"{"v":1,"query":null,"ok":{"id":7}}"#), as: PlayerView.self)
    }
    #expect(throws: ReplyFault.unsupportedVersion(2)) {
      try AnswerCodec.decode(bytes(#"{"v":2}"#), as: PlayerView.self)
    }
    let unknown = bytes(#"{"v":1,"refused":{"name":"shy","values":{},"message":"No."}}"#)
    guard
      case .refused("shy", "No.", nil) = try AnswerCodec.decode(unknown, as: PlayerView.self).answer
    else {
      Issue.record("another answer")
      return
    }
  }
}
