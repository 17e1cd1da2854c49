import CustomDump
import FoundationEssentials
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@Suite("Recovery of a player")
struct RecoveryTests {
  let world = World()
  private let words = RecoveryKey.make(using: .seeded(5))
  private let ann = PlayerKey.ann.player
  private let later = Instant.noon.adding(seconds: PlayerRecovery.seconds)

  init() {
    world.desk.judge = { [later] event in
      if case .recoveryWithdrawn = event.action {
        .accepted(.noted)
      } else {
        .accepted(.recoverySet(at: later))
      }
    }
  }

  /// A program of a profile with a key that is nobody's yet.
  private func device(_ memory: ProfileMemory) throws(ClientError) -> Player {
    try Player.open(
      memory.store, bus: world.desk.bus, clock: world.clock.clock, randomness: world.randomness)
  }

  private func memory() -> ProfileMemory {
    let memory = ProfileMemory(key: .bob)
    memory.profile = Profile(service: .test, rootKey: .root)
    return memory
  }

  /// The answer to the words of a recovery key.
  private func view(_ player: PlayerID? = nil) -> RecoveryView {
    RecoveryView(
      player: player ?? ann, name: .ann, role: .recoveryKey, recovery: .init(key: words.publicKey))
  }

  /// The message that was sent last.
  private func last() throws -> SignedPayload {
    try Envelope.decode(try #require(world.desk.messages.last).body)
  }

  @Test("A recovery is signed by the recovery key, and proves the new one")
  func recover() throws {
    let memory = memory()
    #expect(try device(memory).recover(view(), by: words) == later)
    let event = try #require(world.desk.handled.first)
    let signed = try last()
    #expect(event.player == ann && signed.key == words.publicKey)
    #expect(Ed25519.verify(signed, .event))
    let proof = try #require(event.newKeyProof(sender: words.publicKey))
    #expect(proof.key == PlayerKey.bob.publicKey && Ed25519.verify(proof, .newKey))
    // The profile is nobody's until it takes effect.
    #expect(memory.profile.player == nil && memory.key?.isLater == false)
    #expect(memory.pending.isEmpty)
  }

  // Failure: ClientError.recovering: The profile's key is to speak for a player by a recovery.
  //   Nothing was sent: a registration would destroy it.
  @Test("A key that waits for a recovery is registered under no name, and shows no code")
  func waiting() throws {
    let memory = memory()
    // Not even the answer has to have come.
    world.desk.faults = [.replyLost]
    _ = thrown(try device(memory).recover(view(), by: words))
    #expect(memory.profile.recovering?.name == .ann)
    #expect(try device(memory).recover(view(), by: words) == later)
    let sent = world.desk.handled.count
    let waits = ClientError.recovering(.ann, until: later)
    #expect(thrown(try device(memory).register(.ann)) == waits)
    #expect(thrown(try device(memory).showCode(DeviceCode(random: 1), to: ann)) == waits)
    #expect("\(waits)".contains("recovery"))
    #expect(world.desk.handled.count == sent)
    // The service does not know the key yet.
    world.desk.judge = { _ in .refused(.notRegistered) }
    #expect(thrown(try device(memory).startDaily(.init(day: Day(containing: .noon)))) == waits)
    // A service that refuses the recovery leaves the key free.
    let other = self.memory()
    world.desk.judge = { _ in .refused(.notRecoverable) }
    _ = thrown(try device(other).recover(view(), by: words))
    #expect(other.profile.recovering == nil)
  }

  @Test("A profile that waits for a recovery is read as it was written, and one without it, too")
  func kept() throws {
    let awaited = AwaitedRecovery(player: ann, name: .ann, until: later)
    for profile in [Profile(service: .test, recovering: awaited), Profile(service: .test)] {
      let bytes = try JSONEncoder().encode(profile)
      #expect(try JSONDecoder().decode(Profile.self, from: bytes) == profile)
    }
  }

  @Test("A recovery without an answer is resumed as the same event")
  func resumed() throws {
    let memory = memory()
    world.desk.faults = [.replyLost]
    let error = thrown(try device(memory).recover(view(), by: words))
    let pending = try #require(memory.pending.values.first)
    #expect(error == .pending(pending.id, .unknown))
    #expect(try device(memory).recover(view(), by: words) == later)
    #expect(world.desk.handled.count == 1 && memory.pending.isEmpty)
  }

  @Test("The recovery of another player is a wish of its own, though the new key is the same")
  func otherPlayer() throws {
    let memory = memory()
    let other = PlayerID(rawValue: 9)
    world.desk.faults = [.replyLost]
    _ = thrown(try device(memory).recover(view(), by: words))
    #expect(try device(memory).recover(view(other), by: words) == later)
    #expect(world.desk.handled.map(\.player) == [ann, other])
    #expect(memory.pending.isEmpty)
  }

  @Test("A recovery key asks how its recovery stands, and withdraws it")
  func withdraw() throws {
    let recovery = EventID(at: .noon, random: 7)
    let view = RecoveryView(
      player: ann, name: .ann, role: .recoveryKey,
      recovery: .init(
        key: words.publicKey,
        pending: .init(recovery: recovery, key: PlayerKey.bob.publicKey, at: later)))
    world.desk.answer = { AnswerCodec.encode(view, query: $0.id) }
    let player = try device(memory())
    expectNoDifference(try player.recovery(of: .ann, by: words), view)
    #expect(world.desk.queries.map(\.kind) == [.recoveryOf(.init(.ann))])
    try player.withdrawRecovery(recovery, of: ann, by: words)
    #expect(world.desk.handled.map(\.action) == [.recoveryWithdrawn(recovery)])
    #expect(world.desk.handled.map(\.player) == [ann])
    #expect(try last().key == words.publicKey)
  }

  @Test("Once it has taken effect the profile is the player's, and so is a copy of its key")
  func finish() throws {
    let memory = memory()
    let view = RecoveryView(
      player: ann, name: .ann, role: .playerKey, recovery: .init(key: words.publicKey))
    try device(memory).finishRecovery(view)
    #expect(memory.profile.player == ann && memory.profile.name == .ann)
    #expect(memory.key == .bob && memory.key?.player == ann)
    #expect(try device(memory).player == ann)
  }

  @Test("A device names a recovery key and objects; both are acts of its own")
  func acts() throws {
    let player = world.player()
    #expect(try player.nameRecoveryKey(words.publicKey) == later)
    let recovery = EventID(at: .noon, random: 7)
    #expect(try player.object(to: recovery) == later)
    #expect(
      world.desk.handled.map(\.action)
        == [.recoveryKeyNamed(words.publicKey), .recoveryObjected(recovery)])
    #expect(try last().key == PlayerKey.ann.publicKey)
  }

  @Test("A recovery key is the same for the same words, and its text has none of them")
  func key() throws {
    let typed = words.words.words.joined(separator: " ")
    #expect(RecoveryKey(try RecoveryWords(typed: typed)).publicKey == words.publicKey)
    #expect("\(words)" == "the recovery key \(words.publicKey)")
    #expect(RecoveryKey.make(using: .seeded(6)).publicKey != words.publicKey)
  }
}
