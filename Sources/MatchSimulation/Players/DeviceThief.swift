import MatchCore
import MatchService
import MatchWire

/// A person who has the key of another one's device and wants to keep the account.
///
/// The thief knows what a list of the player's keys shows.
final class DeviceThief {
  private unowned let world: World
  private let sender: DeviceSender
  private let random: SeededRandom
  /// The stolen key and those that came in by it.
  private(set) var signers: [Signer]
  private let recoverySigner: Signer
  private var codes: [Hash: DeviceCode] = [:]
  private var openCodes: [DeviceCode] = []
  private var additionsLeft: Int
  private var namingsLeft = 2
  private var objectionsLeft: Int
  private var turnsLeft: Int
  private var restsLeft = 60
  private var hasSeenInbox = false
  private var objectsAt: Instant
  /// The time of the next act. Nil: the thief has given up.
  private(set) var actsAt: Instant?

  init(of player: PlayerID, name: String, with stolen: Signer, world: World) {
    self.world = world
    random = world.random.fork()
    sender = DeviceSender(
      name: name, player: player, world: world, random: random.fork())
    signers = [stolen]
    recoverySigner = World.signer(world.options, random)
    // Some want to fill the account up.
    additionsLeft = random.happens(0.2) ? PlayerKeys.dailyLimit : random.number(in: 1...4)
    objectionsLeft = random.happens(0.75) ? 4 : 0
    turnsLeft = random.number(in: 0...3)
    objectsAt = world.clock.now
    actsAt = world.clock.now
    sender.onAnswer = { [unowned self] in hear($0, $2) }
  }

  var isWaiting: Bool { sender.isWaiting }

  func turn() {
    sender.turn()
    guard let actsAt, !sender.isWaiting, world.clock.now >= actsAt else { return }
    act()
  }

  private func hear(_ event: Event, _ refusal: Refusal?) {
    switch (event.action, refusal) {
    case (.deviceInvited(let invited), nil):
      if let code = codes[invited.invitation] { openCodes.append(code) }
    case (_, .rateLimited?): actsAt = world.clock.now.adding(seconds: 61)
    default: break
    }
  }

  private func act() {
    let (now, speaking) = (world.clock.now, world.store.speakingKeys(of: sender.player))
    guard let signer = random.pick(signers.filter { speaking.contains($0.publicKey) }) else {
      actsAt = nil
      return
    }
    let wishes = wishes(by: signer, speaking, now)
    guard let wish = random.pick(wishes) else {
      restsLeft -= 1
      actsAt = restsLeft > 0 ? now.adding(seconds: Int64(random.number(in: 8...24)) * 3_600) : nil
      return
    }
    actsAt = now.adding(seconds: Int64(random.number(in: 1...5)))
    wish()
  }

  private func wishes(
    by signer: Signer, _ speaking: Set<PublicKey>, _ now: Instant
  ) -> [() -> Void] {
    var wishes: [() -> Void] = []
    if additionsLeft > 0 || !openCodes.isEmpty { wishes.append { self.add(by: signer) } }
    let others = speaking.subtracting(signers.map(\.publicKey)).sorted {
      $0.bytes.lexicographicallyPrecedes($1.bytes)
    }
    if let other = random.pick(others) {
      wishes.append { self.sender.send(.keyRemoved(other), by: signer) }
    }
    let recovery = world.store.recoveries[sender.player] ?? PlayerRecovery()
    if namingsLeft > 0, !recovery.keys.contains(recoverySigner.publicKey) {
      wishes.append { self.nameRecoveryKey(by: signer) }
    }
    if let pending = recovery.pending, objectionsLeft > 0, now >= objectsAt {
      wishes.append { self.object(to: pending.recovery, by: signer) }
    }
    if let device = (world.store.devices[sender.player] ?? [:]).keys.min() {
      wishes.append { self.sender.send(.deviceRemoved(device), by: signer) }
    }
    if !hasSeenInbox { wishes.append { self.seeInbox(by: signer) } }
    if turnsLeft > 0 { wishes.append { self.play(by: signer) } }
    return wishes
  }

  private func add(by signer: Signer) {
    if let code = openCodes.popLast() {
      let new = World.signer(world.options, random)
      signers.append(new)
      return sender.send(.keyAdded(code), by: new)
    }
    additionsLeft -= 1
    let code = DeviceCode(random: random.next())
    let hash = code.hash(at: world.identity.service)
    codes[hash] = code
    sender.send(.deviceInvited(hash), by: signer)
  }

  private func nameRecoveryKey(by signer: Signer) {
    namingsLeft -= 1
    sender.send(.recoveryKeyNamed(recoverySigner.publicKey), by: signer)
  }

  /// Only the first objection counts. The thief tries again all the same.
  private func object(to recovery: EventID, by signer: Signer) {
    objectionsLeft -= 1
    objectsAt = world.clock.now.adding(seconds: Int64(random.number(in: 10...40)) * 3_600)
    sender.send(.recoveryObjected(recovery), by: signer)
  }

  private func seeInbox(by signer: Signer) {
    hasSeenInbox = true
    sender.send(.inboxSeen(.all), by: signer)
  }

  private func play(by signer: Signer) {
    turnsLeft -= 1
    sender.play(by: signer)
  }
}
