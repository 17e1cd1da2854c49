import MatchCore
import MatchService
import MatchWire

/// A player with several devices. Some are robbed of one, and come back by the recovery key.
///
/// The owner knows what a list of the player's keys shows, and makes the next act up from it. So an
/// act that is lost or refused comes again.
final class DeviceOwner {
  enum Situation {
    case atEase
    /// Somebody has the key of a device. The owner does not know it yet.
    case robbed(at: Instant)
    case alarmed(robbedAt: Instant, noticedAt: Instant)
    case over
  }

  let id: PlayerID
  unowned let world: World
  let sender: DeviceSender
  let random: SeededRandom
  /// The keys of all devices: those that speak, spoke, or are still to come in.
  private(set) var signers: [Signer]
  private let recoverySigner: Signer
  private var stolen: PublicKey?
  private(set) var situation = Situation.atEase
  private(set) var thief: DeviceThief?
  private(set) var actsAt: Instant
  private var codes: [Hash: DeviceCode] = [:]
  private var openCodes: [DeviceCode] = []
  private var actsLeft: Int
  /// Seconds from the registration to the naming of the recovery key. Later than an hour, the key
  /// counts after three days.
  private let namedAfter: Int64
  /// Seconds from the registration to the theft. Nil: none happens.
  private var robbedAfter: Int64?
  /// The plan for the end. Nil: the owner stays.
  var leavingPlan: LeavingPlan?

  init(number: Int, world: World) {
    self.world = world
    random = world.random.fork()
    let first = World.signer(world.options, random)
    signers = [first]
    id = PlayerID(firstKey: first.publicKey)
    recoverySigner = World.signer(world.options, random)
    sender = DeviceSender(
      name: "owner \(number)", player: id, world: world, random: random.fork())
    actsLeft = random.number(in: 8...20)
    namedAfter =
      random.happens(0.75)
      ? Int64(random.number(in: 0...60)) : Int64(random.number(in: 2...8)) * 3_600
    robbedAfter = random.happens(0.6) ? Int64(random.number(in: 1...24)) * 3_600 : nil
    actsAt = world.clock.now
    leavingPlan = world.leaving.flatMap { LeavingPlan($0) }
    sender.onAnswer = { [unowned self] in hear($0, $1, $2) }
  }

  var isOver: Bool { if case .over = situation { true } else { false } }

  /// Whether an event of the owner or of the thief has no answer yet.
  var isWaiting: Bool { sender.isWaiting || thief?.isWaiting ?? false }

  /// The times of the next acts.
  var nextActs: [Instant] { (isOver ? [] : [actsAt]) + [thief?.actsAt].compactMap(\.self) }

  func turn() {
    thief?.turn()
    sender.turn()
    guard !isOver, !sender.isWaiting, world.clock.now >= actsAt else { return }
    guard let player = world.store.players[id] else { return register() }
    switch situation {
    case .atEase: live(since: player.registeredAt)
    case .robbed(let time): look(robbedAt: time)
    case .alarmed: comeBack()
    case .over: break
    }
  }

  func rest(_ seconds: ClosedRange<Int>) {
    actsAt = world.clock.now.adding(seconds: Int64(random.number(in: seconds)))
  }

  /// Rests for so many µs, and a little longer.
  func sleep(_ microseconds: Int64) {
    actsAt = world.clock.now.adding(microseconds: max(0, microseconds)).adding(seconds: 40)
  }

  private func hear(_ event: Event, _ signer: Signer, _ refusal: Refusal?) {
    switch (event.action, refusal) {
    case (.deviceInvited(let invited), nil):
      if let code = codes[invited.invitation] { openCodes.append(code) }
    case (.playerRegistered, nil) where world.store.isGone(id):
      world.violations.append("player \(id) is gone, and the key has registered again")
    case (_, .rateLimited?): rest(61...70)
    case (_, .keyRevoked?):
      if case .robbed(let time) = situation { notice(robbedAt: time) }
    default: break
    }
  }

  func register() {
    rest(2...5)
    var code: ShareCode?
    if world.store.needsCode, let own = ShareCode("HOME\(sender.name.suffix(1))") {
      if world.store.registrationCodes[own] == nil {
        world.store.registrationCodes[own] = .some(nil)
      }
      code = own
    }
    guard let name = PlayerName("Owner\(sender.name.suffix(1))") else { return }
    sender.send(.playerRegistered(name: name, code: code), by: signers[0])
  }

  func finish() { situation = .over }

  // MARK: Keys

  /// The devices that speak for the player now.
  var speaking: [Signer] {
    let keys = world.store.speakingKeys(of: id)
    return signers.filter { keys.contains($0.publicKey) }
  }

  /// The keys that speak for the player and are not the owner's own, or are stolen.
  private var foreign: [PublicKey] {
    let own = Set(signers.map(\.publicKey)).subtracting([stolen].compactMap(\.self))
    return world.store.speakingKeys(of: id).subtracting(own).sorted {
      $0.bytes.lexicographicallyPrecedes($1.bytes)
    }
  }

  var recovery: PlayerRecovery { world.store.recoveries[id] ?? PlayerRecovery() }

  /// Whether the owner's recovery key counts.
  private var isRecoverable: Bool {
    let (recovery, key) = (recovery, recoverySigner.publicKey)
    if let waiting = recovery.waiting, waiting.named.key == key {
      return world.remaining(until: waiting.deadline, setAt: recovery.namedAt, of: id) <= 0
    }
    return recovery.named?.key == key
  }

  // MARK: Every day

  private func live(since registration: Instant) {
    let age = world.store.now.microseconds(since: registration) / 1_000_000
    if recovery.keys.isEmpty, age >= namedAfter, let signer = speaking.first {
      rest(1...3)
      return sender.send(.recoveryKeyNamed(recoverySigner.publicKey), by: signer)
    }
    guard actsLeft == 0 else {
      actsLeft -= 1
      rest(0...3)
      return bustle()
    }
    guard let robbedAfter else { return leave() }
    let wait = (recovery.keys.isEmpty ? namedAfter : robbedAfter) - age
    guard wait <= 0 else { return sleep(wait * 1_000_000) }
    let waiting = recovery.waiting.map {
      world.remaining(until: $0.deadline, setAt: recovery.namedAt, of: id)
    }
    if let waiting, waiting > 0 { return sleep(waiting) }
    guard let device = random.pick(speaking), isRecoverable else { return rest(600...3_600) }
    beRobbed(of: device)
  }

  private func beRobbed(of device: Signer) {
    world.trace.note(sender.name, "is robbed")
    world.devices.noteTheft()
    situation = .robbed(at: world.clock.now)
    signers = speaking
    stolen = device.publicKey
    thief = DeviceThief(
      of: id, name: "thief of \(sender.name)", with: device, world: world)
    rest(3 * 3_600...15 * 3_600)
  }

  /// Adds and removes devices, and plays on any of them.
  private func bustle() {
    let speaking = speaking
    guard let signer = random.pick(speaking) else { return }
    switch random.below(10) {
    case 0...3: add(by: signer)
    case 4: remove(speaking, by: signer)
    case 5:
      let name = random.pick(["phone", "tablet"]).flatMap { DeviceName($0) }
      if let name {
        sender.send(
          .deviceRegistered(Device(name: name, token: "\(id)", permission: .authorized)), by: signer
        )
      }
    // Also on a device that was removed, or never came in.
    default: sender.play(by: random.happens(0.1) ? random.pick(signers) ?? signer : signer)
    }
  }

  private func add(by signer: Signer) {
    guard let code = openCodes.popLast() else {
      let code = DeviceCode(random: random.next())
      let hash = code.hash(at: world.identity.service)
      codes[hash] = code
      return sender.send(.deviceInvited(hash), by: signer)
    }
    // Two devices may show one code.
    let isRace = random.happens(0.4)
    if isRace { world.devices.noteRace() }
    for _ in 0..<(isRace ? 2 : 1) {
      let new = World.signer(world.options, random)
      signers.append(new)
      sender.send(.keyAdded(code), by: new)
    }
  }

  private func remove(_ speaking: [Signer], by signer: Signer) {
    guard speaking.count > 1, let other = random.pick(speaking) else { return add(by: signer) }
    if random.happens(0.6) {
      // Its turn may still wait when it is removed.
      world.devices.noteRace()
      sender.play(by: other)
    }
    sender.send(.keyRemoved(other.publicKey), by: signer)
  }

  // MARK: After a theft

  /// Looks at the list of keys, or finds out by a refusal.
  private func look(robbedAt time: Instant) {
    let isNamedAnew =
      !recovery.keys.isEmpty && recovery.keys != [recoverySigner.publicKey]
    guard foreign.allSatisfy({ $0 == stolen }), !isNamedAnew else { return notice(robbedAt: time) }
    rest(3 * 3_600...15 * 3_600)
    if let device = signers.first(where: { $0.publicKey != stolen }) {
      sender.send(.settingsChanged(SettingsChange(reminders: true)), by: device)
    }
  }

  private func notice(robbedAt time: Instant) {
    world.trace.note(sender.name, "notices the theft")
    situation = .alarmed(robbedAt: time, noticedAt: world.clock.now)
    rest(1...600)
  }

  /// Removes the thief's keys if a device is left, or else asks for a recovery.
  private func comeBack() {
    rest(2...5)
    guard let device = speaking.first(where: { $0.publicKey != stolen }) else { return recover() }
    if let key = foreign.first { return sender.send(.keyRemoved(key), by: device) }
    world.trace.note(sender.name, "is back")
    situation = .atEase
    (robbedAfter, actsLeft) = (nil, 4)
  }

  private func recover() {
    if let pending = recovery.pending {
      return sleep(world.remaining(until: pending.deadline, setAt: pending.begunAt, of: id))
    }
    rest(61...300)
    let new = World.signer(world.options, random)
    signers.append(new)
    let action = Event.Action.playerRecovered(
      of: id, at: world.identity.service, by: recoverySigner.publicKey, to: new)
    sender.send(action, by: recoverySigner)
  }

  /// The finding if the owner noticed the theft and cannot even ask for a recovery.
  var violation: String? {
    guard case .alarmed(let robbedAt, let noticedAt) = situation,
      world.clock.now > noticedAt.adding(seconds: 86_400), recovery.pending == nil,
      !speaking.contains(where: { $0.publicKey != stolen })
    else { return nil }
    return "player \(id) was robbed at \(robbedAt), noticed it at \(noticedAt), "
      + "and is refused a recovery"
  }
}
