// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import CubeRules
import CubistBasics
import CustomDump
import EventExamples
import MatchCore
import Testing

@testable import MatchCore
@testable import MatchRecord
@testable import MatchWire

@Suite("Payloads")
struct PayloadTests {
  static let service = ServiceID(rawValue: 0xa)
  static let match = MatchID(rawValue: 0xb)
  static let player = PlayerID(rawValue: 0xc)
  static let id = EventID(at: Instant(microseconds: 1_777_600_000_000_000), random: 0xd)
  static let head =
    #"""
    {"v":1,"service":"00000000-0000-0000-0000-00000000000a","id":"019de137-7000-7000-8000-00\#
    000000000d","type":
    """#
  static let from = #","player":"00000000-0000-0000-0000-00000000000c""#
  static let inMatch = #","match":"00000000-0000-0000-0000-00000000000b""#
  static let about =
    #"{"v":1,"service":"00000000-0000-0000-0000-00000000000a","type":"#

  static func event(_ action: Event.Action) -> Event {
    Event(service: service, id: id, player: player, action: action)
  }

  static let daily = DailyKey(day: Day("2026-05-01")!)
  static let turn = Turn(
    number: 12, previous: .zero,
    moves: [try! Move(notation: "-212"), try! Move(notation: "222L 221R 121T")])
  static let zeros = String(repeating: "0", count: 64)

  static let events = otherEvents + keyEvents

  private static let otherEvents: [(Event.Action, String)] = [
    (
      .playerRegistered(name: PlayerName("Anna")!, code: nil),
      #""playerRegistered"\#(from),"name":"Anna"}"#
    ),
    (
      .playerRegistered(name: PlayerName("Anna")!, code: ShareCode("abcd12")),
      #""playerRegistered"\#(from),"name":"Anna","code":"ABCD12"}"#
    ),
    (
      .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 60)),
      #""matchRequested"\#(from),"opponent":"random","turnLimit":60,"language":"en"}"#
    ),
    (
      .matchRequested(MatchRequest(opponent: .player(PlayerID(rawValue: 1)), turnLimitSeconds: -1)),
      #"""
      "matchRequested"\#(from),"opponent":"player","with":"00000000-0000-0000-0000-000000000\#
      001","turnLimit":-1,"language":"en"}
      """#
    ),
    (
      .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 60)),
      #""matchRequested"\#(from),"opponent":"open","turnLimit":60,"language":"en"}"#
    ),
    (
      .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 60, isCasual: true)),
      #""matchRequested"\#(from),"opponent":"open","turnLimit":60,"language":"en","casual":true}"#
    ),
    (
      .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)),
      #""matchRequested"\#(from),"opponent":"nobody","language":"en"}"#
    ),
    (
      .matchRequested(MatchRequest(alone: .timed)),
      #""matchRequested"\#(from),"opponent":"clock","language":"en"}"#
    ),
    (
      .dailyStarted(daily),
      #""dailyStarted"\#(from),"daily":{"day":"2026-05-01","mode":"unlimited","language":"en"}}"#
    ),
    (.invitationAccepted(match, code: nil), #""invitationAccepted"\#(from)\#(inMatch)}"#),
    (
      .invitationAccepted(match, code: ShareCode("CODE")),
      #""invitationAccepted"\#(from)\#(inMatch),"code":"CODE"}"#
    ),
    (.invitationDeclined(match), #""invitationDeclined"\#(from)\#(inMatch)}"#),
    (.gameShared(match), #""gameShared"\#(from)\#(inMatch)}"#),
    (.requestWithdrawn(match), #""requestWithdrawn"\#(from)\#(inMatch)}"#),
    (
      .turnPlayed(match, turn),
      #"""
      "turnPlayed"\#(from)\#(inMatch),"turn":12,"previous":"\#(zeros)","moves":["-212","222L\#
       221R 121T"]}
      """#
    ),
    (
      .reacted(match, turn: 12, word: "CUBE"),
      #""reacted"\#(from)\#(inMatch),"turn":12,"word":"CUBE"}"#
    ),
    (.nudged(match, turn: 12), #""nudged"\#(from)\#(inMatch),"turn":12}"#),
    (.notificationTested(Event.NotificationTested()), #""notificationTested"\#(from)}"#),
    (.matchForfeited(match), #""matchForfeited"\#(from)\#(inMatch)}"#),
    (.rematchRequested(match), #""rematchRequested"\#(from)\#(inMatch)}"#),
    (.rematchDeclined(match), #""rematchDeclined"\#(from)\#(inMatch)}"#),
    (
      .settingsChanged(
        SettingsChange(
          displayName: .set(DisplayName("Ada \"L.\"")!),
          kinds: [.matchEnded: true, .yourTurn: false])),
      #"""
      "settingsChanged"\#(from),"displayName":"Ada \"L.\"","kinds":{"yourTurn":false,"matchEnd\#
      ed":true}}
      """#
    ),
    (
      .settingsChanged(SettingsChange(displayName: .removed)),
      #""settingsChanged"\#(from),"displayName":""}"#
    ),
    (
      .deviceRegistered(
        Device(name: DeviceName("phone")!, token: "abc:1", permission: .provisional)),
      #"""
      "deviceRegistered"\#(from),"device":"phone","token":"abc:1","permission":"provisional"}
      """#
    ),
    (
      .deviceRegistered(Device(name: DeviceName("pad")!, token: nil, permission: .denied)),
      #""deviceRegistered"\#(from),"device":"pad","permission":"denied"}"#
    ),
    (
      .deviceRegistered(
        Device(
          name: DeviceName("browser")!,
          route: .webPush(
            WebPushSubscription(
              endpoint: "https://push.example/a?b", key: [4] + Array(repeating: 0xff, count: 64),
              secret: Array(repeating: 0xfb, count: 16))!), permission: .authorized)),
      #"""
      "deviceRegistered"\#(from),"device":"browser","route":"webPush","endpoint":\#
      "https://push.example/a?b","key":"BP\#(String(repeating: "_", count: 84))8","secret":\#
      "-_v7-_v7-_v7-_v7-_v7-w","permission":"authorized"}
      """#
    ),
    (
      .deviceRegistered(
        Device(
          name: DeviceName("iphone")!, route: .apns(token: String(repeating: "0a", count: 32)),
          permission: .authorized)),
      #"""
      "deviceRegistered"\#(from),"device":"iphone","route":"apns","token":\#
      "\#(String(repeating: "0a", count: 32))","permission":"authorized"}
      """#
    ),
    (
      .settingsChanged(
        SettingsChange(
          push: PushChange(
            timeZone: TimeZoneName("Europe/Berlin").map { .set($0) }, language: .german,
            quietHours: QuietHours(
              from: MinuteOfDay("22:00")!, until: MinuteOfDay("07:30")!, late: .dropped
            ).map { .set($0) }, isBundled: false, takesNudges: true,
            digest: MinuteOfDay("08:00").map { .set($0) }, review: .set(.sunday)))),
      #"""
      "settingsChanged"\#(from),"timeZone":"Europe/Berlin","language":"de","quietHours":\#
      {"from":"22:00","until":"07:30","late":"dropped"},"bundle":false,"nudges":true,\#
      "digest":"08:00","review":"sunday"}
      """#
    ),
    (
      .settingsChanged(
        SettingsChange(
          push: PushChange(
            timeZone: .removed, quietHours: .removed, digest: .removed, review: .removed))),
      #"""
      "settingsChanged"\#(from),"timeZone":"","quietHours":false,"digest":"","review":""}
      """#
    ),
    (.inboxSeen(.all), #""inboxSeen"\#(from)}"#),
    (
      .inboxSeen(.one(PushJobID(rawValue: 0xb))),
      #""inboxSeen"\#(from),"job":"00000000-0000-0000-0000-00000000000b"}"#
    ),
    (
      .settingsChanged(SettingsChange(reminders: false)),
      #""settingsChanged"\#(from),"reminders":false}"#
    ),
    (
      .settingsChanged(SettingsChange(isBot: true)),
      #""settingsChanged"\#(from),"bot":true}"#
    ),
    (
      .settingsChanged(SettingsChange(isLeaving: true)),
      #""settingsChanged"\#(from),"leave":true}"#
    ),
    (
      .deviceRemoved(DeviceName("phone")!), #""deviceRemoved"\#(from),"device":"phone"}"#
    ),
    (
      .playerBlocked(PlayerID(rawValue: 1)),
      #""playerBlocked"\#(from),"other":"00000000-0000-0000-0000-000000000001"}"#
    ),
    (
      .playerUnblocked(PlayerID(rawValue: 1)),
      #""playerUnblocked"\#(from),"other":"00000000-0000-0000-0000-000000000001"}"#
    ),
    (
      .reported(match, .name, text: Report.Text("an \"insult\"")),
      #""reported"\#(from)\#(inMatch),"reason":"name","text":"an \"insult\""}"#
    ),
    (.reported(match, .other), #""reported"\#(from)\#(inMatch),"reason":"other"}"#),
    (
      .mergeProposed(
        Merger(
          kept: match, merged: MatchID(rawValue: 1),
          reason: MeetingReason(ratingDistance: 7, window: nil, waitedSeconds: 61))),
      #"""
      "mergeProposed"\#(from)\#(inMatch),"merged":"00000000-0000-0000-0000-000000000001","why":{\#
      "ratingDistance":7,"waited":61}}
      """#
    ),
    (
      .ticked(queue: 7, time: Instant(microseconds: 5)),
      #""ticked"\#(from),"queue":7,"time":5}"#
    ),
    (
      .ticked(queue: 7, time: Instant(microseconds: 5), since: Instant(microseconds: 3)),
      #""ticked"\#(from),"queue":7,"time":5,"since":3}"#
    ),
    (
      .deadlinePassed(match, turn: 3, deadline: Instant(microseconds: 9)),
      #""deadlinePassed"\#(from)\#(inMatch),"turn":3,"deadlineAt":9}"#
    ),
    (
      .deadlinePassed(match, turn: 3, deadline: Instant(microseconds: 9), gone: player),
      #"""
      "deadlinePassed"\#(from)\#(inMatch),"turn":3,"deadlineAt":9,\#
      "gone":"00000000-0000-0000-0000-00000000000c"}
      """#
    ),
    (
      .ruled(match, Ruling(.annulled, for: .cheating)),
      #""ruled"\#(from)\#(inMatch),"verdict":"annulled","reason":"cheating"}"#
    ),
  ]

  @Test("Every type of event has an example here, and the name of its case")
  func everyType() {
    #expect(Set(PayloadTests.events.map { EventType($0.0) }) == Set(EventType.allCases))
    for (action, _) in PayloadTests.events {
      #expect(action.typeName == EventType(action).rawValue)
    }
  }

  @Test("Every event has one form and is read from it", arguments: events.indices)
  func everyEvent(index: Int) throws {
    let (action, tail) = PayloadTests.events[index]
    let event = PayloadTests.event(action)
    let payload = PayloadCodec.encode(event)
    expectNoDifference(text(payload), PayloadTests.head + tail)
    expectNoDifference(try PayloadCodec.decodeEvent(payload), event)
    #expect(try PayloadCodec.decodeContent(payload) == .event(event))
    #expect(PayloadCodec.eventID(of: payload) == PayloadTests.id)
  }

  static let deal = Deal(
    terms: Terms(kind: .daily(daily), turnLimitSeconds: nil, language: .english), rules: "cube-1",
    lexicon: "every-word", letters: String(repeating: "A", count: 81), seats: [player, nil],
    predecessor: MatchID(rawValue: 2))

  static let statements: [(Statement, String)] = [
    (
      .matchDealt(deal),
      #"""
      "matchDealt"\#(inMatch),"kind":"daily","daily":{"day":"2026-05-01","mode":"unlimited",\#
      "language":"en"},"language":"en","rules":"cube-1","lexicon":"every-word","letters":"\#
      \#(deal.letters)","seats":["00000000-0000-0000-0000-00000000000c",null],"predecessor":\#
      "00000000-0000-0000-0000-000000000002"}
      """#
    ),
    (
      .seatFilled(seat: 1, player: player),
      #""seatFilled"\#(inMatch),"seat":1,"player":"00000000-0000-0000-0000-00000000000c"}"#
    ),
    (
      .seatFilled(
        seat: 1, player: player,
        why: MeetingReason(
          ratingDistance: 12, window: 150, waitedSeconds: 5, hadMetLately: true,
          merged: MatchID(rawValue: 1))),
      #"""
      "seatFilled"\#(inMatch),"seat":1,"player":"00000000-0000-0000-0000-00000000000c","why":{\#
      "ratingDistance":12,"window":150,"waited":5,"metLately":true,\#
      "merged":"00000000-0000-0000-0000-000000000001"}}
      """#
    ),
    (
      .matchEnded(
        Outcome(
          reason: .mergedInto, seat: nil, results: [.none, .none],
          mergedInto: MatchID(rawValue: 1)), points: [0, 0], head: .zero),
      #"""
      "matchEnded"\#(inMatch),"outcome":{"reason":"mergedInto","results":["none","none"],\#
      "mergedInto":"00000000-0000-0000-0000-000000000001"},"points":[0,0],"head":"\#(zeros)"}
      """#
    ),
    (
      .deadlinePassed(
        turn: 3, deadline: Instant(microseconds: 9), queueTime: Instant(microseconds: 12),
        creditMicroseconds: 2),
      #""deadlinePassed"\#(inMatch),"turn":3,"deadlineAt":9,"queueTime":12,"credit":2}"#
    ),
    (
      .ruled(Ruling(.ended, for: .agreement)),
      #""ruled"\#(inMatch),"verdict":"ended","reason":"agreement"}"#
    ),
    (
      .playerGone(player),
      #""playerGone"\#(inMatch),"player":"00000000-0000-0000-0000-00000000000c"}"#
    ),
    (
      .matchEnded(
        Outcome(reason: .timedOut, seat: 0, results: [.lost, .won]), points: [3, 4], head: .zero),
      #"""
      "matchEnded"\#(inMatch),"outcome":{"reason":"timedOut","seat":0,"results":["lost","won\#
      "]},"points":[3,4],"head":"\#(zeros)"}
      """#
    ),
  ]

  @Test("Every statement has one form and is read from it", arguments: statements.indices)
  func everyStatement(index: Int) throws {
    let (statement, tail) = PayloadTests.statements[index]
    let payload = PayloadCodec.encode(
      statement, match: PayloadTests.match, service: PayloadTests.service)
    expectNoDifference(text(payload), PayloadTests.about + tail)
    let decoded = PayloadCodec.DecodedStatement(
      service: PayloadTests.service, match: PayloadTests.match, statement: statement)
    expectNoDifference(try PayloadCodec.decodeStatement(payload), decoded)
    #expect(try PayloadCodec.decodeContent(payload) == .statement(decoded))
  }

  // Failure: WireFault.malformed: The payload is malformed.
  // Failure: Refusal.malformed
  @Test(
    "A fault in a payload is named",
    arguments: [
      (#""turn":12"#, #""turn":0"#, "turn is 0, outside 1 to 1000000"),
      (#""turn":12"#, #""turn":12.0"#, "turn: an integer is due"),
      (#""turn":12"#, #""turn":"12""#, "turn: an integer is due"),
      (#","turn":12"#, "", "turn is missing"),
      (#","turn":12"#, #","turn":null"#, "turn is missing"),
      (#"["-212","#, #"[7,"#, "moves: a string is due"),
      (#"["-212","222L 221R 121T"]"#, #""-212""#, "moves: an array is due"),
      (
        #""-212""#, #""-313""#,
        """
        moves, number 1: "-313" is not a removal: write a minus sign and three digits 0, 1\
         or 2, such as -212.
        """
      ),
      ("turnPlayed", "turnUndone", "type \"turnUndone\" is not known"),
      ("0000000b", "0000000B", "match is not an id in lower case"),
      (#""previous":"0"#, #""previous":"A"#, "previous is not 64 hexadecimal digits in lower case"),
      (#""previous":"0"#, #""previous":"00"#, "previous is longer than 64 bytes"),
      (#""turn":12"#, #""turn":12,"turn":13"#, "byte 231: the key \"turn\" is there twice"),
    ])
  func malformed(part: String, replacement: String, reason: String) throws {
    let good = text(
      PayloadCodec.encode(PayloadTests.event(.turnPlayed(PayloadTests.match, PayloadTests.turn))))
    let range = try #require(good.firstRange(of: part))
    var bad = good
    bad.replaceSubrange(range, with: replacement)
    #expect(throws: Refusal.malformed(reason)) { try PayloadCodec.decodeEvent(bytes(bad)) }
  }

  // Failure: Refusal.unsupportedVersion: ° The service does not know this version.
  // Failure: WireFault.unsupportedVersion: The payload has another version.
  @Test("Another version is refused as such, with anything else in it")
  func version() {
    #expect(throws: Refusal.unsupportedVersion(2)) {
      try PayloadCodec.decodeEvent(bytes(#"{"v":2}"#))
    }
    #expect(throws: Refusal.unsupportedVersion(2)) {
      try PayloadCodec.decodeContent(bytes(#"{"v":2}"#))
    }
    #expect(throws: Refusal.malformed("v is missing")) { try PayloadCodec.decodeEvent(bytes("{}")) }
    #expect(throws: Refusal.malformed("an object is due")) {
      try PayloadCodec.decodeEvent(bytes("[]"))
    }
  }

  @Test("Unknown fields are ignored, with any value")
  func unknownFields() throws {
    let event = PayloadTests.event(.matchForfeited(PayloadTests.match))
    let payload = text(PayloadCodec.encode(event)).dropLast() + #","later":{"x":[1.5,null]}}"#
    #expect(try PayloadCodec.decodeEvent(bytes(String(payload))) == event)
  }

  @Test(
    "A turn has up to 4 KB, 81 moves and 256 bytes to spare, events in records none, others 1 KB")
  func limits() throws {
    let face = try Move(notation: "222L 221R 121T")
    func turn(_ count: Int) -> Event {
      let moves = Array(repeating: face, count: count)
      return PayloadTests.event(
        .turnPlayed(PayloadTests.match, Turn(number: 1, previous: .zero, moves: moves)))
    }
    #expect(try PayloadCodec.decodeEvent(PayloadCodec.encode(turn(81))) == turn(81))
    #expect(throws: Refusal.malformed("moves has 82 values where at most 81 may be")) {
      try PayloadCodec.decodeEvent(PayloadCodec.encode(turn(82)))
    }
    func padded(_ action: Event.Action, to count: Int) -> [UInt8] {
      let payload = PayloadCodec.encode(PayloadTests.event(action))
      return payload + Array(repeating: 0x20, count: count - payload.count)
    }
    let match = PayloadTests.match
    let played = Event.Action.turnPlayed(match, PayloadTests.turn)
    let spare = PayloadCodec.encode(PayloadTests.event(played)).count + 256
    let reacted = Event.Action.reacted(match, turn: 1, word: "CAT")
    let exact = ([reacted] + PayloadTests.originEvents).map { action in
      (action, PayloadCodec.encode(PayloadTests.event(action)).count)
    }
    for (action, limit) in exact + [(played, spare), (.matchForfeited(match), 1_024)] {
      #expect(throws: Never.self) { try PayloadCodec.decodeEvent(padded(action, to: limit)) }
      #expect(
        throws: Refusal.malformed(
          "the payload has \(limit + 1) bytes where at most \(limit) may be")
      ) { try PayloadCodec.decodeEvent(padded(action, to: limit + 1)) }
    }
    // A longer entry of a record, accepted by an older build, can still be read.
    #expect(throws: Never.self) { try PayloadCodec.decodeContent(padded(played, to: 4_096)) }
    let long = Move.word(Array(Face.all.prefix(40)))
    let large = PayloadTests.event(
      .turnPlayed(match, Turn(number: 1, previous: .zero, moves: Array(repeating: long, count: 81)))
    )
    #expect(throws: Refusal.self) { try Table.signer(3).sign(large) }
  }

  @Test("A negative credit is refused: a deadline can only be put off")
  func negativeCredit() throws {
    let statement = try #require(
      PayloadTests.statements.map(\.0).first {
        if case .deadlinePassed = $0 { true } else { false }
      })
    let payload = text(
      PayloadCodec.encode(
        statement, match: PayloadTests.match, service: PayloadTests.service)
    ).replacing(#""credit":2"#, with: #""credit":-2"#)
    #expect(throws: Refusal.malformed("credit is -2, outside 0 to 9007199254740992")) {
      try PayloadCodec.decodeStatement(bytes(payload))
    }
  }

  @Test(
    "Mutated payloads and envelopes give a value or a refusal", arguments: [UInt64(11), 12, 13])
  func mutations(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let payloads =
      PayloadTests.events.map { PayloadCodec.encode(PayloadTests.event($0.0)) }
      + PayloadTests.statements.map {
        PayloadCodec.encode($0.0, match: PayloadTests.match, service: PayloadTests.service)
      }
    var refused = 0
    for _ in 0..<3_000 {
      let payload = payloads.randomElement(using: &random)!.mutated(using: &random)
      do {
        let content = try PayloadCodec.decodeContent(payload)
        // A payload that was read is written in one form, which reads as the same again.
        if case .event(let event) = content {
          #expect(try PayloadCodec.decodeEvent(PayloadCodec.encode(event)) == event, "seed \(seed)")
        }
      } catch {
        refused += 1
      }
      _ = try? Envelope.decode(payload)
    }
    #expect(refused > 1_000, "seed \(seed)")
  }
}

extension [UInt8] {
  /// One to four bytes changed, dropped, doubled or swapped.
  func mutated(using random: inout SplitMix64) -> [UInt8] {
    var bytes = self
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(bytes[index], at: index)
      case 3: bytes.removeLast(Swift.min(bytes.count - index, 8))
      default: bytes.swapAt(index, Int.random(in: bytes.indices, using: &random))
      }
    }
    return bytes
  }
}
