import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The check of all keys")
struct KeyCheckTests {
  private let words = TestPlayer("words", keyByte: 0x60)
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let pad = TestPlayer("pad", keyByte: 0x71)
  private let thief = TestPlayer("thief", keyByte: 0x7f)
  private let ann = TestPlayer.ann

  private func signed(_ event: Event, by signer: TestPlayer) -> SignedPayload {
    signer.signer.signed(PayloadCodec.encode(event), as: .event)
  }

  private func invitation(of device: TestPlayer, by inviter: TestPlayer) -> KeyOrigin {
    let code = DeviceCode(random: 1)
    return KeyOrigin(
      invited: signed(ann.event(.deviceInvited(code.hash(at: .test))), by: inviter),
      added: signed(ann.event(.keyAdded(code)), by: device))
  }

  private func recovery(
    of device: TestPlayer, statedBy service: Signer = ServiceIdentity.test.signer
  ) throws -> KeyOrigin {
    let asked = ann.event(
      .playerRecovered(of: ann.id, at: .test, by: words.key, to: device.signer), 7)
    let effect = Instant.noon.adding(seconds: PlayerRecovery.seconds)
    let statement = RecoveryStatement(
      player: ann.id, key: device.key, recovery: asked.id, begunAt: .noon, queueTime: effect,
      creditMicroseconds: 0, statedAt: effect)
    return try #require(
      KeyOrigin([
        signed(ann.event(.recoveryKeyNamed(words.key)), by: ann), signed(asked, by: words),
        service.sign(statement, service: .test),
      ]))
  }

  /// A store with these keys, of Ann unless said otherwise, and the origins that it is asked for.
  private func store(_ rows: [OwnedKey], _ origins: [KeyOrigin]) -> CheckStore {
    let sorted = rows.sorted { ($0.player, "\($0.key)") < ($1.player, "\($1.key)") }
    var store = CheckStore.failing
    store.keys.answer { after, limit in
      let start = after.flatMap { sorted.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      return Array(sorted.dropFirst(start).prefix(limit))
    }
    // Those of the inviters are told, too.
    store.origins.answer { keys in keys.isEmpty ? [] : origins }
    return store
  }

  private func annsKeys(_ players: [TestPlayer]) -> [OwnedKey] {
    players.map { OwnedKey(player: ann.id, key: $0.key) }
  }

  /// The keys that are called forged, whatever the size of a page.
  private func forged(_ rows: [OwnedKey], _ origins: [KeyOrigin]) throws -> [RecoveryViolation] {
    func found(_ limit: Int) throws -> [RecoveryViolation] {
      var check = KeyCheck(store(rows, origins), identity: .test)
      var found: [RecoveryViolation] = []
      while !check.isDone { found += try check.next(limit: limit) }
      return found
    }
    let all = try found(500)
    for limit in 1...3 { #expect(try found(limit) == all) }
    #expect(all.allSatisfy { $0.kind == .keyForged })
    #expect(all.allSatisfy { $0.remedy.contains("cubistd keys revoke") })
    return all
  }

  @Test("First keys, and keys that invitations and recoveries brought in, hold")
  func whole() throws {
    let bobs = OwnedKey(player: TestPlayer.bob.id, key: TestPlayer.bob.key)
    #expect(
      try forged(
        annsKeys([ann, phone, pad]) + [bobs],
        [invitation(of: phone, by: ann), invitation(of: pad, by: phone)]) == [])
    #expect(try forged(annsKeys([ann, pad]), [recovery(of: pad)]) == [])
  }

  @Test("A key that somebody has written into the table is found before it signs anything")
  func written() throws {
    let good = invitation(of: phone, by: ann)
    for origins in [
      [good], [good, invitation(of: thief, by: TestPlayer.bob)],
      [good, try recovery(of: thief, statedBy: TestPlayer.bob.signer)],
    ] {
      let found = try forged(annsKeys([ann, phone, thief]), origins)
      #expect(found.map(\.player) == [ann.id])
      #expect(found.first?.text.contains("\(thief.key)") == true)
    }
    // The first key of one player is none of another one's.
    let found = try forged([OwnedKey(player: ann.id, key: TestPlayer.bob.key)], [])
    #expect(found.count == 1)
  }

  @Test("A key whose messages are changed is found, and with it the keys that it invited")
  func changed() throws {
    guard case .invitation(var bad) = invitation(of: phone, by: ann) else { return }
    bad.added.signature[40] ^= 1
    let rows = annsKeys([ann, phone, pad])
    #expect(try forged(rows, [.invitation(bad), invitation(of: pad, by: phone)]).count == 2)
  }

  // Failure: CheckStore.keys: The check stops.
  @Test("A page of keys that cannot be read is read again")
  func failing() throws {
    let good = store(annsKeys([ann, phone]), [])
    var failing = good
    failing.keys.fail(with: .unavailable("gone"))
    var check = KeyCheck(failing, identity: .test)
    #expect(throws: StoreError.unavailable("gone")) { try check.next() }
    #expect(!check.isDone)
    failing = good
    failing.origins.fail(with: .unavailable("gone"))
    check = KeyCheck(failing, identity: .test)
    #expect(throws: StoreError.unavailable("gone")) { try check.next() }
    #expect(throws: StoreError.unavailable("gone")) { try check.next() }
    #expect(!check.isDone)
  }
}
