import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite(
  "Signed payloads that a registered player cannot mean, through broker and database", .serialized,
  .sharedService())
struct PayloadAttackTests {
  /// An event's payload with a member of a test's own.
  private static func payload(_ player: LabPlayer, _ more: String, type: String) -> [UInt8] {
    let id = EventID(at: WallClock.live.now(), random: Randomness.live.next128())
    return Array(
      #"{"v":1,"service":"\#(player.service)","id":"\#(id)","player":"\#(player.id)","#.utf8)
      + Array(#""type":"\#(type)",\#(more)}"#.utf8)
  }

  private static func expectMalformed(
    _ payloads: [(what: String, payload: [UInt8])], from player: LabPlayer, in lab: ServiceLab
  ) throws {
    try lab.expectRefused(
      payloads.map { what, payload in
        Attack(
          what: what, refusal: "malformed",
          body: Envelope.encode(player.key.signer.signed(payload, as: .event)),
          slot: Slot(of: player.id))
      })
    let intruder = try Intruder(in: lab)
    for (what, payload) in payloads {
      let body = Envelope.encode(player.key.signer.signed(payload, as: .query))
      guard case .refused("malformed", _, _) = try intruder.query(body) else {
        Issue.record("\(what) was no malformed query")
        continue
      }
    }
  }

  @Test("Bombs of depth, size, numbers and text are malformed with any signature")
  func bombs() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      func event(_ more: String) -> [UInt8] {
        Self.payload(ann, more, type: "matchRequested")
      }
      let limit = #""opponent":"random","language":"en","turnLimit":"#
      let zeros = String(repeating: "0", count: 400)
      try Self.expectMalformed(
        [
          ("4,000 arrays within each other", Array(String(repeating: "[", count: 4_000).utf8)),
          ("64 KB of brackets", Array(String(repeating: "[", count: 65_536).utf8)),
          ("objects within each other", Array(String(repeating: #"{"a":"#, count: 800).utf8)),
          ("depth in a field nobody knows", event(#""x":[[[[[[[[[1]]]]]]]]]"#)),
          ("a payload of 4,097 bytes", event(#""x":""# + String(repeating: "x", count: 4_000))),
          ("a number without end", event(limit + "1" + zeros)),
          ("an exponent", event(limit + "1e999")),
          ("a small exponent", event(limit + "86400e0")),
          ("a fraction", event(limit + "86400.0")),
          ("minus zero", event(limit + "-0")),
          ("2^53 + 1", event(limit + "9007199254740993")),
          ("a key that is there twice", event(limit + #"86400,"turnLimit":1"#)),
          ("a key twice, once escaped", event(limit + #"86400,"turn\u004cimit":1"#)),
          ("half of a surrogate pair", event(#""x":"\ud800""#)),
          ("a zero byte", event("\"x\":\"\0\"")),
          ("bytes that are no UTF-8", event(#""x":"@@""#).map { $0 == 0x40 ? 0xff : $0 }),
          ("a second value", event(#""x":1"#) + Array("{}".utf8)),
          ("no object", Array("7".utf8)), ("nothing", Array(" ".utf8)),
        ], from: ann, in: lab)
      // The service goes on.
      _ = try ann.must(.matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
    }
  }

  @Test("SQL in any string is a string that nobody takes")
  func sql() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let texts = [
        #"x'; DROP TABLE players; --"#, #"' OR '1'='1"#, #"x\"; DELETE FROM matches; --"#,
        #"$1"#, #"/* */"#, #"\u0000"#, #"%_%"#, #"\\'; --"#,
        String(repeating: "a'", count: 30), String(repeating: "A", count: 400),
      ]
      var payloads: [(String, [UInt8])] = []
      for text in texts {
        for (type, member) in [
          ("playerRegistered", "name"), ("matchForfeited", "match"),
          ("invitationAccepted", "code"), ("turnPlayed", "moves"), ("matchRequested", "with"),
          ("matchRequested", "language"), ("player", "name"), ("pastGames", "before"),
          ("pastGames", "with"), ("headToHead", "with"), ("matchByCode", "code"),
          ("record", "match"),
          ("standings", "daily"), ("invitationOf", "invitation"), ("recoveryOf", "name"),
          ("account", "section"),
        ] {
          let more = #""opponent":"player","limit":1,"\#(member)":"\#(text)""#
          payloads.append(
            ("\(text) as \(member) of \(type)", Self.payload(ann, more, type: type)))
        }
        let payload = Self.payload(ann, #""match":"x""#, type: "matchForfeited")
        for field in ["service", "id", "player"] {
          let changed = String(decoding: payload, as: UTF8.self).replacing(
            try Regex(#""\#(field)":"[^"]*""#), with: #""\#(field)":"\#(text)""#)
          payloads.append(("\(text) as \(field)", Array(changed.utf8)))
        }
      }
      try Self.expectMalformed(payloads, from: ann, in: lab)
      // Names that a query may look for are letters, digits, - and _: the last two are no patterns.
      let eve = try LabPlayer("A_n", in: lab)
      try eve.must(.playerRegistered(name: eve.name, code: nil))
      let asked = Query(
        service: lab.identity.service, id: EventID(at: WallClock.live.now(), random: 1),
        player: ann.id, kind: .player(.init(eve.name)))
      let body = Envelope.encode(ann.key.signer.sign(asked))
      guard case .ok(let view) = try Intruder(in: lab).query(body) else {
        Issue.record("A_n was not found")
        return
      }
      #expect(view.id == eve.id)
    }
  }
}
