// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import CubeRules
import CubistBasics
import CustomDump
import MatchCore
import Testing

@testable import MatchWire

@Suite("Replies")
struct ReplyTests {
  static let match = MatchID(rawValue: 0xb)
  static let outcome = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
  static let time = Instant(microseconds: 1_777_600_000_000_000)
  static let day = Day("2026-05-01")!
  static let b = #""00000000-0000-0000-0000-00000000000b""#
  static let zeros = #""\#(String(repeating: "0", count: 64))""#

  /// Every refusal with its name and the JSON of its values.
  static let refusals: [(Refusal, String, String)] = [
    (.malformed("why"), "malformed", #"{"text":"why"}"#),
    (.unsupportedVersion(2), "unsupportedVersion", #"{"version":2}"#),
    (.badSignature, "badSignature", "{}"),
    (.wrongService(ServiceID(rawValue: 0xb)), "wrongService", #"{"service":\#(b)}"#),
    (.wrongSlot(expected: 7), "wrongSlot", #"{"expected":7}"#),
    (.eventTooOld(serviceTime: time), "eventTooOld", #"{"serviceTime":1777600000000000}"#),
    (.clockAhead(serviceTime: time), "clockAhead", #"{"serviceTime":1777600000000000}"#),
    (.idempotencyMismatch, "idempotencyMismatch", "{}"),
    (.notRegistered, "notRegistered", "{}"),
    (.keyRevoked, "keyRevoked", "{}"),
    (.notPermitted, "notPermitted", "{}"),
    (.unavailable, "unavailable", "{}"),
    (.alreadyRegistered(name: "Anna"), "alreadyRegistered", #"{"name":"Anna"}"#),
    (.nameTaken("Anna"), "nameTaken", #"{"name":"Anna"}"#),
    (.codeRequired, "codeRequired", "{}"),
    (.codeInvalid, "codeInvalid", "{}"),
    (.deviceCodeInvalid, "deviceCodeInvalid", "{}"),
    (.keyUnknown, "keyUnknown", "{}"),
    (.lastKey, "lastKey", "{}"),
    (.notRecoverable, "notRecoverable", "{}"),
    (
      .recoveryPending(until: Instant(microseconds: 7)), "recoveryPending", #"{"until":7}"#
    ),
    (.noRecovery, "noRecovery", "{}"),
    (.alreadyObjected, "alreadyObjected", "{}"),
    (
      .rateLimited(.recoveryKeys, retryAfterSeconds: 7), "rateLimited",
      #"{"key":"recoveryKeys","retryAfter":7}"#
    ),
    (
      .rateLimited(.recoveries, retryAfterSeconds: 7), "rateLimited",
      #"{"key":"recoveries","retryAfter":7}"#
    ),
    (.rateLimited(.keys, retryAfterSeconds: nil), "rateLimited", #"{"key":"keys"}"#),
    (
      .rateLimited(.keysPerDay, retryAfterSeconds: 7), "rateLimited",
      #"{"key":"keysPerDay","retryAfter":7}"#
    ),
    (.rateLimited(.keysInAll, retryAfterSeconds: nil), "rateLimited", #"{"key":"keysInAll"}"#),
    (
      .rateLimited(.deviceInvitations, retryAfterSeconds: 7), "rateLimited",
      #"{"key":"deviceInvitations","retryAfter":7}"#
    ),
    (.turnLimitInvalid(5), "turnLimitInvalid", #"{"turnLimit":5}"#),
    (.turnLimitInvalid(nil), "turnLimitInvalid", "{}"),
    (.unknownPlayer(PlayerID(rawValue: 0xb)), "unknownPlayer", #"{"player":\#(b)}"#),
    (.opponentIsYourself, "opponentIsYourself", "{}"),
    (.invitationPending(match), "invitationPending", #"{"match":\#(b)}"#),
    (.notInvited, "notInvited", "{}"),
    (.codeUnknown, "codeUnknown", "{}"),
    (.leftByYou, "leftByYou", "{}"),
    (
      .rateLimited(.seatsLeft, retryAfterSeconds: 7), "rateLimited",
      #"{"key":"seatsLeft","retryAfter":7}"#
    ),
    (.alreadyJoined(match), "alreadyJoined", #"{"match":\#(b)}"#),
    (.seatTaken, "seatTaken", "{}"),
    (.nothingToWithdraw, "nothingToWithdraw", "{}"),
    (.playerUnavailable(PlayerID(rawValue: 0xb)), "playerUnavailable", #"{"player":\#(b)}"#),
    (.blockedByYou(PlayerID(rawValue: 0xb)), "blockedByYou", #"{"player":\#(b)}"#),
    (.playerIsYourself, "playerIsYourself", "{}"), (.noOpponent, "noOpponent", "{}"),
    (
      .rateLimited(.reportsPerDay, retryAfterSeconds: 7), "rateLimited",
      #"{"key":"reportsPerDay","retryAfter":7}"#
    ),
    (
      .rateLimited(.eventsPerMinute, retryAfterSeconds: 3), "rateLimited",
      #"{"key":"eventsPerMinute","retryAfter":3}"#
    ),
    (
      .rateLimited(.testsPerMinute, retryAfterSeconds: 12), "rateLimited",
      #"{"key":"testsPerMinute","retryAfter":12}"#
    ),
    (
      .rateLimited(.registrationsPerHour, retryAfterSeconds: 9), "rateLimited",
      #"{"key":"registrationsPerHour","retryAfter":9}"#
    ),
    (
      .rateLimited(.blocks, retryAfterSeconds: nil), "rateLimited",
      #"{"key":"blocks"}"#
    ),
    (
      .rateLimited(.openRequests, retryAfterSeconds: nil), "rateLimited",
      #"{"key":"openRequests"}"#
    ),
    (
      .rateLimited(.runningMatches, retryAfterSeconds: nil), "rateLimited",
      #"{"key":"runningMatches"}"#
    ),
    (
      .rateLimited(.botMatches, retryAfterSeconds: nil), "rateLimited",
      #"{"key":"botMatches"}"#
    ),
    (.botForGood, "botForGood", "{}"), (.unknownMatch, "unknownMatch", "{}"),
    (
      .matchOver(outcome), "matchOver",
      #"{"outcome":{"reason":"cleared","results":["won","lost"]}}"#
    ),
    (.unknownTurn(current: 3), "unknownTurn", #"{"current":3}"#),
    (.turnAlreadyPlayed(turn: 3), "turnAlreadyPlayed", #"{"turn":3}"#),
    (
      .staleTurn(current: 4, previous: .zero), "staleTurn",
      #"{"current":4,"previous":\#(zeros)}"#
    ),
    (.notYourTurn(whose: PlayerID(rawValue: 0xb)), "notYourTurn", #"{"whose":\#(b)}"#),
    (.notYourTurn(whose: nil), "notYourTurn", "{}"),
    (.turnNotLast(last: 3), "turnNotLast", #"{"last":3}"#),
    (.turnIsYourOwn, "turnIsYourOwn", "{}"),
    (.alreadyReacted(turn: 3), "alreadyReacted", #"{"turn":3}"#),
    (.turnNotDue(due: 3), "turnNotDue", #"{"due":3}"#),
    (.youAreToMove, "youAreToMove", "{}"),
    (
      .nudgeTooEarly(from: Instant(microseconds: 7_000_000)), "nudgeTooEarly",
      #"{"from":7000000}"#
    ),
    (.alreadyNudged(turn: 3), "alreadyNudged", #"{"turn":3}"#),
    (.nudgesRefused(PlayerID(rawValue: 0xb)), "nudgesRefused", #"{"player":\#(b)}"#),
    (.wordNotPlayed("CAT"), "wordNotPlayed", #"{"word":"CAT"}"#),
    (.wrongPrevious(expected: .zero), "wrongPrevious", #"{"expected":\#(zeros)}"#),
    (
      .illegalTurn(TurnRefusal(moveIndex: 1, reason: .faceHidden(Face(notation: "222T")!))),
      "illegalTurn", #"{"moveIndex":1,"rule":"faceHidden","arguments":["222T"]}"#
    ),
    (.recordFull(limit: 1_024), "recordFull", #"{"limit":1024}"#),
    (.matchNotOver, "matchNotOver", "{}"),
    (.rematchNotPossible, "rematchNotPossible", "{}"),
    (.rematchDeclined(retryAt: time), "rematchDeclined", #"{"retryAt":1777600000000000}"#),
    (.noRematchOffer, "noRematchOffer", "{}"),
    (.dailyNotDealt(day), "dailyNotDealt", #"{"day":"2026-05-01"}"#),
    (.dailyNotOver(day), "dailyNotOver", #"{"day":"2026-05-01"}"#),
    (.dailyOver(day), "dailyOver", #"{"day":"2026-05-01"}"#),
    (.dailyAlreadyStarted(match), "dailyAlreadyStarted", #"{"match":\#(b)}"#),
  ]

  @Test("Every refusal has a stable name and values and comes back", arguments: refusals.indices)
  func everyRefusal(index: Int) throws {
    let (refusal, name, values) = ReplyTests.refusals[index]
    let bytes = ReplyCodec.encode(.refused(refusal), event: EventID(rawValue: 0xb))
    let message = try #require(
      String(validating: JSON.string(refusal.message).serialized, as: UTF8.self))
    expectNoDifference(
      text(bytes),
      #"""
      {"v":1,"event":\#(ReplyTests.b),"refused":{"name":"\#(name)","values":\#(values),"mess\#
      age":\#(message)}}
      """#
    )
    let (event, reply) = try ReplyCodec.decode(bytes)
    #expect(event == EventID(rawValue: 0xb))
    expectNoDifference(
      reply, .refused(name: name, message: refusal.message, refusal: refusal))
  }

  @Test("Every refusal has a sentence and a name of its own")
  func messages() {
    let refusals = ReplyTests.refusals.map(\.0)
    for refusal in refusals {
      #expect(refusal.message.hasSuffix("."), "\(refusal)")
      #expect(refusal.message.count(where: { $0 == "." }) >= 1 && refusal.message.count > 20)
    }
    #expect(Set(refusals.map(\.message)).count == refusals.count)
    #expect(Set(refusals.map(\.name)).count == 65)
  }

  @Test("Every reason of the rules comes back")
  func rules() throws {
    let (face, other) = (Face.all[0], Face.all[5])
    let reasons: [RuleRefusal] =
      [
        .emptyWord, .faceRepeated(face), .tooShort(2), .faceHidden(face), .notTouching(face, other),
        .notAWord("ABC"), .wordAlreadyPlayed("ABC"), .cubeGone(Cube.all[3]),
        .cubeHidden(Cube.all[3]), .gameOver,
      ] + TurnShape.allCases.map { .turnShape($0) }
    for reason in reasons {
      let refusal = Refusal.illegalTurn(TurnRefusal(moveIndex: 0, reason: reason))
      let (_, reply) = try ReplyCodec.decode(ReplyCodec.encode(.refused(refusal), event: nil))
      expectNoDifference(
        reply, .refused(name: "illegalTurn", message: refusal.message, refusal: refusal))
    }
  }

  @Test("A refusal that only a newer service knows keeps its name and message")
  func unknownRefusal() throws {
    for refused in [
      #"{"name":"tooLoud","values":{"db":90},"message":"Hush."}"#,
      #"{"name":"tooLoud","values":{},"message":"Hush."}"#,
    ] {
      let (event, reply) = try ReplyCodec.decode(
        bytes(#"{"v":1,"event":null,"refused":\#(refused)}"#))
      #expect(event == nil)
      #expect(reply == .refused(name: "tooLoud", message: "Hush.", refusal: nil))
    }
    let changed = bytes(
      #"{"v":1,"refused":{"name":"nameTaken","values":{"n":1},"message":"Taken."}}"#)
    #expect(
      try ReplyCodec.decode(changed).reply
        == .refused(name: "nameTaken", message: "Taken.", refusal: nil))
  }

  static let acceptances: [(Acceptance, String)] = {
    let ticket = MatchTicket(
      match: match, version: 1, seat: 0, letters: "ABC", previous: .zero, code: ShareCode("CODE"))
    let ticketJSON =
      #","match":\#(b),"version":1,"seat":0,"letters":"ABC","previous":\#(zeros),"code":"CODE"}"#
    let receipt = TurnReceipt(
      match: match, version: 3, turn: 2, scores: [0, 36], points: [36, 0], hash: .zero,
      seatToPlay: 1, outcome: outcome)
    let simple = #","match":\#(b),"version":2}"#
    return [
      (
        .registered(PlayerID(rawValue: 0xb), PlayerName("Anna")!),
        #"{"type":"registered","player":\#(b),"name":"Anna"}"#
      ),
      (.matchStarted(ticket), #"{"type":"matchStarted""# + ticketJSON),
      (.matchJoined(ticket), #"{"type":"matchJoined""# + ticketJSON),
      (.dailyStarted(ticket), #"{"type":"dailyStarted""# + ticketJSON),
      (.rematchStarted(ticket), #"{"type":"rematchStarted""# + ticketJSON),
      (.done(.invitationDeclined, match, version: 2), #"{"type":"invitationDeclined""# + simple),
      (.done(.reacted, match, version: 2), #"{"type":"reacted""# + simple),
      (.done(.withdrawn, match, version: 2), #"{"type":"withdrawn""# + simple),
      (.done(.rematchOffered, match, version: 2), #"{"type":"rematchOffered""# + simple),
      (.done(.rematchDeclined, match, version: 2), #"{"type":"rematchDeclined""# + simple),
      (.noted, #"{"type":"noted"}"#),
      (
        .deviceInvited(until: Instant(microseconds: 9)), #"{"type":"deviceInvited","until":9}"#
      ),
      (
        .keyAdded(PlayerID(rawValue: 0xb), PlayerName("Anna")!),
        #"{"type":"keyAdded","player":\#(b),"name":"Anna"}"#
      ),
      (
        .keyRemoved(PublicKey(bytes: Array(repeating: 0xb, count: 32))!),
        #"{"type":"keyRemoved","key":"\#(String(repeating: "0b", count: 32))"}"#
      ),
      (.recoverySet(at: Instant(microseconds: 9)), #"{"type":"recoverySet","at":9}"#),
      (.reported(match), #"{"type":"reported","match":\#(b)}"#),
      (
        .gameShared(match, code: ShareCode("ABCD1234")!),
        #"{"type":"gameShared","match":\#(b),"code":"ABCD1234"}"#
      ),
      (
        .turnAccepted(receipt),
        #"""
        {"type":"turnAccepted","match":\#(b),"version":3,"turn":2,"scores":[0,36],"points":[\#
        36,0],"hash":\#(zeros),"seatToPlay":1,"outcome":{"reason":"cleared","results":["won"\#
        ,"lost"]}}
        """#
      ),
      (
        .matchEnded(match, outcome, points: [1, 2], version: 4),
        #"""
        {"type":"matchEnded","match":\#(b),"version":4,"outcome":{"reason":"cleared","result\#
        s":["won","lost"]},"points":[1,2]}
        """#
      ),
    ]
  }()

  @Test("Every acceptance has one form and is read from it", arguments: acceptances.indices)
  func everyAcceptance(index: Int) throws {
    let (acceptance, json) = ReplyTests.acceptances[index]
    let bytes = ReplyCodec.encode(.accepted(acceptance), event: EventID(rawValue: 0xb))
    expectNoDifference(text(bytes), #"{"v":1,"event":\#(ReplyTests.b),"accepted":\#(json)}"#)
    expectNoDifference(try ReplyCodec.decode(bytes).reply, .accepted(acceptance))
  }

  // Failure: ReplyFault.malformed: The reply or answer is malformed.
  // Failure: ReplyFault.unsupportedVersion: A later service sent the reply.
  @Test("Bytes that are no reply give a fault", arguments: [UInt64(21), 22])
  func mutations(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let replies =
      ReplyTests.refusals.map { ReplyCodec.encode(.refused($0.0), event: nil) }
      + ReplyTests.acceptances.map { ReplyCodec.encode(.accepted($0.0), event: nil) }
    var faults = 0
    for _ in 0..<2_000 {
      let reply = replies.randomElement(using: &random)!.mutated(using: &random)
      if (try? ReplyCodec.decode(reply)) == nil { faults += 1 }
    }
    #expect(faults > 500, "seed \(seed)")
    #expect(throws: ReplyFault.unsupportedVersion(9)) { try ReplyCodec.decode(bytes(#"{"v":9}"#)) }
  }
}
