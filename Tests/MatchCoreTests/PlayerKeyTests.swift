import Testing

@testable import MatchCore

@Suite("The keys of a player")
struct PlayerKeyTests {
  let lab = MatchLab()
  private let code = DeviceCode(random: 7)
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let pad = TestPlayer("pad", keyByte: 0x71)

  private func invites(
    _ code: DeviceCode, _ player: TestPlayer = .ann, on device: TestPlayer? = nil
  ) -> SentEvent {
    lab.event(.deviceInvited(code.hash(at: .test)), of: player, on: device ?? player)
  }

  private func adds(
    _ device: TestPlayer, _ code: DeviceCode, to player: TestPlayer = .ann
  ) -> SentEvent {
    lab.event(.keyAdded(code), of: player, on: device)
  }

  private func removes(_ key: TestPlayer, on device: TestPlayer = .ann) -> SentEvent {
    lab.event(.keyRemoved(key.key), of: .ann, on: device)
  }

  /// Adds a device of Ann's with a code of its own.
  private func add(_ device: TestPlayer, _ number: UInt64, on inviter: TestPlayer = .ann) {
    lab.act(invites(DeviceCode(random: number), on: inviter))
    lab.act(adds(device, DeviceCode(random: number)))
  }

  private var speaking: Set<PublicKey> {
    Set(lab.keys[TestPlayer.ann.id]?.speaking.keys.map { $0 } ?? [])
  }

  @Test("A device that shows the code of an invitation is added, with the events that say so")
  func added() {
    let invited = invites(code)
    lab.send(invited) {
      $0.reply = .accepted(.deviceInvited(until: lab.now.adding(seconds: 600)))
    }
    let added = adds(phone, code)
    lab.send(added) {
      $0.reply = .accepted(.keyAdded(TestPlayer.ann.id, TestPlayer.ann.name))
      $0.tell()
    }
    #expect(speaking == [TestPlayer.ann.key, phone.key])
    #expect(
      lab.origins[phone.key]
        == [TestPlayer.ann.receive(invited.event).signed, phone.receive(added.event).signed])
    // The new key speaks as the first one does, and invites.
    let other = invites(DeviceCode(random: 8), on: phone)
    lab.act(other)
    lab.act(adds(pad, DeviceCode(random: 8)))
    let request = lab.event(
      .matchRequested(MatchRequest(alone: .unlimited)), of: .ann, on: pad)
    lab.act(request)
    #expect(lab.matches[request.newMatch]?.players == [TestPlayer.ann.id])
  }

  @Test("A code is good once")
  func once() {
    add(phone, 7)
    lab.refuse(adds(pad, code), .deviceCodeInvalid)
    lab.refuse(invites(code), .malformed("its code was used before; make another one"))
    #expect(speaking == [TestPlayer.ann.key, phone.key])
  }

  @Test("A code is good for ten minutes of its player's queue, whatever the store's clock says")
  func timely() {
    lab.act(invites(code))
    lab.pass(seconds: 599)
    let last = lab.now
    lab.pass(seconds: 1)
    lab.refuse(adds(phone, code), .deviceCodeInvalid)
    // The clock is set back; the queue has heard of the later time.
    lab.now = last
    lab.refuse(adds(phone, code), .deviceCodeInvalid)
    lab.act(invites(DeviceCode(random: 8)))
    lab.pass(seconds: 600)
    lab.act(adds(phone, DeviceCode(random: 8)))
    #expect(speaking == [TestPlayer.ann.key, phone.key])
  }

  // Failure: Refusal.deviceCodeInvalid: ° The code of an invitation of a device does not exist, is
  //   used up or over, or the key that made it was removed. The reply does not tell which.
  @Test("A code that nobody made, of another player, or of a key that was removed is none")
  func invalid() {
    lab.refuse(adds(phone, code), .deviceCodeInvalid)
    lab.act(invites(code, .bob))
    lab.refuse(adds(phone, code), .deviceCodeInvalid)
    lab.refuse(adds(phone, code, to: .dan), .deviceCodeInvalid)
    add(phone, 8)
    lab.act(invites(DeviceCode(random: 9), on: phone))
    lab.act(removes(phone))
    lab.refuse(adds(pad, DeviceCode(random: 9)), .deviceCodeInvalid)
    #expect(speaking == [TestPlayer.ann.key])
  }

  @Test("A key that is the player's already is told so")
  func already() {
    lab.act(invites(code))
    lab.refuse(adds(.ann, code), .alreadyRegistered(name: "Ann"))
  }

  @Test("A player has sixteen keys; a removed one makes room")
  func limit() {
    let devices = (1...15).map { TestPlayer("device-\($0)", keyByte: UInt8($0)) }
    for (number, device) in devices.enumerated() { add(device, UInt64(number)) }
    #expect(speaking.count == PlayerKeys.limit)
    let full = Refusal.rateLimited(.keys, retryAfterSeconds: nil)
    lab.refuse(invites(DeviceCode(random: 99)), full)
    lab.act(removes(devices[0]))
    lab.act(invites(DeviceCode(random: 97)))
    lab.act(invites(DeviceCode(random: 98)))
    lab.act(adds(phone, DeviceCode(random: 97)))
    lab.refuse(adds(pad, DeviceCode(random: 98)), full)
    #expect(speaking.count == PlayerKeys.limit)
  }

  @Test("Twenty keys are new in a day, the first and removed ones, too; then the time is told")
  func daily() {
    for number in 1...19 {
      let device = TestPlayer("device-\(number)", keyByte: UInt8(number))
      add(device, UInt64(number))
      lab.act(removes(device))
      lab.pass(seconds: 60)
    }
    let wait = Refusal.rateLimited(.keysPerDay, retryAfterSeconds: 86_400 - 1_140)
    let code = DeviceCode(random: 99)
    lab.refuse(invites(code), wait)
    lab.pass(seconds: 86_400 - 1_140)
    lab.act(invites(code))
    lab.act(adds(phone, code))
    #expect(speaking == [TestPlayer.ann.key, phone.key])
  }

  @Test("Eight invitations are open at once; the time until there is room is told")
  func invitations() {
    for number in 1...8 {
      lab.act(invites(DeviceCode(random: UInt64(number))))
      lab.pass(seconds: 1)
    }
    let wait = Refusal.rateLimited(.deviceInvitations, retryAfterSeconds: 592)
    lab.refuse(invites(code, on: .ann), .malformed("its code was used before; make another one"))
    lab.refuse(invites(DeviceCode(random: 9)), wait)
    lab.act(adds(phone, DeviceCode(random: 3)))
    lab.send(invites(DeviceCode(random: 9))) {
      $0.reply = .accepted(.deviceInvited(until: lab.now.adding(seconds: 600)))
    }
  }

  // Failure: Refusal.keyUnknown: The key does not speak for the player.
  // Failure: Refusal.lastKey: A player keeps one key.
  @Test("Any key of a player removes any other or itself, the first one too, but not the last")
  func removed() {
    lab.refuse(removes(.ann), .lastKey)
    lab.refuse(removes(phone), .keyUnknown)
    lab.refuse(removes(.bob), .keyUnknown)
    add(phone, 7)
    lab.send(removes(.ann, on: phone)) {
      $0.reply = .accepted(.keyRemoved(TestPlayer.ann.key))
      $0.tell()
    }
    #expect(speaking == [phone.key])
    lab.refuse(removes(.ann, on: phone), .keyUnknown)
    lab.refuse(removes(phone, on: phone), .lastKey)
    add(pad, 8, on: phone)
    lab.act(removes(phone, on: phone))
    #expect(speaking == [pad.key])
  }

  @Test("A key that turns out to be removed, under the lock of the keys, changes none")
  func removedMeanwhile() {
    add(phone, 7)
    lab.act(removes(phone))
    lab.refuse(removes(.ann, on: phone), .keyRevoked)
    lab.refuse(invites(DeviceCode(random: 8), on: phone), .keyRevoked)
  }

  @Test(
    "A code is read as people type it, and has one form",
    arguments: [
      "0123456789AZ", "0123-4567-89az", " o1l2 ", "OI23 4567 89AZ", "ol23-4567-89az",
    ])
  func typed(text: String) {
    let isWhole = text.filter { $0 != " " && $0 != "-" }.count == 12
    #expect(DeviceCode(typed: text)?.text == (isWhole ? "0123456789AZ" : nil))
    #expect((DeviceCode(text) != nil) == (text == "0123456789AZ"))
  }

  @Test("A code has 60 random bits, and its hash those of the service")
  func hash() throws {
    #expect(DeviceCode(random: 0).text == "000000000000")
    #expect(DeviceCode(random: .max).text == "ZZZZZZZZZZZZ")
    #expect(DeviceCode(random: 1 << 60 | 5) == DeviceCode(random: 5))
    for text in ["0123456789AU", "0123456789A", "0123456789AZ0", "0123456789Aé", ""] {
      #expect(DeviceCode(text) == nil && DeviceCode(typed: text) == nil)
    }
    // Computed apart.
    let code = try #require(DeviceCode("0123456789AZ"))
    #expect(
      "\(code.hash(at: .test))"
        == "0085c59e8439e44c4f922033ea277cede1346460a6d0773f49636278ab96275d")
    #expect(code.hash(at: ServiceID(rawValue: 1)) != code.hash(at: .test))
  }
}
