import CustomDump
import FoundationEssentials
import MatchCore
import MatchRecord
import Testing

@testable import MatchWire

/// The fixture is the other one of version 2, but for this: the third device came in by a recovery,
/// with a recovery key that the second one had named. The recovery took effect after entry 7.
@Suite("A recovered key of a player in a record")
struct RecoveryOriginTests {
  private let first = Table.signer(3)
  private let phone = Table.signer(5)
  private let pad = Table.signer(6)
  private let words = Table.signer(7)
  private let working = Table.signer(2)
  private let stranger = Table.signer(9)

  private func fixture() throws -> [UInt8] {
    let path = #filePath.replacing(
      "RecoveryOriginTests.swift", with: "Fixtures/record-2-recovered.json")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// The parts of an origin by a recovery, to be changed.
  private struct Parts {
    var named: SignedPayload
    var recovered: SignedPayload
    var statement: SignedPayload
  }

  /// The first mistake in a record whose recovery was changed.
  private func fault(
    _ change: (inout Parts, RecordDocument) throws -> Void = { _, _ in },
    document changeDocument: (inout RecordDocument) throws -> Void = { _ in }
  ) throws -> String? {
    var document = try RecordDocument(fixture())
    guard case .recovery(let recovery)? = document.seats[0].origins.last else {
      Issue.record("the fixture has no recovery")
      return nil
    }
    var parts = Parts(
      named: recovery.named, recovered: recovery.recovered, statement: recovery.statement)
    try change(&parts, document)
    let changed = try #require(
      KeyOrigin([parts.named, parts.recovered, parts.statement]), "the origin is none any more")
    document.seats[0].origins[1] = changed
    try changeDocument(&document)
    let found = RecordTests.verifier.report(on: document).game.fault
    #expect(found?.entry == nil)
    return found?.reason
  }

  /// An event of the fixture's first player.
  private func signed(
    _ action: Event.Action, by signer: Signer, in document: RecordDocument,
    id: EventID = EventID(at: .init(microseconds: 1), random: 1), of player: PlayerID? = nil
  ) throws -> SignedPayload {
    try signer.sign(
      Event(
        service: document.service, id: id, player: player ?? PlayerID(firstKey: first.publicKey),
        action: action))
  }

  /// The recovery of the fixture's first player to a key, with a new id. The proof is meant for the
  /// given player and recovery key.
  private func asked(
    for key: Signer, by signer: Signer, in document: RecordDocument, provedBy prover: Signer? = nil,
    proofOf player: PlayerID? = nil, proofBy recoveryKey: Signer? = nil, id: EventID? = nil
  ) throws -> SignedPayload {
    let own = PlayerID(firstKey: first.publicKey)
    let proof = (prover ?? key).sign(
      Event.PlayerRecovered.proved(
        key.publicKey, of: player ?? own, at: document.service,
        by: (recoveryKey ?? signer).publicKey),
      as: .newKey)
    return try signed(
      .playerRecovered(key.publicKey, proof: proof), by: signer, in: document,
      id: id ?? EventID(at: .init(microseconds: 1), random: 1))
  }

  /// The fixture's statement, changed and signed again.
  private func stated(
    _ parts: Parts, in document: RecordDocument, by signer: Signer? = nil,
    _ change: (inout RecoveryStatement) -> Void
  ) throws -> SignedPayload {
    var statement = try PayloadCodec.decodeRecovery(parts.statement.payload).statement
    change(&statement)
    return (signer ?? working).sign(statement, service: document.service)
  }

  private var start: String { "the key \(pad.publicKey) was not brought in: " }

  @Test("The fixture of a recovered player verifies for ever, and is written alike")
  func verifies() throws {
    let fixture = try fixture()
    let report = try RecordTests.verifier.report(on: fixture)
    expectNoDifference(report.game.fault, nil)
    let document = report.document
    #expect(document.formatVersion == 2 && document.isCertified)
    #expect(document.seats[0].origins.map(\.key) == [phone.publicKey, pad.publicKey])
    #expect(document.seats[0].origins.map(\.inviter) == [first.publicKey, phone.publicKey])
    #expect(text(document.encode()) == text(fixture))
    #expect(try fault() == nil)
  }

  @Test("Messages that do not bring the key in are found, and named")
  func messages() throws {
    let none = start + "its events are none of that kind"
    #expect(
      try fault { $0.named = try signed(.inboxSeen(.all), by: phone, in: $1) } == none)
    #expect(
      try fault {
        $0.named = try signed(
          .playerRegistered(name: #require(PlayerName("Anna")), code: nil), by: phone, in: $1)
      } == none)
    #expect(try fault { parts, _ in parts.statement = parts.recovered } == none)
    #expect(
      try fault {
        $0.named = try signed(.recoveryKeyNamed(stranger.publicKey), by: phone, in: $1)
      } == start + "another key than the recovery key asked for it")
    #expect(
      try fault { $0.recovered = try asked(for: pad, by: phone, in: $1) }
        == start + "another key than the recovery key asked for it")
    #expect(
      try fault {
        $0.named = try signed(
          .recoveryKeyNamed(words.publicKey), by: phone, in: $1, of: PlayerID(rawValue: 1))
      } == start + "its events are another player's")
    #expect(
      try fault { parts, document in
        parts.statement = try stated(parts, in: document) { $0.player = PlayerID(rawValue: 1) }
      } == start + "its events are another player's")
    #expect(
      try fault { parts, document in
        let statement = try PayloadCodec.decodeRecovery(parts.statement.payload).statement
        parts.statement = working.sign(statement, service: ServiceID(rawValue: 1))
      } == start + "its events are meant for another service")
  }

  @Test("The service states this recovery, and that 72 hours and the credit had passed")
  func statement() throws {
    let other = start + "the service states another recovery"
    #expect(
      try fault { parts, document in
        parts.statement = try stated(parts, in: document) { $0.key = stranger.publicKey }
      } == other)
    #expect(
      try fault { $0.recovered = try asked(for: pad, by: words, in: $1) } == other)
    let soon = start + "its recovery took effect too soon"
    #expect(
      try fault { parts, document in
        parts.statement = try stated(parts, in: document) { $0.creditMicroseconds += 1 }
      } == soon)
    #expect(
      try fault { parts, document in
        parts.statement = try stated(parts, in: document) {
          $0.queueTime = $0.queueTime.adding(microseconds: -1)
        }
      } == soon)
    #expect(
      try fault { parts, document in
        parts.statement = try stated(parts, in: document) {
          $0.begunAt = $0.begunAt.adding(seconds: -301)
        }
      } == start + "its recovery was begun before it was asked for")
  }

  @Test("The statement is by a working key that was certified when it was made")
  func certified() throws {
    let nobody = start + "none of the service's keys states it"
    #expect(
      try fault { parts, document in
        parts.statement = try stated(parts, in: document, by: stranger) { _ in }
      } == nobody)
    #expect(
      try fault { parts, document in
        let end = try #require(document.certificates.first).validUntil
        parts.statement = try stated(parts, in: document) { $0.statedAt = end }
      } == nobody)
  }

  @Test("The key that named the recovery key is the player's; its own origin is there")
  func naming() throws {
    #expect(
      try fault { parts, document in
        parts.named = try signed(.recoveryKeyNamed(words.publicKey), by: stranger, in: document)
      } document: {
        $0.seats[0].origins.removeFirst()
      } == "the key \(pad.publicKey) was brought in by none of its player's")
    #expect(
      try fault { _, _ in
      } document: {
        $0.seats[0].origins.removeFirst()
      } == "the key \(pad.publicKey) was brought in by none of its player's")
  }

  @Test("The signature of every message of a recovery is verified", arguments: 0..<3)
  func signatures(number: Int) throws {
    let found = try fault { parts, _ in
      switch number {
      case 0: parts.named.signature[40] ^= 1
      case 1: parts.recovered.signature[40] ^= 1
      default: parts.statement.signature[40] ^= 1
      }
    }
    #expect(
      found == "a signature that brought the key \(pad.publicKey) in is not its key's")
  }

  @Test("A key is brought in with its own proof alone, for its player and its recovery key")
  func proof() throws {
    func fault(
      _ change: (RecordDocument, EventID) throws -> SignedPayload
    ) throws -> String? {
      try self.fault { parts, document in
        guard case .event(let event) = try PayloadCodec.decodeContent(parts.recovered.payload)
        else { return }
        parts.recovered = try change(document, event.id)
      }
    }
    #expect(try fault { try asked(for: pad, by: words, in: $0, id: $1) } == nil)
    let wrong = "a signature that brought the key \(pad.publicKey) in is not its key's"
    #expect(
      try fault { try asked(for: pad, by: words, in: $0, provedBy: words, id: $1) } == wrong)
    #expect(
      try fault {
        try asked(for: pad, by: words, in: $0, proofOf: PlayerID(rawValue: 1), id: $1)
      } == wrong)
    #expect(
      try fault { try asked(for: pad, by: words, in: $0, proofBy: stranger, id: $1) } == wrong)
    // A signature of the same bytes under another tag.
    #expect(
      try fault { document, id in
        let player = PlayerID(firstKey: first.publicKey)
        let message = Event.PlayerRecovered.proved(
          pad.publicKey, of: player, at: document.service, by: words.publicKey)
        return try signed(
          .playerRecovered(pad.publicKey, proof: pad.sign(message, as: .event)), by: words,
          in: document, id: id)
      } == wrong)
  }

  @Test("The action for a recovery has the proof that verifies")
  func action() throws {
    let document = try RecordDocument(fixture())
    let player = PlayerID(firstKey: first.publicKey)
    let event = Event(
      service: document.service, id: EventID(rawValue: 9), player: player,
      action: .playerRecovered(
        of: player, at: document.service, by: words.publicKey, to: pad))
    let proof = try #require(event.newKeyProof(sender: words.publicKey))
    #expect(Ed25519.verify(proof, .newKey) && proof.key == pad.publicKey)
    #expect(
      proof.payload == document.service.bytes + player.bytes + words.publicKey.bytes
        + pad.publicKey.bytes)
    let other = try #require(event.newKeyProof(sender: stranger.publicKey))
    #expect(!Ed25519.verify(other, .newKey))
  }

  @Test("A statement that a player's key signs under the tag of events is none of the service's")
  func tags() throws {
    let found = try fault { parts, document in
      parts.statement = working.signed(parts.statement.payload, as: .event)
    }
    #expect(
      found == "a signature that brought the key \(pad.publicKey) in is not its key's")
  }

  @Test("A record has the certificate of the key that stated a recovery, though it states no entry")
  func certificates() throws {
    let later = Table.signer(8)
    func certify(_ document: inout RecordDocument) throws {
      let old = try #require(document.certificates.first)
      document.certificates.append(
        KeyCertificate(
          workingKey: later.publicKey, validFrom: old.validFrom, validUntil: old.validUntil,
          service: document.service, root: Table.signer(1)))
    }
    let found = try fault(
      { parts, document in parts.statement = try stated(parts, in: document, by: later) { _ in } },
      document: certify)
    #expect(found == nil)
    let unused = try fault({ _, _ in }, document: certify)
    #expect(unused == "a working key is certified that signed nothing")
  }

  @Test("An origin in a file is of one of two forms")
  func forms() throws {
    let good = text(try fixture())
    #expect(fileError(good) == nil)
    #expect(
      fileError(good.replacing(#""statement":"#, with: #""other":"#))
        == .malformed("statement is missing"))
    #expect(
      fileError(good.replacing(#""recovered":{"#, with: #""other":{"#))
        == .malformed("invited is missing"))
    guard case .recovery(let recovery)? = try RecordDocument(fixture()).seats[0].origins.last
    else {
      Issue.record("the fixture has no recovery")
      return
    }
    #expect(KeyOrigin([recovery.named, recovery.named, recovery.statement]) == nil)
    #expect(KeyOrigin([recovery.named]) == nil)
  }
}
