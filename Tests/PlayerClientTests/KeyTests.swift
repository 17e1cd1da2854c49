import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@Suite("Keys of a player")
struct KeyTests {
  let world = World()
  private let code = DeviceCode(random: 7)
  private let ann = InvitingPlayer(player: PlayerKey.ann.player, name: .ann)
  private let until = Instant.noon.adding(seconds: DeviceInvitation.seconds)

  init() {
    world.desk.judge = { [until] event in
      guard case .deviceInvited = event.action else { return Desk.standard(event) }
      return .accepted(.deviceInvited(until: until))
    }
  }

  /// A program of a profile with another key, which is nobody's yet.
  private func device(_ memory: ProfileMemory) throws(ClientError) -> Player {
    try Player.open(
      memory.store, bus: world.desk.bus, clock: world.clock.clock, randomness: world.randomness)
  }

  private func memory() -> ProfileMemory {
    let memory = ProfileMemory(key: .bob)
    memory.profile = Profile(service: .test, rootKey: .root)
    return memory
  }

  // MARK: Invitations

  @Test("The code of an invitation is not in its event, and comes from the randomness")
  func inviting() throws {
    let ticket = try world.player().inviteDevice()
    #expect(ticket.until == until)
    #expect(world.desk.handled.map(\.action) == [.deviceInvited(ticket.code.hash(at: .test))])
    #expect(world.memory.pending.isEmpty)
    #expect(try World(seed: 1).player().invitedCode == ticket.code)
    #expect(try World(seed: 2).player().invitedCode != ticket.code)
    // Each wish is a new invitation.
    #expect(try world.player().inviteDevice().code != ticket.code)
  }

  @Test("An invitation without an answer is resumed with its code")
  func resumed() throws {
    world.desk.faults = [.replyLost]
    let error = thrown(try world.player().inviteDevice())
    let pending = try #require(world.memory.pending.values.first)
    #expect(error == .pending(pending.id, .unknown))
    let ticket = try world.player().inviteDevice()
    #expect(ticket.code == pending.code)
    #expect(world.desk.handled.map(\.action) == [.deviceInvited(ticket.code.hash(at: .test))])
  }

  @Test("The answer to an invitation that is over is no code: another one is made")
  func late() throws {
    world.desk.faults = [.replyLost]
    _ = thrown(try world.player().inviteDevice())
    let old = try #require(world.memory.pending.values.first?.code)
    world.clock.advance(seconds: DeviceInvitation.seconds)
    let later = until.adding(seconds: DeviceInvitation.seconds)
    world.desk.judge = { _ in .accepted(.deviceInvited(until: later)) }
    let ticket = try world.player().inviteDevice()
    #expect(ticket.until == later && ticket.code != old)
    #expect(world.desk.handled.count == 2 && world.memory.pending.isEmpty)
  }

  @Test("The notice of an invitation that another command made has its code")
  func noticed() throws {
    world.desk.faults = [.replyLost]
    _ = thrown(try world.player().inviteDevice())
    let code = try #require(world.memory.pending.values.first?.code)
    try world.player().resendPending()
    guard case .answered(let event, let reply)? = world.notices.first else {
      Issue.record("nothing was told")
      return
    }
    #expect(DeviceTicket(event, reply) == DeviceTicket(code: code, until: until))
  }

  @Test("A code is kept only beside its own invitation")
  func codeOfEvent() throws {
    world.desk.faults = [.replyLost]
    _ = thrown(try world.player().inviteDevice())
    let pending = try #require(world.memory.pending.values.first)
    let (event, envelope) = (pending.event, pending.envelope)
    #expect(PendingEvent(event: event, envelope: envelope, code: pending.code) == pending)
    #expect(PendingEvent(event: event, envelope: envelope, code: code) == nil)
    #expect(PendingEvent(event: event, envelope: envelope)?.code == nil)
  }

  // MARK: A new device

  @Test("A new device finds out whose code it has, and speaks for that player from then on")
  func adding() throws {
    let memory = memory()
    let player = try device(memory)
    world.desk.answer = { [ann] in AnswerCodec.encode(ann, query: $0.id) }
    #expect(try player.inviter(code) == ann)
    #expect(world.desk.queries.map(\.kind) == [.invitationOf(.init(code.hash(at: .test)))])
    #expect(try player.showCode(code, to: ann.player) == PlayerName("Ada"))
    let event = try #require(world.desk.handled.first)
    #expect(event.player == ann.player && event.action == .keyAdded(code))
    #expect(player.player == ann.player)
    #expect(memory.profile.player == ann.player && memory.profile.name == PlayerName("Ada"))
    #expect(memory.key == .bob && memory.key?.player == ann.player)
    // Later events are the player's, signed with the key of the device.
    _ = try player.startMatch(.solo)
    #expect(world.desk.handled.last?.player == ann.player)
    let signed = try #require(world.desk.messages.last.flatMap { try? Envelope.decode($0.body) })
    #expect(signed.key == PlayerKey.bob.publicKey)
    #expect(try device(memory).player == ann.player)
  }

  @Test("A device whose program ends before the answer goes on with the same event")
  func addingResumed() throws {
    let memory = memory()
    world.desk.faults = [.replyLost]
    let error = thrown(try device(memory).showCode(code, to: ann.player))
    let pending = try #require(memory.pending.values.first)
    #expect(error == .pending(pending.id, .unknown))
    #expect(memory.profile.player == nil && memory.key?.isLater == false)
    let player = try device(memory)
    #expect(try player.showCode(code, to: ann.player) == PlayerName("Ada"))
    #expect(world.desk.handled.count == 1 && memory.pending.isEmpty)
    #expect(player.player == ann.player && memory.key?.player == ann.player)
  }

  @Test("Any later command of a device takes in that it was let in")
  func addedLate() throws {
    let memory = memory()
    world.desk.faults = [.replyLost]
    _ = thrown(try device(memory).showCode(code, to: ann.player))
    let player = try device(memory)
    try player.resendPending()
    #expect(player.player == ann.player && memory.key?.player == ann.player)
  }

  @Test("A program that ends after the key has its player is followed by one that goes on")
  func halfAdded() throws {
    let memory = memory()
    var store = memory.store
    store.saveProfile = { profile throws(ProfileError) in
      guard profile.player == nil else { throw .lockHeld(processID: nil) }
      memory.profile = profile
    }
    let half = try Player.open(
      store, bus: world.desk.bus, clock: world.clock.clock, randomness: world.randomness)
    _ = thrown(try half.showCode(code, to: ann.player))
    #expect(memory.key?.player == ann.player && memory.profile.player == nil)
    try device(memory).resendPending()
    #expect(memory.profile.player == ann.player && memory.pending.isEmpty)
  }

  @Test("A device that is not let in stays nobody's, and can take a name")
  func notAdded() throws {
    let memory = memory()
    world.desk.judge = { _ in .refused(.deviceCodeInvalid) }
    guard
      case .refused("deviceCodeInvalid", _, _)? = thrown(
        try device(memory).showCode(code, to: ann.player))
    else {
      Issue.record("the code was taken")
      return
    }
    #expect(memory.profile.player == nil && memory.key?.isLater == false)
    world.desk.judge = Desk.standard
    _ = try device(memory).register(.bob)
    #expect(world.desk.handled.last?.player == PlayerKey.bob.player)
  }

  // MARK: List and removal

  @Test("A player sees the own keys, and removes one by its event")
  func removing() throws {
    let list = KeyList(keys: [.init(key: PlayerKey.ann.publicKey, addedAt: .noon)])
    world.desk.answer = { AnswerCodec.encode(list, query: $0.id) }
    #expect(try world.player().keys() == list)
    #expect(world.desk.queries.map(\.kind) == [.keys])
    try world.player().removeKey(PlayerKey.bob.publicKey)
    #expect(world.desk.handled.map(\.action) == [.keyRemoved(PlayerKey.bob.publicKey)])
  }

  // MARK: Files

  private static let later =
    "cubist-key-2:02030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021:"

  @Test("The copy of a later key names its player, and comes back")
  func exported() throws {
    let key = PlayerKey.bob.speaking(for: ann.player)
    #expect(key.exported.hasPrefix(Self.later + "\(ann.player):"))
    let again = try PlayerKey(
      exported: key.exported.uppercased().replacing("CUBIST-KEY", with: "cubist-key"))
    #expect(again == key && again.player == ann.player && again.isLater)
    #expect(PlayerKey.bob.speaking(for: PlayerKey.bob.player).exported == PlayerKey.bob.exported)
    let bob = "\(PlayerKey.bob.player)"
    for (text, error) in [
      (key.exported.replacing("\(ann.player)", with: bob), KeyTextError.checksumMismatch),
      (Self.later + "00000000", .incomplete), (Self.later + ":00000000", .incomplete),
      (key.exported + ":", .incomplete),
      (PlayerKey.bob.exported.replacing("key-1", with: "key-2"), .incomplete),
      (key.exported.replacing("key-2", with: "key-1"), .incomplete),
    ] {
      #expect(throws: error, "\(text)") { try PlayerKey(exported: text) }
    }
  }

  @Test("An imported key speaks for its own player, whoever had the profile before")
  func imported() throws {
    let memory = ProfileMemory()
    memory.profile = Profile(player: PlayerID(rawValue: 9), name: .bob, service: .test)
    try Player.importKey(PlayerKey.bob.speaking(for: ann.player), into: memory.store)
    #expect(memory.profile == Profile(service: .test))
    #expect(try device(memory).player == ann.player)
    memory.profile.player = ann.player
    try Player.importKey(PlayerKey.bob.speaking(for: ann.player), into: memory.store)
    #expect(memory.profile.player == ann.player)
    // A copy from the time before it was let in takes nothing away.
    try Player.importKey(.bob, into: memory.store)
    #expect(memory.key?.player == ann.player && memory.profile.player == ann.player)
  }
}

extension Player {
  fileprivate var invitedCode: DeviceCode { get throws { try inviteDevice().code } }
}
