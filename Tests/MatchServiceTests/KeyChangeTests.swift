import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("A worker and players' keys that come and go")
struct KeyChangeTests {
  private let code = DeviceCode(random: 7)
  private var hash: Hash { code.hash(at: .test) }
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let pad = TestPlayer("pad", keyByte: 0x71)

  /// A worker whose store tells Ann's keys under the lock of the claim.
  private func lab(_ keys: PlayerKeys? = nil) throws -> WorkerLab {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    let keys = keys ?? ofAnn()
    lab.store.resolve.answer { [unowned lab] claims throws(StoreError) in
      lab.note(.resolve(claims))
      return claims.map { $0 == .keys(of: TestPlayer.ann.id) ? .keys(keys) : .free }
    }
    try lab.settleIn()
    return lab
  }

  private func ofAnn(_ others: TestPlayer..., isInvited: Bool = false) -> PlayerKeys {
    var keys = PlayerKeys(name: TestPlayer.ann.name)
    for player in [.ann] + others {
      keys.keys[player.key] = PlayerKeys.Key(addedAt: .noon)
      keys.lifetimeCount += 1
    }
    if isInvited { keys.invitations[hash] = invitation }
    return keys
  }

  private var invitation: DeviceInvitation {
    let payload = PayloadCodec.encode(TestPlayer.ann.event(.deviceInvited(hash), 9))
    return DeviceInvitation(
      player: TestPlayer.ann.id, hash: hash, until: .noon.adding(seconds: 1),
      signed: TestPlayer.ann.signer.signed(payload, as: .event))
  }

  /// Ann's event, signed on a device, as it arrives.
  private func deliver(
    _ action: Event.Action, _ number: UInt128, on device: TestPlayer, _ lab: WorkerLab
  ) {
    let event = TestPlayer.ann.event(action, number)
    lab.arriving.append(
      lab.delivery(
        device.body(event), queue: lab.queue(of: event), id: "\(device.name) \(number)"))
  }

  private func open(_ lab: WorkerLab) {
    lab.known.invitations[hash] = InvitationFacts(player: TestPlayer.ann.id, isOpen: true)
  }

  @Test("A key of nobody that shows an open code becomes a key, with the events that say so")
  func added() throws {
    let lab = try lab(ofAnn(isInvited: true))
    open(lab)
    deliver(.keyAdded(code), 1, on: phone, lab)
    try lab.step()
    #expect(lab.lookups.first?.invitations == [hash])
    #expect(
      lab.replies == ["phone 1": .accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name))])
    let write = try #require(lab.writes.first)
    guard case .added(let added)? = write.keyChanges.first else {
      Issue.record("no key is added")
      return
    }
    #expect(added.key == phone.key && added.invitation == hash)
    #expect(added.origin.map(\.key) == [TestPlayer.ann.key, phone.key])
    #expect(write.revocationCount == 0)
    #expect(write.replies.map(\.key.player) == [TestPlayer.ann.id])
  }

  @Test("A made-up code takes no lock and leaves no row; so does one that is used up or another's")
  func madeUp() throws {
    let lab = try lab(ofAnn(isInvited: true))
    let facts: [InvitationFacts?] = [
      nil, InvitationFacts(player: TestPlayer.ann.id, isOpen: false),
      InvitationFacts(player: TestPlayer.bob.id, isOpen: true),
    ]
    for (number, fact) in facts.enumerated() {
      lab.known.invitations[hash] = fact
      lab.forget()
      deliver(.keyAdded(code), UInt128(number), on: phone, lab)
      try lab.step()
      #expect(lab.replies == ["phone \(number)": .refused(.deviceCodeInvalid)])
      #expect(lab.names == ["lookUp", "abandon", "acknowledge \(number + 1)", "publish"])
    }
  }

  @Test("A player's key that names another player takes no lock of that one's keys")
  func foreign() throws {
    let lab = try lab(ofAnn(isInvited: true))
    open(lab)
    let actions: [Event.Action] = [
      .keyAdded(code), .deviceInvited(hash), .keyRemoved(TestPlayer.ann.key),
    ]
    for (number, action) in actions.enumerated() {
      lab.forget()
      deliver(action, UInt128(number), on: .bob, lab)
      try lab.step()
      #expect(lab.replies == ["Bob \(number)": .refused(.notPermitted)])
      #expect(lab.names == ["lookUp", "abandon", "acknowledge \(number + 1)", "publish"])
    }
  }

  @Test("Invited, added and acting in one batch; the second device with the code is refused")
  func together() throws {
    let lab = try lab()
    deliver(.deviceInvited(hash), 1, on: .ann, lab)
    deliver(.keyAdded(code), 2, on: phone, lab)
    deliver(.keyAdded(code), 3, on: pad, lab)
    deliver(.settingsChanged(SettingsChange(reminders: false)), 4, on: phone, lab)
    try lab.step()
    #expect(
      lab.replies == [
        "Ann 1": .accepted(.deviceInvited(until: .noon.adding(seconds: 600))),
        "phone 2": .accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name)),
        "pad 3": .refused(.deviceCodeInvalid), "phone 4": .accepted(.noted),
      ])
    #expect(lab.writes.flatMap(\.keyChanges).count == 2)
    #expect(lab.names.contains("resolve"))
  }

  @Test("A player has 1,024 keys ever, so that a record can show what brought each one in")
  func lifetime() throws {
    var keys = ofAnn()
    keys.lifetimeCount = PlayerKeys.lifetimeLimit - 1
    let (lab, other) = (try lab(keys), DeviceCode(random: 8))
    deliver(.deviceInvited(hash), 1, on: .ann, lab)
    deliver(.deviceInvited(other.hash(at: .test)), 2, on: .ann, lab)
    deliver(.keyAdded(code), 3, on: phone, lab)
    deliver(.keyAdded(other), 4, on: pad, lab)
    deliver(.deviceInvited(DeviceCode(random: 9).hash(at: .test)), 5, on: phone, lab)
    try lab.step()
    let full = Reply.refused(.rateLimited(.keysInAll, retryAfterSeconds: nil))
    #expect(
      lab.replies == [
        "Ann 1": .accepted(.deviceInvited(until: .noon.adding(seconds: 600))),
        "Ann 2": .accepted(.deviceInvited(until: .noon.adding(seconds: 600))),
        "phone 3": .accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name)),
        "pad 4": full, "phone 5": full,
      ])
    // The refusal of a key of nobody is not kept.
    #expect(lab.writes.flatMap(\.replies).count == 4)
  }

  @Test("Two keys of one batch show the code that waits: the first one gets it")
  func twoWithOneCode() throws {
    let lab = try lab(ofAnn(isInvited: true))
    open(lab)
    deliver(.keyAdded(code), 1, on: phone, lab)
    deliver(.keyAdded(code), 2, on: pad, lab)
    try lab.step()
    #expect(
      lab.replies == [
        "phone 1": .accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name)),
        "pad 2": .refused(.deviceCodeInvalid),
      ])
  }

  @Test("After its removal a key does nothing more, in the same batch and in the next one")
  func removed() throws {
    let lab = try lab(ofAnn(phone))
    lab.known.keys[phone.key] = TestPlayer.ann.owner
    deliver(.settingsChanged(SettingsChange(reminders: false)), 1, on: phone, lab)
    deliver(.keyRemoved(phone.key), 2, on: .ann, lab)
    deliver(.settingsChanged(SettingsChange(reminders: true)), 3, on: phone, lab)
    try lab.step()
    #expect(
      lab.replies == [
        "phone 1": .accepted(.noted), "Ann 2": .accepted(.keyRemoved(phone.key)),
        "phone 3": .refused(.keyRevoked),
      ])
    #expect(lab.writes.first?.removedKeys.map(\.key) == [phone.key])
    #expect(lab.writes.first?.playerChanges.map(\.key) == [phone.key])
    // The worker knows the count that its batch has made; others look their keys up anew.
    lab.known.revocationCount = 1
    lab.known.keys[phone.key]?.isRevoked = true
    lab.forget()
    deliver(.settingsChanged(SettingsChange(reminders: true)), 4, on: phone, lab)
    try lab.step()
    #expect(lab.lookups.map(\.keys) == [[]])
    #expect(lab.replies == ["phone 4": .refused(.keyRevoked)])
  }

  @Test("A notice names the player whose key was removed, so that its streams end")
  func notice() throws {
    let lab = try lab(ofAnn(phone))
    lab.known.keys[phone.key] = TestPlayer.ann.owner
    deliver(.keyRemoved(phone.key), 1, on: .ann, lab)
    try lab.step()
    let named = lab.published.compactMap { message -> [PlayerID]? in
      guard case .outcome(Names.changedMatches, let body) = message else { return nil }
      return OutcomeNotice(body)?.players
    }
    #expect(named.filter { !$0.isEmpty } == [[TestPlayer.ann.id]])
  }

  @Test("A key of another player is no key of Ann's, whatever code it shows")
  func ofAnother() throws {
    let lab = try lab(ofAnn(isInvited: true))
    open(lab)
    deliver(.keyAdded(code), 1, on: .bob, lab)
    try lab.step()
    #expect(lab.replies == ["Bob 1": .refused(.notPermitted)])
    #expect(lab.writes.isEmpty)
  }

  @Test("An event that added a key gets its answer again, but only for that key")
  func repeated() throws {
    let lab = try lab(ofAnn(isInvited: true))
    let event = TestPlayer.ann.event(.keyAdded(code), 1)
    let reply = Reply.accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name))
    lab.known.replies = [
      EventKey(player: TestPlayer.ann.id, event: event.id): StoredReply(
        payloadHash: Hash(sha256Of: PayloadCodec.encode(event)),
        reply: ReplyCodec.encode(reply, event: event.id))
    ]
    lab.known.keys[phone.key] = TestPlayer.ann.owner
    open(lab)
    deliver(.keyAdded(code), 1, on: phone, lab)
    deliver(.keyAdded(code), 1, on: pad, lab)
    try lab.step()
    #expect(lab.replies == ["phone 1": reply, "pad 1": .refused(.idempotencyMismatch)])
    #expect(lab.writes.isEmpty)
  }
}
