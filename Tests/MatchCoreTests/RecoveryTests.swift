import Testing

@testable import MatchCore

@Suite("The recovery of a player")
struct RecoveryTests {
  let lab = MatchLab()
  /// A key that speaks for nobody: the words on paper.
  private let words = TestPlayer("words", keyByte: 0x60)
  private let otherWords = TestPlayer("words2", keyByte: 0x61)
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let new = TestPlayer("new", keyByte: 0x72)
  private let newer = TestPlayer("newer", keyByte: 0x73)
  private let day: Int64 = 86_400
  private let wait = PlayerRecovery.seconds

  private func names(_ words: TestPlayer, on device: TestPlayer = .ann) -> SentEvent {
    lab.event(.recoveryKeyNamed(words.key), of: .ann, on: device)
  }

  /// Judging never looks at the proof.
  private func recovery(_ key: TestPlayer) -> Event.Action {
    .playerRecovered(key.key, proof: Array(repeating: 0, count: 64))
  }

  private func asks(_ key: TestPlayer, by words: TestPlayer) -> SentEvent {
    lab.event(recovery(key), of: .ann, on: words)
  }

  private func objects(to recovery: SentEvent, on device: TestPlayer = .ann) -> SentEvent {
    lab.event(.recoveryObjected(recovery.event.id), of: .ann, on: device)
  }

  private func withdraws(_ recovery: SentEvent, by words: TestPlayer) -> SentEvent {
    lab.event(.recoveryWithdrawn(recovery.event.id), of: .ann, on: words)
  }

  /// The scheduler's event about the recovery that is pending now.
  private func due(_ recovery: SentEvent, to key: TestPlayer, at time: Instant) -> SentEvent {
    lab.event(
      .recoveryDue(
        of: TestPlayer.ann.id, recovery: recovery.event.id, key: key.key, due: time),
      by: .service)
  }

  private var state: PlayerRecovery { lab.keys[TestPlayer.ann.id]?.recovery ?? PlayerRecovery() }
  private var speaking: Set<PublicKey> {
    Set(lab.keys[TestPlayer.ann.id]?.speaking.keys.map { $0 } ?? [])
  }

  /// Adds a device of Ann's.
  private func add(_ device: TestPlayer) {
    let code = DeviceCode(random: UInt64(device.key.bytes[0]))
    lab.act(lab.event(.deviceInvited(code.hash(at: .test)), by: .ann))
    lab.act(lab.event(.keyAdded(code), of: .ann, on: device))
  }

  /// Names words and asks for a recovery with them.
  private func begin(with device: TestPlayer? = nil) -> SentEvent {
    lab.act(names(words))
    let recovery = asks(device ?? new, by: words)
    lab.act(recovery)
    return recovery
  }

  @Test("A new player's first recovery key counts at once")
  func first() {
    lab.send(names(words)) {
      $0.reply = .accepted(.recoverySet(at: lab.now))
      $0.tell()
    }
    #expect(state.named?.key == words.key && state.waiting == nil)
    let registered = lab.event(.playerRegistered(name: TestPlayer.dan.name, code: nil), by: .dan)
    let named = lab.event(.recoveryKeyNamed(words.key), by: .dan)
    lab.act(registered)
    lab.pass(seconds: PlayerRecovery.newcomerSeconds - 1)
    lab.act(named)
    #expect(
      lab.keys[TestPlayer.dan.id]?.recovery.named
        == .init(key: words.key, signed: TestPlayer.dan.receive(named.event).signed))
    lab.act(lab.event(recovery(new), of: .dan, on: words))
    #expect(lab.keys[TestPlayer.dan.id]?.recovery.pending?.key == new.key)
  }

  @Test("A recovery key that is named once more is answered, and owes nobody a notification")
  func namedOnceMore() {
    lab.act(names(words))
    lab.send(names(words)) { $0.reply = .accepted(.recoverySet(at: lab.now)) }
  }

  @Test("Later than an hour after the registration the first recovery key waits, too")
  func late() {
    lab.pass(seconds: PlayerRecovery.newcomerSeconds)
    let time = lab.now.adding(seconds: wait)
    lab.send(names(words)) {
      $0.reply = .accepted(.recoverySet(at: time))
      $0.tell()
    }
    #expect(state.named == nil && state.waiting?.named.key == words.key)
    lab.pass(seconds: wait - 1)
    lab.refuse(asks(new, by: words), .notRecoverable)
    lab.pass(seconds: 1)
    lab.act(asks(new, by: words))
    #expect(state.named?.key == words.key && state.pending?.key == new.key)
  }

  @Test("A thief's first recovery key waits: the owner is told, and puts another in its place")
  func thiefsFirst() {
    add(phone)
    // Not the key that registered Ann.
    lab.send(names(otherWords, on: phone)) {
      $0.reply = .accepted(.recoverySet(at: lab.now.adding(seconds: wait)))
      $0.tell()
    }
    lab.pass(seconds: 3_599)
    // The first key's own counts at once, within the hour and whatever waits.
    lab.send(names(words)) {
      $0.reply = .accepted(.recoverySet(at: lab.now))
      $0.tell()
    }
    #expect(state.named?.key == words.key && state.waiting == nil)
    // The same where Ann is no newcomer: her own key takes the place of the thief's.
    lab.act(lab.event(.playerRegistered(name: TestPlayer.dan.name, code: nil), by: .dan))
    lab.pass(seconds: day)
    lab.act(lab.event(.recoveryKeyNamed(otherWords.key), by: .dan))
    lab.pass(seconds: day)
    lab.act(lab.event(.recoveryKeyNamed(words.key), by: .dan))
    lab.pass(seconds: wait)
    lab.refuse(lab.event(recovery(new), of: .dan, on: otherWords), .notRecoverable)
    lab.act(lab.event(recovery(new), of: .dan, on: words))
  }

  @Test("A recovery takes effect after 72 hours: the new key speaks, and no other one")
  func recovered() {
    add(phone)
    let named = names(words, on: phone)
    lab.act(named)
    lab.pass(seconds: 5 * day)
    let (begun, recovery) = (lab.now, asks(new, by: words))
    let time = begun.adding(seconds: wait)
    lab.send(recovery) {
      $0.reply = .accepted(.recoverySet(at: time))
      $0.tell()
    }
    #expect(speaking == [TestPlayer.ann.key, phone.key])
    lab.pass(seconds: wait - 1)
    lab.refuse(due(recovery, to: new, at: time), .noRecovery)
    lab.pass(seconds: 1)
    let statement = RecoveryStatement(
      player: TestPlayer.ann.id, key: new.key, recovery: recovery.event.id, begunAt: begun,
      queueTime: lab.now, creditMicroseconds: 0, statedAt: lab.now)
    #expect(statement.isTimely)
    lab.act(due(recovery, to: new, at: time))
    #expect(speaking == [new.key])
    #expect(
      lab.origins[new.key] == [
        phone.receive(named.event).signed, words.receive(recovery.event).signed,
        .recovery(statement),
      ])
    // The key plays; those that spoke before do nothing more. The words are good again.
    let request = lab.event(.matchRequested(MatchRequest(alone: .unlimited)), of: .ann, on: new)
    lab.act(request)
    #expect(lab.matches[request.newMatch]?.players == [TestPlayer.ann.id])
    lab.refuse(names(otherWords, on: phone), .keyRevoked)
    lab.refuse(due(recovery, to: new, at: time), .noRecovery)
    #expect(state.named?.key == words.key && state.pending == nil)
    lab.send(asks(newer, by: words)) {
      $0.reply = .accepted(.recoverySet(at: lab.now.adding(seconds: wait)))
      $0.tell()
    }
  }

  @Test("A recovery voids invitations that other devices have made")
  func invitations() {
    let recovery = begin()
    lab.pass(seconds: wait)
    let code = DeviceCode(random: 7)
    lab.act(lab.event(.deviceInvited(code.hash(at: .test)), by: .ann))
    lab.act(due(recovery, to: new, at: lab.now))
    lab.refuse(lab.event(.keyAdded(code), of: .ann, on: phone), .deviceCodeInvalid)
    #expect(speaking == [new.key])
  }

  // Failure: Refusal.noRecovery: ° No such recovery is under way.
  // Failure: Refusal.alreadyObjected: A recovery is delayed once.
  @Test("Recovery against objection: it is delayed once, by whichever device, and never stopped")
  func objection() {
    add(phone)
    let (begun, recovery) = (lab.now, begin())
    let (time, late) = (begun.adding(seconds: wait), begun.adding(seconds: 2 * wait))
    lab.refuse(objects(to: names(words)), .noRecovery)
    lab.pass(seconds: wait)
    // Judged before the scheduler's event, though its time has come.
    lab.send(objects(to: recovery, on: phone)) {
      $0.reply = .accepted(.recoverySet(at: late))
      $0.tell()
    }
    lab.refuse(due(recovery, to: new, at: time), .noRecovery)
    lab.refuse(objects(to: recovery), .alreadyObjected)
    lab.refuse(objects(to: recovery, on: phone), .alreadyObjected)
    lab.pass(seconds: wait - 1)
    lab.refuse(due(recovery, to: new, at: late), .noRecovery)
    lab.pass(seconds: 1)
    lab.act(due(recovery, to: new, at: late))
    #expect(speaking == [new.key])
    lab.refuse(objects(to: recovery, on: new), .noRecovery)
  }

  // Failure: Refusal.recoveryPending: ° A recovery is under way. The reply names the time at which
  //   it takes effect.
  @Test("Two recoveries: the first stands until it is withdrawn; an hour passes before the next")
  func two() {
    let (begun, recovery) = (lab.now, begin())
    let time = begun.adding(seconds: wait)
    lab.pass(seconds: 60)
    let second = asks(newer, by: words)
    lab.refuse(second, .recoveryPending(until: time))
    lab.refuse(withdraws(second, by: words), .noRecovery)
    lab.refuse(withdraws(recovery, by: otherWords), .notRecoverable)
    lab.refuse(withdraws(recovery, by: phone), .notRecoverable)
    lab.send(withdraws(recovery, by: words)) {
      $0.reply = .accepted(.noted)
      $0.tell()
    }
    lab.refuse(
      asks(newer, by: words), .rateLimited(.recoveries, retryAfterSeconds: 3_600 - 60))
    lab.pass(seconds: 3_600 - 60)
    let third = asks(newer, by: words)
    lab.act(third)
    lab.pass(seconds: wait)
    lab.refuse(due(recovery, to: new, at: time), .noRecovery)
    lab.act(due(third, to: newer, at: lab.now))
    #expect(speaking == [newer.key])
  }

  @Test("Another recovery key counts after 72 hours; until then the former one does")
  func renamed() {
    lab.act(names(words))
    lab.pass(seconds: day)
    let time = lab.now.adding(seconds: wait)
    lab.send(names(otherWords)) {
      $0.reply = .accepted(.recoverySet(at: time))
      $0.tell()
    }
    // Again: it waits no longer, and nobody is told.
    lab.pass(seconds: 60)
    lab.send(names(otherWords)) { $0.reply = .accepted(.recoverySet(at: time)) }
    lab.refuse(asks(new, by: otherWords), .notRecoverable)
    lab.pass(seconds: wait - 60)
    lab.refuse(asks(new, by: words), .notRecoverable)
    lab.act(asks(new, by: otherWords))
    #expect(state.named?.key == otherWords.key && state.pending?.key == new.key)
  }

  @Test("A recovery key that waits is replaced after an hour, and cancelled by naming the present")
  func cancelled() {
    add(phone)
    lab.act(names(words))
    lab.act(names(otherWords, on: phone))
    lab.pass(seconds: 60)
    let third = TestPlayer("words3", keyByte: 0x62)
    let soon = Refusal.rateLimited(.recoveryKeys, retryAfterSeconds: 3_600 - 60)
    lab.refuse(names(third, on: phone), soon)
    lab.send(names(words)) {
      $0.reply = .accepted(.recoverySet(at: lab.now))
      $0.tell()
    }
    #expect(state.waiting == nil && state.named?.key == words.key)
    lab.refuse(names(otherWords, on: phone), soon)
    lab.pass(seconds: 3_600 - 60)
    let time = lab.now.adding(seconds: wait)
    lab.send(names(third)) {
      $0.reply = .accepted(.recoverySet(at: time))
      $0.tell()
    }
    #expect(state.waiting?.named.key == third.key)
  }

  @Test("Recovery against a new recovery key within 72 hours: the recovery wins and voids the key")
  func againstNewKey() {
    add(phone)
    lab.act(names(words))
    lab.pass(seconds: day)
    // A thief with the phone names words of his own, and objects.
    lab.act(names(otherWords, on: phone))
    lab.pass(seconds: wait - 1)
    let (begun, recovery) = (lab.now, asks(new, by: words))
    let late = begun.adding(seconds: 2 * wait)
    lab.act(recovery)
    lab.act(objects(to: recovery, on: phone))
    lab.pass(seconds: wait)
    lab.refuse(asks(phone, by: otherWords), .notRecoverable)
    lab.refuse(withdraws(recovery, by: otherWords), .notRecoverable)
    lab.pass(seconds: wait)
    lab.act(due(recovery, to: new, at: late))
    #expect(speaking == [new.key])
    #expect(state.named?.key == words.key && state.waiting == nil)
    lab.refuse(asks(newer, by: otherWords), .notRecoverable)
  }

  @Test("A recovery that is withdrawn gives way to the key that waits, from its own time on")
  func withdrawnForNewKey() {
    // A thief has the words. The owner has them and a device: asking again does not help him.
    lab.act(names(words))
    lab.act(names(otherWords))
    let thief = TestPlayer("thief", keyByte: 0x66)
    for _ in 0..<3 {
      let recovery = asks(thief, by: words)
      lab.act(recovery)
      lab.pass(seconds: day)
      lab.send(withdraws(recovery, by: words)) {
        $0.reply = .accepted(.noted)
        $0.tell()
      }
    }
    lab.refuse(asks(thief, by: words), .notRecoverable)
    lab.act(asks(new, by: otherWords))
    #expect(state.named?.key == otherWords.key && state.pending?.key == new.key)
  }

  @Test("A key that was removed or revoked objects to nothing; nobody needs a device to recover")
  func revokedMeanwhile() {
    add(phone)
    let recovery = begin()
    lab.act(lab.event(.keyRemoved(phone.key), by: .ann))
    lab.refuse(objects(to: recovery, on: phone), .keyRevoked)
    lab.revoke(.ann)
    lab.refuse(objects(to: recovery), .keyRevoked)
    lab.refuse(names(otherWords), .keyRevoked)
    #expect(speaking == [])
    lab.pass(seconds: wait)
    lab.act(due(recovery, to: new, at: lab.now))
    #expect(speaking == [new.key])
  }

  @Test("The last key is removed by a recovery, which brings another one in")
  func lastKey() {
    let recovery = begin()
    lab.refuse(lab.event(.keyRemoved(TestPlayer.ann.key), by: .ann), .lastKey)
    lab.pass(seconds: wait)
    lab.act(due(recovery, to: new, at: lab.now))
    #expect(speaking == [new.key])
    lab.refuse(lab.event(.keyRemoved(new.key), of: .ann, on: new), .lastKey)
  }

  @Test("A key that registers before the recovery takes effect ends it")
  func takenMeanwhile() {
    let recovery = begin()
    lab.act(lab.event(.playerRegistered(name: new.name, code: nil), by: new))
    lab.pass(seconds: wait)
    lab.send(due(recovery, to: new, at: lab.now)) {
      $0.reply = .refused(.malformed("its key is a player's; make another one"))
      $0.tell()
    }
    #expect(speaking == [TestPlayer.ann.key] && state.pending == nil)
    lab.act(asks(newer, by: words))
    #expect(state.pending?.key == newer.key)
  }

  @Test("A key of any player, removed or not, is no new key and no recovery key")
  func taken() {
    let taken = Refusal.malformed("its key is a player's; make another one")
    add(phone)
    lab.refuse(names(.bob), taken)
    lab.refuse(names(.ann), taken)
    lab.act(names(words))
    lab.act(lab.event(.keyRemoved(phone.key), by: .ann))
    for key in [TestPlayer.ann, .bob, phone, words] { lab.refuse(asks(key, by: words), taken) }
  }

  @Test("A recovery whose time was moved forward in the store takes effect no sooner")
  func movedForward() {
    let (begun, recovery) = (lab.now, begin())
    let soon = begun.adding(seconds: 60)
    lab.tamper(of: .ann) { $0.deadline.at = soon }
    lab.pass(seconds: 61)
    lab.refuse(due(recovery, to: new, at: soon), .noRecovery)
    lab.tamper(of: .ann) { $0.objector = phone.key }
    lab.pass(seconds: wait)
    lab.refuse(due(recovery, to: new, at: soon), .noRecovery)
    lab.pass(seconds: wait - 61)
    lab.act(due(recovery, to: new, at: soon))
    #expect(speaking == [new.key])
  }

  @Test("A recovery key that becomes a player's key, too, is still named, withdraws and recovers")
  func recoveryKeyTaken() {
    add(phone)
    lab.act(names(words))
    lab.act(names(otherWords, on: phone))
    // A thief who has the words registers with them.
    lab.act(lab.event(.playerRegistered(name: words.name, code: nil), by: words))
    lab.act(names(words))
    #expect(state.named?.key == words.key && state.waiting == nil)
    let recovery = asks(new, by: words)
    lab.act(recovery)
    lab.act(withdraws(recovery, by: words))
    #expect(state.pending == nil)
    lab.pass(seconds: 3_600)
    let again = asks(newer, by: words)
    lab.act(again)
    lab.pass(seconds: wait)
    lab.act(due(again, to: newer, at: lab.now))
    #expect(speaking == [newer.key])
  }

  // Failure: Refusal.notRecoverable: ° The key is not the recovery key that counts for that player,
  //   or there is no such player.
  @Test("Only the recovery key recovers: no device, no stranger, and nobody without such a key")
  func strangers() {
    lab.refuse(asks(new, by: words), .notRecoverable)
    lab.act(names(words))
    lab.refuse(asks(new, by: .ann), .notRecoverable)
    lab.refuse(asks(new, by: .bob), .notRecoverable)
    lab.refuse(lab.event(recovery(new), of: .bob, on: words), .notRecoverable)
    lab.refuse(lab.event(recovery(new), of: .dan, on: words), .notRecoverable)
  }

  @Test("An outage takes nobody's time to object, and nothing takes effect shortly after one")
  func outage() {
    let (begun, recovery) = (lab.now, begin())
    let time = begun.adding(seconds: wait)
    lab.pass(seconds: wait - 60)
    lab.passWithoutTicks(seconds: 101)
    lab.tick()
    lab.refuse(due(recovery, to: new, at: time), .noRecovery)
    // A hundred seconds without ticks are credited.
    lab.pass(seconds: 58)
    lab.refuse(due(recovery, to: new, at: time), .noRecovery)
    lab.pass(seconds: 1)
    lab.act(due(recovery, to: new, at: time))
    #expect(speaking == [new.key])
    let statement = RecoveryStatement(
      player: TestPlayer.ann.id, key: new.key, recovery: recovery.event.id, begunAt: begun,
      queueTime: lab.now, creditMicroseconds: 100_000_000, statedAt: lab.now)
    #expect(statement.isTimely)
    #expect(lab.origins[new.key]?.last == .recovery(statement))
  }

  @Test("A recovery key that has come to count does so for good, also right after an outage")
  func countsForGood() {
    lab.act(names(words))
    lab.act(names(otherWords))
    lab.pass(seconds: wait)
    lab.passWithoutTicks(seconds: 100)
    lab.tick()
    lab.refuse(asks(new, by: words), .notRecoverable)
    lab.act(asks(new, by: otherWords))
    #expect(state.pending?.key == new.key)
  }

  @Test("Keys that were added without number prevent no recovery; recoveries without number end")
  func numbers() {
    lab.act(names(words))
    lab.setLifetimeCount(PlayerKeys.lifetimeLimit, of: .ann)
    let full = Refusal.rateLimited(.keysInAll, retryAfterSeconds: nil)
    lab.refuse(lab.event(.deviceInvited(.zero), by: .ann), full)
    let recovery = asks(new, by: words)
    lab.act(recovery)
    #expect(state.pending?.key == new.key)
    lab.act(withdraws(recovery, by: words))
    lab.pass(seconds: day)
    lab.setLifetimeCount(PlayerKeys.recoveredLimit, of: .ann)
    lab.refuse(asks(newer, by: words), full)
  }

  @Test("A statement is timely after 72 hours and the credit, not before")
  func timely() {
    func isTimely(_ microseconds: Int64, credit: Int64) -> Bool {
      RecoveryStatement(
        player: TestPlayer.ann.id, key: new.key, recovery: EventID(rawValue: 1), begunAt: .noon,
        queueTime: Instant.noon.adding(microseconds: microseconds), creditMicroseconds: credit,
        statedAt: .noon
      ).isTimely
    }
    let whole = wait * 1_000_000
    #expect(isTimely(whole, credit: 0) && !isTimely(whole - 1, credit: 0))
    #expect(isTimely(whole + 5, credit: 5) && !isTimely(whole + 5, credit: 6))
    #expect(!isTimely(2 * whole, credit: -1) && !isTimely(2 * whole, credit: .max))
  }
}
