import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import MatchSimulation

@Suite("Checking keys and recoveries")
struct DeviceCheckTests {
  let world: World
  private let player: PlayerID
  private let name: PlayerName
  private let signed: SignedPayload

  init() throws {
    world = try .undisturbed()
    player = try #require(world.players.first).id
    name = try #require(PlayerName("Ann"))
    signed = SignedPayload(
      key: try #require(PublicKey(bytes: Array(repeating: 9, count: 32))), signature: [],
      payload: [])
  }

  private func key(_ byte: UInt8) throws -> PublicKey {
    try #require(PublicKey(bytes: Array(repeating: byte, count: 32)))
  }

  /// A recovery that began at a time, without credit since.
  private func pending(
    since start: Instant, objector: PublicKey? = nil
  ) throws
    -> PlayerRecovery.Pending
  {
    let clock = world.queueClock(of: player)
    let deadline = Deadline(
      at: start.adding(seconds: PlayerRecovery.seconds),
      creditMicroseconds: clock.creditMicroseconds)
    return PlayerRecovery.Pending(
      recovery: EventID(rawValue: 1), key: try key(1), signed: signed, begunAt: start,
      deadline: deadline, objector: objector)
  }

  /// The findings where an owner asks for a recovery and is back after so many hours.
  private func violations(
    backAfter hours: Int64?, lookingAfter end: Int64 = 0, isObjected: Bool = false
  ) throws -> [String] {
    let start = world.store.now
    var check = DeviceCheck()
    let asked = PlayerRecovery(
      pending: try pending(since: start, objector: isObjected ? key(2) : nil))
    try commit(.recoverySet(RecoveryChange(player: player, after: asked)), to: &check)
    let queue = world.layout.queue(of: Slot(of: player))
    func pass(_ hours: Int64) {
      world.store.clocks[queue] = QueueClock(
        time: start.adding(seconds: hours * 3_600 + 10),
        creditMicroseconds: world.queueClock(of: player).creditMicroseconds)
    }
    if let hours {
      pass(hours)
      try commit(recovered, to: &check)
    } else {
      pass(end)
    }
    #expect(check.counts.objections == (isObjected ? 1 : 0))
    return check.violations(world)
  }

  private var recovered: KeyChange {
    get throws {
      .recovered(
        RecoveredKey(
          player: player, name: name, key: try key(1), at: world.store.now, origin: [],
          removed: [], after: PlayerRecovery()))
    }
  }

  private func commit(
    _ change: @autoclosure () throws -> KeyChange, to check: inout DeviceCheck
  )
    throws
  {
    var write = BatchWrite(now: world.store.now)
    write.keyChanges = [try change()]
    check.committed(write, world)
  }

  @Test("An owner is back 72 hours after asking, or 144 if a device objected")
  func inTime() throws {
    #expect(try violations(backAfter: 72) == [])
    #expect(try violations(backAfter: 144, isObjected: true) == [])
    #expect(try violations(backAfter: nil, lookingAfter: 70) == [])
  }

  @Test("A recovery that takes effect earlier is found")
  func early() throws {
    #expect(try violations(backAfter: 71).count == 1)
    #expect(try violations(backAfter: 143, isObjected: true).count == 1)
  }

  @Test("A recovery that takes effect later, or never, is found")
  func late() throws {
    #expect(try violations(backAfter: 74).count == 1)
    #expect(try violations(backAfter: 216, isObjected: true).count == 1)
    #expect(try violations(backAfter: nil, lookingAfter: 74).count == 1)
  }

  @Test("A recovery that nobody asked for is found")
  func unasked() throws {
    var check = DeviceCheck()
    try commit(recovered, to: &check)
    #expect(check.violations(world).count == 1)
  }

  @Test("A change that the player is not told of is found")
  func untold() throws {
    var check = DeviceCheck()
    #expect(check.untold(world) == [])
    try commit(recovered, to: &check)
    #expect(check.untold(world).count == 1)
    let event = Event(
      service: world.identity.service, id: EventID(rawValue: 1), player: player,
      action: .keyRemoved(try key(1)))
    let job = PushJob(account: player, causedBy: event)
    world.store.deliveries[job.id] = (job, .delivered)
    #expect(check.untold(world) == [])
  }

  @Test("Two keys that came in by one invitation are found")
  func twice() throws {
    var check = DeviceCheck()
    for byte in [UInt8(3), 4] {
      #expect(check.violations(world).isEmpty)
      let added = AddedKey(
        player: player, name: name, key: try key(byte), at: world.store.now,
        invitation: Hash(sha256Of: [1]), origin: [])
      try commit(.added(added), to: &check)
    }
    #expect(check.violations(world).count == 1)
  }

  @Test("An event that counts after its key was removed is found")
  func removed() throws {
    let owner = DeviceOwner(number: 0, world: world)
    let signer = try #require(owner.signers.first)
    var check = DeviceCheck()
    for number in 0..<2 {
      owner.sender.send(.keyRemoved(signer.publicKey), by: signer)
      let sent = try #require(world.deviceEvents.sent.last)
      var write = BatchWrite(now: world.store.now)
      let reply = ReplyCodec.encode(
        .accepted(.keyRemoved(signer.publicKey)), event: sent.key.event)
      write.replies = [
        BatchWrite.Reply(
          key: sent.key, reply: StoredReply(payloadHash: sent.payloadHash, reply: reply))
      ]
      check.committed(write, world)
      #expect(check.violations(world).count == number)
    }
  }

  @Test("More keys than may speak for a player are found")
  func tooMany() throws {
    for byte in 0...UInt8(PlayerKeys.limit) {
      world.store.keys[try key(100 + byte)] = KeyOwner(player: player, name: name)
    }
    var check = DeviceCheck()
    let invitation = DeviceInvitation(
      player: player, hash: Hash(sha256Of: [1]), until: world.store.now, signed: signed)
    try commit(.invited(invitation), to: &check)
    #expect(check.violations(world).count == 1)
  }
}
