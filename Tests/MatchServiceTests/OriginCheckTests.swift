import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The origins of players' keys, as a check sees them")
struct OriginCheckTests {
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let pad = TestPlayer("pad", keyByte: 0x71)

  private func invitation(
    of device: TestPlayer, by inviter: TestPlayer, _ number: UInt64
  ) -> KeyOrigin.Invitation {
    let code = DeviceCode(random: number)
    func signed(_ action: Event.Action, by signer: TestPlayer) -> SignedPayload {
      signer.signer.signed(PayloadCodec.encode(TestPlayer.ann.event(action)), as: .event)
    }
    return KeyOrigin.Invitation(
      invited: signed(.deviceInvited(code.hash(at: .test)), by: inviter),
      added: signed(.keyAdded(code), by: device))
  }

  private func origin(of device: TestPlayer, by inviter: TestPlayer, _ number: UInt64) -> KeyOrigin
  {
    .invitation(invitation(of: device, by: inviter, number))
  }

  /// A check of keys that the store says are Ann's.
  private func check(_ keys: [PublicKey], _ origins: [KeyOrigin]) -> OriginCheck {
    let owners = Dictionary(uniqueKeysWithValues: keys.map { ($0, TestPlayer.ann.id) })
    return OriginCheck(origins, of: owners, identity: .test, verifier: .live)
  }

  private func speaks(_ key: PublicKey, _ origins: [KeyOrigin]) -> Bool {
    check([key], origins).speaks(key, for: TestPlayer.ann.id)
  }

  @Test("A key speaks if signed events lead from it back to the player's first key")
  func chain() {
    let (one, two) = (origin(of: phone, by: .ann, 1), origin(of: pad, by: phone, 2))
    #expect(speaks(TestPlayer.ann.key, []))
    #expect(speaks(phone.key, [one]) && speaks(pad.key, [two, one]))
    #expect(!speaks(pad.key, [two]) && !speaks(phone.key, [two]) && !speaks(pad.key, []))
    #expect(!speaks(TestPlayer.bob.key, [one, two]))
  }

  @Test("Each key of a player speaks, in any order, and for no other player")
  func together() {
    let (one, two) = (origin(of: phone, by: .ann, 1), origin(of: pad, by: phone, 2))
    let keys = [pad.key, phone.key, TestPlayer.ann.key, TestPlayer.bob.key]
    let check = check(keys, [two, one])
    #expect(
      keys.map { check.speaks($0, for: TestPlayer.ann.id) } == [true, true, true, false])
    #expect(keys.allSatisfy { !check.speaks($0, for: TestPlayer.bob.id) })
  }

  @Test("A changed event, a stranger's invitation and a circle lead nowhere")
  func broken() {
    let good = invitation(of: phone, by: .ann, 1)
    var (invited, added) = (good, good)
    invited.invited.signature[40] ^= 1
    added.added.signature[40] ^= 1
    #expect(!speaks(phone.key, [.invitation(invited)]))
    #expect(!speaks(phone.key, [.invitation(added)]))
    var other = good
    other.invited = invitation(of: phone, by: .ann, 2).invited
    #expect(!speaks(phone.key, [.invitation(other)]))
    #expect(!speaks(phone.key, [origin(of: phone, by: .bob, 1)]))
    let circle = [origin(of: phone, by: pad, 1), origin(of: pad, by: phone, 2)]
    #expect(!speaks(phone.key, circle) && !speaks(pad.key, circle))
  }

  /// A recovery of Ann's that took effect at noon, with a recovery key that a key had named.
  private func recovery(
    to device: TestPlayer, namedBy namer: TestPlayer,
    statedBy service: Signer = ServiceIdentity.test.signer, waited: Int64 = PlayerRecovery.seconds,
    provedFor player: TestPlayer = .ann
  ) throws -> KeyOrigin {
    let words = TestPlayer("words", keyByte: 0x60)
    let begun = Instant.noon.adding(seconds: -waited)
    let asked = Event(
      service: .test, id: EventID(at: begun, random: 7), player: TestPlayer.ann.id,
      action: .playerRecovered(of: player.id, at: .test, by: words.key, to: device.signer))
    let named = PayloadCodec.encode(TestPlayer.ann.event(.recoveryKeyNamed(words.key)))
    let statement = RecoveryStatement(
      player: TestPlayer.ann.id, key: device.key, recovery: asked.id, begunAt: begun,
      queueTime: .noon, creditMicroseconds: 0, statedAt: .noon)
    let origin = KeyOrigin([
      namer.signer.signed(named, as: .event),
      words.signer.signed(PayloadCodec.encode(asked), as: .event),
      service.sign(statement, service: .test),
    ])
    return try #require(origin)
  }

  @Test("A recovery brings a key in, but none that came too soon, was not stated or not proved")
  func recovered() throws {
    #expect(speaks(pad.key, [try recovery(to: pad, namedBy: .ann)]))
    let named = try recovery(to: pad, namedBy: phone)
    #expect(!speaks(pad.key, [named]))
    #expect(speaks(pad.key, [named, origin(of: phone, by: .ann, 1)]))
    #expect(!speaks(pad.key, [try recovery(to: pad, namedBy: .bob)]))
    #expect(
      !speaks(pad.key, [try recovery(to: pad, namedBy: .ann, statedBy: TestPlayer.bob.signer)]))
    #expect(
      !speaks(
        pad.key, [try recovery(to: pad, namedBy: .ann, waited: PlayerRecovery.seconds - 1)]))
    #expect(!speaks(pad.key, [try recovery(to: pad, namedBy: .ann, provedFor: .bob)]))
  }

  @Test("Only keys that no id is derived from need origins")
  func later() {
    let owners = [
      TestPlayer.ann.key: TestPlayer.ann.id, phone.key: TestPlayer.ann.id,
      TestPlayer.bob.key: TestPlayer.bob.id,
    ]
    #expect(OriginCheck.laterKeys(of: owners) == [phone.key])
  }
}
