import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite(
  "Strangers' signed events get nowhere, through broker and database", .serialized, .sharedService()
)
struct EventAttackTests {
  @Test("Forged, re-signed and misdirected events get their refusals and leave no row")
  func events() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let eve = try lab.player("Eve")
      let stranger = try LabPlayer("Stranger", in: lab)
      let match = try lab.begin(ann, bob)
      let turn = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      let payload = try Envelope.decode(turn.envelope).payload
      func attack(_ what: String, _ refusal: String, _ body: [UInt8], _ slot: Slot? = nil) -> Attack
      {
        Attack(what: what, refusal: refusal, body: body, slot: slot ?? turn.slot)
      }
      func signed(by player: LabPlayer, as tag: SignatureTag = .event) -> [UInt8] {
        Envelope.encode(player.key.signer.signed(payload, as: tag))
      }
      var changedPayload = turn.envelope
      // A 2 becomes a 1: another move, and still a payload that can be read.
      let move = try #require(changedPayload.lastIndex(of: UInt8(ascii: "-")))
      changedPayload[move + 1] ^= 3
      var changedSignature = turn.envelope
      changedSignature[50] ^= 1
      var otherKey = turn.envelope
      otherKey.replaceSubrange(1..<33, with: eve.key.signer.publicKey.bytes)
      let elsewhere = try ann.sign(turn.event.action, service: ServiceID(rawValue: 7))
      let other = try #require(Slot(number: (turn.slot.number + 1) % Slot.count))
      let ticked = lab.serviceEvent(
        .ticked(queue: turn.slot.number % 4, time: .init(microseconds: 1)), slot: turn.slot)
      let tick = try Envelope.decode(ticked.body).payload
      let deadline = lab.serviceEvent(
        .deadlinePassed(match, turn: 1, deadline: .init(microseconds: 1)), slot: turn.slot)
      let deadlinePayload = try Envelope.decode(deadline.body).payload
      try lab.expectRefused([
        attack("a payload changed under its signature", "badSignature", changedPayload),
        attack("a changed signature", "badSignature", changedSignature),
        attack("another key in front", "badSignature", otherKey),
        attack("a payload signed again by another player", "notPermitted", signed(by: eve)),
        attack("a payload signed again by the opponent", "notPermitted", signed(by: bob)),
        attack("a payload signed again by a stranger", "notRegistered", signed(by: stranger)),
        attack("an event signed as a query", "badSignature", signed(by: ann, as: .query)),
        attack("an event signed as a statement", "badSignature", signed(by: ann, as: .service)),
        attack("another service's event", "wrongService", elsewhere.envelope),
        attack("an event in another slot", "wrongSlot", turn.envelope, other),
        attack(
          "a tick in a player's name", "notPermitted",
          Envelope.encode(eve.key.signer.signed(Self.renamed(tick, lab, eve), as: .service))),
        attack(
          "a tick signed by a player", "badSignature",
          Envelope.encode(
            SignedPayload(
              key: lab.identity.signer.publicKey,
              signature: eve.key.signer.sign(tick, as: .service), payload: tick))),
        attack(
          "a deadline signed by a player's key", "badSignature",
          Envelope.encode(eve.key.signer.signed(deadlinePayload, as: .service))),
      ])
      // The attacked match goes on.
      #expect(try ann.send(turn).receipt?.turn == 1)
    }
  }

  /// A payload of the service with a player's id in the place of the service's.
  private static func renamed(_ payload: [UInt8], _ lab: ServiceLab, _ player: LabPlayer) -> [UInt8]
  {
    Array(
      String(decoding: payload, as: UTF8.self).replacing(
        "\"player\":\"\(lab.identity.player)\"", with: "\"player\":\"\(player.id)\""
      ).utf8)
  }

  @Test("An event sent again changes nothing, and its id is good for one payload only")
  func replayed() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let turn = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      let reply = try ann.bytes(turn)
      let before = try lab.rowCounts()
      // Any publisher may send it: the bytes count, not the connection.
      for sender in [ann, bob, ann] { #expect(try sender.bytes(turn) == reply) }
      let other = try ann.sign(.matchForfeited(match), id: turn.event.id)
      #expect(try ann.send(other).refusal == .idempotencyMismatch)
      #expect(try lab.rowCounts() == before)
      #expect(try lab.match(match).turnNumber == 2)
    }
  }

  @Test("A turn of one match is no turn of another, nor of anybody else")
  func crossed() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let eve = try lab.player("Eve")
      let (first, second) = (try lab.begin(ann, bob), try lab.begin(ann, eve))
      let turn = try lab.turn(lab.match(first))
      let before = try (lab.match(first), lab.match(second))
      let crossed = try ann.act(.turnPlayed(second, turn))
      #expect(crossed.refusal == .wrongPrevious(expected: before.1.previousTurnHash))
      // A player who has no seat in a match is not even told that it exists.
      #expect(try eve.act(.turnPlayed(first, turn)).refusal == .unknownMatch)
      #expect(try bob.act(.turnPlayed(first, turn)).refusal == .notYourTurn(whose: ann.id))
      #expect(try eve.act(.matchForfeited(first)).refusal == .unknownMatch)
      #expect(try eve.act(.rematchRequested(first)).refusal == .unknownMatch)
      let nowhere = MatchID(rawValue: 1)
      #expect(try eve.act(.matchForfeited(nowhere)).refusal == .unknownMatch)
      #expect(try (lab.match(first), lab.match(second)) == before)
    }
  }

  @Test("Nobody registers under another's id, and no key twice")
  func foreignID() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let eve = try LabPlayer(lab.freeName("Eve"), in: lab)
      let registration = Event(
        service: lab.identity.service,
        id: EventID(at: WallClock.live.now(), random: 1), player: ann.id,
        action: .playerRegistered(name: eve.name, code: nil))
      let body = Envelope.encode(try eve.key.signer.sign(registration))
      try lab.expectRefused([
        Attack(
          what: "another's id with one's own key", refusal: "notPermitted", body: body,
          slot: Slot(of: ann.id))
      ])
      try eve.must(.playerRegistered(name: eve.name, code: nil))
      let again = try eve.act(.playerRegistered(name: try #require(PlayerName("Eva")), code: nil))
      #expect(again.refusal == .alreadyRegistered(name: eve.name.text))
    }
  }

  @Test("Keys and signatures of small order or in a second form are nobody's")
  func weakKeys() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let sent = try ann.sign(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)))
      let signed = try Envelope.decode(sent.envelope)
      let asked = Query(
        service: lab.identity.service,
        id: EventID(at: WallClock.live.now(), random: 1), player: ann.id, kind: .whoAmI)
      let query = ann.key.signer.sign(asked)
      let intruder = try Intruder(in: lab)
      var attacks: [Attack] = []
      for (what, forge) in WeakSignatures.all {
        let body = Envelope.encode(forge(signed))
        attacks.append(Attack(what: what, refusal: "badSignature", body: body, slot: sent.slot))
        guard case .refused(let name, _, _) = try intruder.query(Envelope.encode(forge(query)))
        else {
          Issue.record("\(what) was answered")
          continue
        }
        #expect(name == "notPermitted", "\(what)")
      }
      try lab.expectRefused(attacks)
      // The query and the event that the attacks were made of are valid.
      guard case .ok(let view) = try intruder.query(Envelope.encode(query)) else {
        Issue.record("the query itself was refused")
        return
      }
      #expect(view.id == ann.id)
      #expect(try ann.send(sent).ticket != nil)
    }
  }
}

/// Ways to make a signature that some libraries accept.
enum WeakSignatures {
  static let all: [(what: String, forge: @Sendable (SignedPayload) -> SignedPayload)] = [
    ("the neutral element as key, zero signature", { key(.one, signature: .one + .zero, $0) }),
    ("the neutral element in a second form", { key(.oneSecond, signature: .one + .zero, $0) }),
    ("a key of order two", { key(.minusOne, signature: .one + .zero, $0) }),
    ("a key of order four", { key(.zero, signature: .one + .zero, $0) }),
    ("a key of order eight", { key(.orderEight, signature: .one + .zero, $0) }),
    ("a key with y beyond the field", { key(.beyond, signature: $0.signature, $0) }),
    ("R of small order", { with($0) { $0.replaceSubrange(..<32, with: [UInt8].one) } }),
    ("R beyond the field", { with($0) { $0.replaceSubrange(..<32, with: [UInt8].beyond) } }),
    ("S with the order of the group added", { with($0) { addOrder(&$0) } }),
    ("S beyond 2^253", { with($0) { $0[63] |= 0xe0 } }),
    ("a signature of zeros", { with($0) { $0 = .zero + .zero } }),
  ]

  private static func key(
    _ bytes: [UInt8], signature: [UInt8], _ signed: SignedPayload
  ) -> SignedPayload {
    SignedPayload(
      key: PublicKey(bytes: bytes) ?? signed.key, signature: signature, payload: signed.payload)
  }

  private static func with(
    _ signed: SignedPayload, _ change: (inout [UInt8]) -> Void
  ) -> SignedPayload {
    var changed = signed
    change(&changed.signature)
    return changed
  }

  /// L = 2^252 + 27742317777372353535851937790883648493 (RFC 8032, 5.1), lowest byte first.
  private static func addOrder(_ signature: inout [UInt8]) {
    let order: [UInt8] = [
      0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
      0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]
    var carry = 0
    for index in 0..<32 {
      carry += Int(signature[32 + index]) + Int(order[index])
      signature[32 + index] = UInt8(carry & 0xff)
      carry >>= 8
    }
  }
}

/// Encoded points of the curve.
extension [UInt8] {
  fileprivate static let zero = [UInt8](repeating: 0, count: 32)
  fileprivate static let one: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
  fileprivate static let oneSecond: [UInt8] = [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
  fileprivate static let minusOne: [UInt8] = [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
  fileprivate static let beyond: [UInt8] = [0xf0] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
  fileprivate static let orderEight: [UInt8] = [
    0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
    0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
    0xfc, 0x05,
  ]
}
