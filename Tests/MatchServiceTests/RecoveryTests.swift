import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

@Suite("A worker and the recovery of players")
struct RecoveryTests {
  private let words = TestPlayer("words", keyByte: 0x60)
  private let otherWords = TestPlayer("words2", keyByte: 0x61)
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let new = TestPlayer("new", keyByte: 0x72)

  /// A worker whose store tells Ann's keys under the lock of the claim, and the same for Bob.
  private func lab(
    _ recovery: PlayerRecovery = PlayerRecovery(), eventsPerMinute: Int? = nil
  ) throws -> WorkerLab {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    if let eventsPerMinute { lab.settings.limits.eventsPerMinute = eventsPerMinute }
    var keys = PlayerKeys(name: TestPlayer.ann.name, recovery: recovery)
    for player in [TestPlayer.ann, phone] {
      keys.keys[player.key] = PlayerKeys.Key(addedAt: .noon)
      keys.lifetimeCount += 1
    }
    lab.store.resolve.answer { [unowned lab] claims throws(StoreError) in
      lab.note(.resolve(claims))
      let ofPlayers = [TestPlayer.ann, .bob].map { Claim.keys(of: $0.id) }
      return claims.map { ofPlayers.contains($0) ? .keys(keys) : .free }
    }
    // Every queue has just ticked.
    lab.store.queueClocks.answer {
      Dictionary(uniqueKeysWithValues: (0..<16).map { ($0, QueueClock(time: .noon)) })
    }
    lab.known.keys[phone.key] = TestPlayer.ann.owner
    if !recovery.keys.isEmpty { lab.known.recoveryKeys[TestPlayer.ann.id] = recovery.keys }
    if let pending = recovery.pending {
      lab.known.pendingRecoveries[TestPlayer.ann.id] = PendingRecovery(
        recovery: pending.recovery, key: words.key)
    }
    try lab.settleIn()
    return lab
  }

  /// The wish of words for a key, with its proof.
  private func asks(_ key: TestPlayer, by words: TestPlayer) -> Event.Action {
    .playerRecovered(of: TestPlayer.ann.id, at: .test, by: words.key, to: key.signer)
  }

  private func signed(_ action: Event.Action, by signer: TestPlayer) -> SignedPayload {
    signer.signer.signed(PayloadCodec.encode(TestPlayer.ann.event(action, 90)), as: .event)
  }

  private var named: PlayerRecovery {
    PlayerRecovery(
      named: .init(key: words.key, signed: signed(.recoveryKeyNamed(words.key), by: .ann)))
  }

  /// A recovery whose time is so many seconds after noon.
  private func pending(_ seconds: Int64) -> PlayerRecovery {
    var recovery = named
    let time = Instant.noon.adding(seconds: seconds)
    let begun = time.adding(seconds: -PlayerRecovery.seconds)
    let event = Event(
      service: .test, id: EventID(at: begun, random: 90), player: TestPlayer.ann.id,
      action: asks(new, by: words))
    recovery.pending = PlayerRecovery.Pending(
      recovery: event.id, key: new.key,
      signed: words.signer.signed(PayloadCodec.encode(event), as: .event), begunAt: begun,
      deadline: Deadline(at: time, creditMicroseconds: 0))
    return recovery
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

  /// The scheduler's event about a recovery, signed by a key.
  private func deliver(
    due recovery: PlayerRecovery, by signer: Signer = ServiceIdentity.test.signer, _ lab: WorkerLab
  ) throws {
    let pending = try #require(recovery.pending)
    let action = Event.Action.recoveryDue(
      of: TestPlayer.ann.id, recovery: pending.recovery, key: pending.key,
      due: pending.deadline.at)
    let event = Event(
      service: .test, id: EventID(at: .noon, random: 7), player: ServiceIdentity.test.player,
      action: action)
    let body = Envelope.encode(signer.signed(PayloadCodec.encode(event), as: .service))
    lab.arriving.append(lab.delivery(body, queue: lab.queue(of: event), id: "due"))
  }

  @Test("A recovery key asks, a device objects, the key withdraws: in one batch, too")
  func together() throws {
    let lab = try lab()
    deliver(.recoveryKeyNamed(words.key), 1, on: .ann, lab)
    deliver(asks(new, by: words), 2, on: words, lab)
    let recovery = TestPlayer.ann.event(asks(new, by: words), 2).id
    deliver(.recoveryObjected(recovery), 3, on: phone, lab)
    deliver(.recoveryWithdrawn(recovery), 4, on: words, lab)
    try lab.step()
    let wait = PlayerRecovery.seconds
    #expect(
      lab.replies == [
        "Ann 1": .accepted(.recoverySet(at: .noon)),
        "words 2": .accepted(.recoverySet(at: .noon.adding(seconds: wait))),
        "phone 3": .accepted(.recoverySet(at: .noon.adding(seconds: 2 * wait))),
        "words 4": .accepted(.noted),
      ])
    let write = try #require(lab.writes.first)
    #expect(write.recoveries[TestPlayer.ann.id]?.named?.key == words.key)
    #expect(write.recoveries[TestPlayer.ann.id]?.pending == nil)
    #expect(write.revocationCount == 0 && write.removedKeys.isEmpty)
    #expect(write.outbox.map(\.kind) == Array(repeating: .account, count: 4))
    #expect(Set(write.outbox.map(\.id)).count == 4)
  }

  @Test(
    "A stranger's recovery takes no lock and leaves no row, nor does a made-up event of the service"
  )
  func strangers() throws {
    let lab = try lab(pending(-1))
    deliver(asks(new, by: otherWords), 1, on: otherWords, lab)
    try lab.step()
    #expect(lab.lookups.first?.recoveries == [TestPlayer.ann.id])
    #expect(lab.lookups.first?.keys.contains(new.key) == true)
    #expect(lab.replies == ["words2 1": .refused(.notRecoverable)])
    #expect(!lab.names.contains("resolve") && lab.writes.isEmpty)
    lab.forget()
    try deliver(due: pending(-1), by: otherWords.signer, lab)
    try lab.step()
    #expect(!lab.names.contains("resolve") && lab.writes.isEmpty)
  }

  @Test("A recovery that is due brings its key in and removes the others, under the guard of keys")
  func due() throws {
    let recovery = pending(-60)
    let lab = try lab(recovery)
    lab.known.revocationCount = 4
    try deliver(due: recovery, lab)
    deliver(.settingsChanged(SettingsChange(reminders: false)), 2, on: phone, lab)
    deliver(.settingsChanged(SettingsChange(reminders: true)), 3, on: new, lab)
    try lab.step()
    #expect(lab.replies == ["phone 2": .refused(.keyRevoked), "new 3": .accepted(.noted)])
    let write = try #require(lab.writes.first)
    #expect(write.revocationCount == 4)
    #expect(Set(write.removedKeys.map(\.key)) == [TestPlayer.ann.key, phone.key])
    #expect(
      write.playerChanges.map(\.change) == [
        .devicesRemoved, .settings(SettingsChange(reminders: true)),
      ])
    guard case .recovered(let recovered)? = write.keyChanges.first else {
      Issue.record("no key is recovered")
      return
    }
    let origin = try #require(KeyOrigin(recovered.origin))
    #expect(origin.key == new.key && origin.inviter == TestPlayer.ann.key)
    #expect(origin.fault(of: TestPlayer.ann.id, at: .test) == nil)
    let stated = try #require(origin.certified)
    #expect(ServiceIdentity.test.isWorkingKey(stated.key, at: stated.at))
    #expect(
      origin.messages.allSatisfy { SignatureVerifier.live.isValid($0.signed, $0.tag) })
  }

  @Test("A working key is no player's: none gets it by a recovery, and the service keeps its word")
  func workingKey() throws {
    let workingKey = ServiceIdentity.test.signer.publicKey
    let asking = try lab(named)
    deliver(
      .playerRecovered(
        of: TestPlayer.ann.id, at: .test, by: words.key, to: ServiceIdentity.test.signer),
      1, on: words, asking)
    try asking.step()
    let taken = Refusal.malformed("its key is a player's; make another one")
    #expect(asking.replies == ["words 1": .refused(taken)])
    // A row of it, even one that is revoked, takes nothing from the service's events.
    let recovery = pending(-60)
    let stating = try lab(recovery)
    stating.known.keys[workingKey] = KeyOwner(
      player: TestPlayer.bob.id, name: TestPlayer.bob.name, isRevoked: true)
    try deliver(due: recovery, stating)
    try stating.step()
    #expect(stating.writes.first?.keyChanges.count == 1)
  }

  // Failure: Refusal.badSignature
  @Test("A recovery to a key that its sender does not have is refused before any look-up")
  func noProof() throws {
    let lab = try lab(named)
    // Proofs by another key, for another player and for another recovery key.
    let (player, other) = (TestPlayer.ann.id, TestPlayer.bob.id)
    let proofs = [
      otherWords.signer.prove(toSpeakFor: player, at: .test, by: words.key),
      new.signer.prove(toSpeakFor: other, at: .test, by: words.key),
      new.signer.prove(toSpeakFor: player, at: .test, by: otherWords.key),
    ]
    for (number, proof) in proofs.enumerated() {
      deliver(.playerRecovered(new.key, proof: proof), UInt128(number), on: words, lab)
    }
    try lab.step()
    #expect(
      lab.replies == [
        "words 0": .refused(.badSignature), "words 1": .refused(.badSignature),
        "words 2": .refused(.badSignature),
      ])
    #expect(!lab.names.contains("resolve") && lab.writes.isEmpty)
    lab.forget()
    deliver(asks(new, by: words), 3, on: words, lab)
    try lab.step()
    #expect(
      lab.replies == [
        "words 3": .accepted(.recoverySet(at: .noon.adding(seconds: PlayerRecovery.seconds)))
      ])
  }

  @Test("A wrong signature costs one verification; only a recovery with a good one costs a second")
  func verifications() {
    /// The tags of the signatures that are verified, until one is wrong.
    func verified(_ action: Event.Action, wrong: SignatureTag? = nil) -> [SignatureTag] {
      let tags = Mutex<[SignatureTag]>([])
      _ = EventReading.read(
        words.body(TestPlayer.ann.event(action)), service: .test,
        verifier: SignatureVerifier { _, tag in
          tags.withLock { $0.append(tag) }
          return tag != wrong
        }, place: { _ in nil })
      return tags.withLock { $0 }
    }
    #expect(verified(asks(new, by: words), wrong: .event) == [.event])
    #expect(verified(asks(new, by: words), wrong: .newKey) == [.event, .newKey])
    #expect(verified(asks(new, by: words)) == [.event, .newKey])
    #expect(verified(.recoveryKeyNamed(words.key)) == [.event])
  }

  @Test("A recovery key has six events a minute of its own, whatever the devices have used up")
  func budget() throws {
    let lab = try lab(named, eventsPerMinute: 1)
    deliver(.settingsChanged(SettingsChange(reminders: true)), 1, on: .ann, lab)
    // No such recovery: refused, and counted all the same.
    for number: UInt128 in 2...8 {
      deliver(.recoveryWithdrawn(EventID(rawValue: 9)), number, on: words, lab)
    }
    deliver(.recoveryWithdrawn(EventID(rawValue: 9)), 9, on: otherWords, lab)
    try lab.step()
    var expected: [String: Reply] = [
      "Ann 1": .accepted(.noted),
      "words 8": .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 10)),
      // A stranger's event is remembered by nobody.
      "words2 9": .refused(.notRecoverable),
    ]
    for number in 2...7 { expected["words \(number)"] = .refused(.noRecovery) }
    #expect(lab.replies == expected)
    lab.clock.pass(.seconds(10))
    lab.forget()
    deliver(asks(new, by: words), 10, on: words, lab)
    try lab.step()
    guard case .accepted(.recoverySet)? = lab.replies["words 10"] else {
      Issue.record("the recovery was refused")
      return
    }
  }

  @Test("A recovery key has six events a minute, also where players have no limit")
  func unlimited() throws {
    let lab = try lab(named)
    for number: UInt128 in 1...7 {
      deliver(.recoveryWithdrawn(EventID(rawValue: 9)), number, on: words, lab)
    }
    try lab.step()
    #expect(lab.replies["words 6"] == .refused(.noRecovery))
    #expect(
      lab.replies["words 7"] == .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 10)))
  }

  @Test("The withdrawal of the recovery under way is free, whatever the key has used up, and once")
  func freeWithdrawal() throws {
    var recovery = pending(3_600)
    recovery.waiting = .init(
      named: .init(
        key: otherWords.key, signed: signed(.recoveryKeyNamed(otherWords.key), by: .ann)),
      deadline: Deadline(at: .noon.adding(seconds: 7_200), creditMicroseconds: 0))
    let lab = try lab(recovery, eventsPerMinute: 1)
    let withdrawal = Event.Action.recoveryWithdrawn(try #require(recovery.pending).recovery)
    let tooSoon = Reply.refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 10))
    // A thief with the words.
    for number: UInt128 in 1...7 { deliver(asks(new, by: words), number, on: words, lab) }
    // The key that waits withdraws nothing, and pays for each attempt.
    for number: UInt128 in 8...14 { deliver(withdrawal, number, on: otherWords, lab) }
    try lab.step()
    #expect(lab.replies["words 7"] == tooSoon)
    #expect(lab.replies["words2 13"] == .refused(.notRecoverable))
    #expect(lab.replies["words2 14"] == tooSoon)
    lab.forget()
    deliver(withdrawal, 15, on: words, lab)
    deliver(withdrawal, 16, on: words, lab)
    try lab.step()
    #expect(lab.replies == ["words 15": .accepted(.noted), "words 16": tooSoon])
    #expect(lab.writes.first?.recoveries[TestPlayer.ann.id]?.pending == nil)
  }

  @Test("Two players' recoveries with one id: the withdrawal of each is free")
  func freeWithdrawals() throws {
    let recovery = pending(3_600)
    let lab = try lab(recovery)
    lab.known.recoveryKeys[TestPlayer.bob.id] = recovery.keys
    lab.known.pendingRecoveries[TestPlayer.bob.id] =
      lab.known.pendingRecoveries[TestPlayer.ann.id]
    for number: UInt128 in 1...6 { deliver(asks(new, by: words), number, on: words, lab) }
    try lab.step()
    lab.forget()
    let withdrawal = Event.Action.recoveryWithdrawn(try #require(recovery.pending).recovery)
    deliver(withdrawal, 7, on: words, lab)
    let bobs = TestPlayer.bob.event(withdrawal, 8)
    lab.arriving.append(
      lab.delivery(words.body(bobs), queue: lab.queue(of: bobs), id: "words 8"))
    deliver(withdrawal, 9, on: words, lab)
    try lab.step()
    #expect(
      lab.replies == [
        "words 7": .accepted(.noted), "words 8": .accepted(.noted),
        "words 9": .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 10)),
      ])
  }

  @Test(
    "A recovery key that is a player's, too, still withdraws and recovers",
    arguments: [TestPlayer.bob, .ann], [false, true])
  func ownedKey(owner: TestPlayer, isRevoked: Bool) throws {
    let recovery = pending(3_600)
    let lab = try lab(recovery)
    var taken = owner.owner
    taken.isRevoked = isRevoked
    lab.known.keys[words.key] = taken
    let withdrawal = Event.Action.recoveryWithdrawn(try #require(recovery.pending).recovery)
    deliver(withdrawal, 1, on: words, lab)
    deliver(asks(new, by: words), 2, on: words, lab)
    // It speaks for nobody else, and for Ann only as her recovery key.
    deliver(.recoveryObjected(EventID(rawValue: 9)), 3, on: words, lab)
    try lab.step()
    #expect(lab.replies["words 1"] == .accepted(.noted))
    guard case .accepted(.recoverySet)? = lab.replies["words 2"] else {
      Issue.record("the recovery was refused: \(lab.replies)")
      return
    }
    #expect(lab.writes.first?.recoveries[TestPlayer.ann.id]?.pending?.key == new.key)
    // Every player's event of such a key still goes by its owner.
    let isBobs = owner.id == TestPlayer.bob.id
    let refusal: Refusal = isBobs ? .notPermitted : .keyRevoked
    #expect(lab.replies["words 3"] == .refused(refusal))
  }

  @Test("An event of the recovery key gets its answer again, but not once it is replaced")
  func repeated() throws {
    let lab = try lab(named)
    let withdrawal = Event.Action.recoveryWithdrawn(EventID(rawValue: 9))
    let event = TestPlayer.ann.event(withdrawal, 1)
    let reply = Reply.accepted(.noted)
    lab.known.replies = [
      EventKey(player: TestPlayer.ann.id, event: event.id): StoredReply(
        payloadHash: Hash(sha256Of: PayloadCodec.encode(event)),
        reply: ReplyCodec.encode(reply, event: event.id))
    ]
    deliver(withdrawal, 1, on: words, lab)
    deliver(withdrawal, 1, on: otherWords, lab)
    let other = Event.Action.recoveryWithdrawn(EventID(rawValue: 8))
    lab.arriving.append(
      lab.delivery(
        words.body(TestPlayer.ann.event(other, 1)), queue: lab.queue(of: event), id: "other"))
    try lab.step()
    #expect(
      lab.replies == [
        "words 1": reply, "words2 1": .refused(.notRecoverable),
        "other": .refused(.idempotencyMismatch),
      ])
    #expect(lab.writes.isEmpty)
  }
}
