import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

/// A person who plays. The person has wishes, starts the shipped program to fulfil them, believes
/// the program, and asks again about unanswered events.
final class SimulatedPlayer {
  /// A single wish of the person, however often it is requested.
  struct Wish {
    var number: Int
    var act: (Player) throws(ClientError) -> Told
  }

  /// The program's answer when a wish was fulfilled.
  enum Told {
    case registered(PlayerName)
    case seat(MatchTicket)
    case turn(TurnReceipt)
    case done(MatchID)
    case noted
  }

  let name: String
  let random: SeededRandom
  unowned let world: World
  /// Decides the wishes about when notifications come. Nil: the player has none.
  let wishes: SeededRandom?
  /// The data that the program keeps between two starts.
  let memory: ProfileMemory
  /// Signs in runs without real signatures. Nil: the profile's key signs.
  let signer: Signer?
  let id: PlayerID

  /// The person's last view.
  var home: HomeView?
  var views: [MatchID: MatchView] = [:]
  var games: [PastGame] = []
  var isRegistered = false
  /// Whether the person was told that the key was revoked, and has given up.
  private var isBarred = false

  private(set) var wish: Wish?
  /// Unanswered wishes that the person may come back to.
  private var postponed: [Wish] = []
  private var program: (life: PlayerProgram, client: Player)?
  private var startsAt: Instant
  private var waiting: (until: Instant, isOver: () -> Bool)?
  private var coroutine: Coroutine?
  private var isLeaving = false

  /// A person with a key of their own, or a second device of another person. The second device has
  /// the same key and knows nothing of the first one's acts.
  init(number: Int, world: World, sharing other: SimulatedPlayer? = nil) {
    name = "player \(number)"
    self.world = world
    random = world.random.fork()
    wishes = world.wishes?.fork()
    startsAt = world.clock.now
    if let other {
      memory = ProfileMemory(key: other.memory.key)
      (signer, id) = (other.signer, other.id)
    } else if world.options.usesEd25519 {
      let key = PlayerKey.make(using: random.randomness)
      memory = ProfileMemory(key: key)
      (signer, id) = (nil, key.player)
    } else {
      let signer = KeyedHash.signer(random)
      memory = ProfileMemory()
      self.signer = signer
      id = PlayerID(firstKey: signer.publicKey)
    }
  }

  /// Whether the program stands still and every event is answered or given up.
  var isSettled: Bool { waiting == nil && memory.pending.isEmpty }

  var pendingCount: Int { memory.pending.count }

  // MARK: Turns

  /// Continues after a wait, or may begin something.
  func turn() {
    if let waiting {
      guard world.clock.now >= waiting.until || waiting.isOver() else { return }
    } else {
      guard world.clock.now >= startsAt, isInclined else { return }
    }
    resume()
  }

  private var isInclined: Bool {
    mayAct ? random.happens(0.4) : !memory.pending.isEmpty
  }

  private var mayAct: Bool { world.eventsLeft > 0 && !isBarred }

  /// Ends the program wherever it stands, and all that was begun.
  func leave() {
    isLeaving = true
    program?.life.end()
    while let coroutine, !coroutine.isOver { resume() }
    coroutine = nil
  }

  private func resume() {
    let coroutine =
      coroutine
      ?? Coroutine { [unowned self] coroutine in
        while !isLeaving {
          live()
          if !isLeaving { coroutine.yield() }
        }
      }
    self.coroutine = coroutine
    do throws(ThreadFailure) {
      try coroutine.resume()
    } catch {
      world.violations.append("\(error)")
      isLeaving = true
      self.coroutine = nil
    }
  }

  /// Stands still while the world goes on.
  func wait(until limit: Instant, _ isOver: @escaping () -> Bool) {
    guard !isLeaving, !isOver(), limit > world.clock.now else { return }
    waiting = (limit, isOver)
    coroutine?.yield()
    waiting = nil
  }

  // MARK: A sitting

  /// Starts the program if it does not run, and does one thing with it.
  private func live() {
    guard let (life, client) = program ?? start() else { return }
    if mayAct {
      act(client, life)
    } else {
      do throws(ClientError) { try client.resendPending() } catch { complain(of: error) }
    }
    // Some leave their program running. Others start it for every command.
    if !life.isDead, random.happens(0.2) { life.end() }
    guard life.isDead else { return }
    program = nil
    startsAt = world.clock.now.adding(
      microseconds: Int64(random.number(in: 50_000...3_000_000)))
  }

  private func start() -> (life: PlayerProgram, client: Player)? {
    let life = PlayerProgram(of: self, in: world, skew: skew)
    do throws(ClientError) {
      let client = try life.makeClient()
      client.patience = patience
      client.keepsUntilTold = true
      client.onNotice = { [unowned self] in hear($0) }
      program = (life, client)
      world.trace.note(name, "starts")
      return program
    } catch {
      complain(of: error)
      return nil
    }
  }

  private var patience: Player.Patience {
    var patience = Player.Patience()
    patience.reply = .milliseconds(random.number(in: 1_000...8_000))
    patience.resend = .milliseconds(random.number(in: 1_000...5_000))
    patience.query = .milliseconds(random.number(in: 1_000...4_000))
    patience.attempts = random.number(in: 1...3)
    return patience
  }

  /// The error of a program's clock. It makes events too old, old, a little ahead, or too far
  /// ahead.
  private var skew: Duration {
    // An unregistered player has a right clock, so that they are let in.
    guard isRegistered, world.faults.strikes(.staleClient) else { return .zero }
    world.trace.note(name, "has a wrong clock")
    let seconds: Int64 = random.pick([-8 * 86_400, -6 * 86_400, 120, 600]) ?? 0
    return .seconds(seconds)
  }

  private func act(_ client: Player, _ life: PlayerProgram) {
    if wish == nil, !postponed.isEmpty, random.happens(0.3) {
      wish = postponed.remove(at: random.below(postponed.count))
    }
    if wish == nil { wish = choose(client) }
    guard let wish else { return }
    let pending = Set(memory.pending.keys)
    do throws(ClientError) {
      let told = try wish.act(client)
      // A program killed with the answer in hand tells nobody.
      guard !life.meetsItsEnd() else { return }
      world.told.append((id, wish.number, told))
      learn(told)
      finish(pending, client)
    } catch {
      guard life.isDead || !life.meetsItsEnd() else { return }
      world.trace.note(name, "has no success")
      learn(error, pending, client)
    }
  }

  private func learn(_ told: Told) {
    switch told {
    case .registered: isRegistered = true
    case .seat(let ticket): offer(ticket)
    case .turn, .done, .noted: break
    }
  }

  private func learn(_ error: ClientError, _ pending: Set<EventID>, _ client: Player) {
    complain(of: error)
    switch error {
    case .pending, .earlierPending, .unreachable, .profile:
      // Most ask again about unanswered events, sooner or later.
      guard let wish, random.happens(0.3) else { return }
      if random.happens(0.5) { postponed.append(wish) }
      self.wish = nil
    case .refused(_, _, .alreadyRegistered?):
      isRegistered = true
      finish(pending, client)
    case .refused(_, _, .keyRevoked?), .queryRefused(_, _, .keyRevoked?):
      isBarred = true
      finish(pending, client)
    default: finish(pending, client)
    }
  }

  /// The wish was answered. The answer may be for an event of an earlier wish for the same thing.
  /// Then the earlier wish is answered too.
  private func finish(_ pending: Set<EventID>, _ client: Player) {
    wish = nil
    // If it is killed here, the answer is told once more.
    do throws(ClientError) { try client.forgetTold() } catch { complain(of: error) }
    let answered = pending.filter { memory.pending[$0] == nil }
    let wishes = Set(
      answered.compactMap { world.senders.event(EventKey(player: id, event: $0))?.wish })
    postponed.removeAll { wishes.contains($0.number) }
  }

  /// Complains of errors that an honest service in a simulation never causes.
  private func complain(of error: ClientError) {
    switch error {
    case .foreignReply, .unreadable, .rootKeyChanged, .serviceChanged, .outdated, .tooLarge:
      world.violations.append("\(name) was told: \(error)")
    default: break
    }
  }

  private func hear(_ notice: ClientNotice) {
    guard case .answered(let event, let reply) = notice, program?.life.isDead != true else {
      return
    }
    world.trace.note(name, "hears of an answer", event.id.rawValue)
    let sent = world.senders.event(EventKey(player: id, event: event.id))
    if let wish, sent?.wish == wish.number { self.wish = nil }
    postponed.removeAll { $0.number == sent?.wish }
    switch reply {
    case .accepted(.registered), .refused(_, _, .alreadyRegistered?): isRegistered = true
    case .accepted(.matchStarted(let ticket)): offer(ticket)
    default: break
    }
  }

  private func offer(_ ticket: MatchTicket) {
    if let code = ticket.code, !world.codes.contains(code) { world.codes.append(code) }
  }

  /// An event was signed and stored in the profile.
  func signed(_ event: PendingEvent) {
    world.eventsLeft -= 1
    world.trace.note(name, "signs", event.id.rawValue)
    world.senders.add(event, wish: wish?.number, at: world.clock.now)
  }
}
