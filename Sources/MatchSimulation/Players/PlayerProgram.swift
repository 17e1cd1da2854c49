import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// One run of a player's program, from its start to its end: the shipped client over the simulated
/// broker.
///
/// Once killed, it is not heard of again. The rest of its code on the way out fails and has no
/// effect. Its profile survives it.
final class PlayerProgram {
  private(set) var isDead = false
  private unowned let world: World
  private unowned let player: SimulatedPlayer
  /// The error of its clock.
  private let skew: Duration
  private var link: SimulatedBroker.Link?
  private var lastRequest = 0
  /// The messages sent over the connection, by correlation id.
  private var underWay: [String: Int] = [:]

  init(of player: SimulatedPlayer, in world: World, skew: Duration) {
    self.player = player
    self.world = world
    self.skew = skew
  }

  /// The client that it runs.
  func makeClient() throws(ClientError) -> Player {
    guard let signer = player.signer else {
      return try Player.open(
        store, bus: bus, clock: clock, randomness: player.random.randomness, makingKey: true)
    }
    return Player(
      profile: player.memory.profile, signer: signer, bus: bus, clock: clock,
      randomness: player.random.randomness, store: store)
  }

  /// Ends the program, either killed or finished.
  func end() {
    isDead = true
    if let link { world.broker.drop(link) }
    player.memory.isLocked = false
  }

  /// Whether the program is killed here.
  func meetsItsEnd() -> Bool {
    if !isDead, world.faults.strikes(.clientKill) {
      world.trace.note(player.name, "is killed")
      end()
    }
    return isDead
  }

  // MARK: The clock

  private var clock: WallClock {
    let (now, uptime) = (world.clock, world.clock.wallClock.uptimeNanoseconds)
    let skew = skew
    let handle = Handle(self)
    return WallClock(
      now: { now.now.adding(skew) }, uptimeNanoseconds: uptime,
      sleep: { handle.program.sleep($0) })
  }

  private func sleep(_ duration: Duration) {
    guard !isDead else { return }
    player.wait(until: world.clock.now.adding(duration)) { false }
  }

  /// A program passed to a closure that may be sent elsewhere, but is not.
  // SAFETY: a client is confined to its player's coroutine, and so is its clock.
  private struct Handle: @unchecked Sendable {
    unowned let program: PlayerProgram

    init(_ program: PlayerProgram) { self.program = program }
  }

  // MARK: The profile

  private var store: ProfileStore {
    let isRenewing = world.options.bug == .pendingResentWithNewID
    let kept = isRenewing ? player.storeRenewingPending : player.memory.store
    return ProfileStore(
      lock: { () throws(ProfileError) in
        let lock = try self.onFiles(kept.lock)
        return ProfileLock { if !self.isDead { lock.release() } }
      },
      loadKey: { () throws(ProfileError) in try self.onFiles(kept.loadKey) },
      saveKey: { key throws(ProfileError) in
        try self.onFiles { () throws(ProfileError) in try kept.saveKey(key) }
      },
      loadProfile: { () throws(ProfileError) in try self.onFiles(kept.loadProfile) },
      saveProfile: { profile throws(ProfileError) in
        try self.onFiles { () throws(ProfileError) in try kept.saveProfile(profile) }
      },
      loadURL: { () throws(ProfileError) in try self.onFiles(kept.loadURL) },
      saveURL: { url throws(ProfileError) in
        try self.onFiles { () throws(ProfileError) in try kept.saveURL(url) }
      },
      loadPending: { () throws(ProfileError) in try self.onFiles(kept.loadPending) },
      savePending: { event throws(ProfileError) in
        try self.onFiles { () throws(ProfileError) in
          try kept.savePending(event)
          self.player.signed(event)
        }
      },
      removePending: { id throws(ProfileError) in
        try self.onFiles { () throws(ProfileError) in try kept.removePending(id) }
      },
      journal: { line throws(ProfileError) in
        try self.onFiles { () throws(ProfileError) in
          try kept.journal(line)
          self.world.senders.note(line, of: self.player.id)
        }
      },
      loadJournal: { () throws(ProfileError) in try self.onFiles(kept.loadJournal) })
  }

  private func onFiles<Value>(
    _ body: () throws(ProfileError) -> Value
  ) throws(ProfileError) -> Value {
    guard !meetsItsEnd() else { throw .notAccessible(path: player.name, reason: "killed") }
    return try body()
  }

  // MARK: The bus

  private var bus: PlayerBus {
    PlayerBus.failing.with {
      $0.request.answer { message, timeout throws(BusError) in
        guard !self.meetsItsEnd() else { throw .disconnected("killed") }
        do throws(BusError) {
          let answer = try self.request(message, timeout)
          guard !self.isDead else { throw .disconnected("killed") }
          return answer
        } catch {
          throw self.isDead ? .disconnected("killed") : error
        }
      }
      $0.close.answer { if !self.isDead { self.end() } }
    }
  }

  private func request(
    _ message: PlayerMessage, _ timeout: Duration
  ) throws(BusError) -> PlayerAnswer {
    world.hostile.watch(message)
    guard let link = openLink() else { throw .disconnected("the broker is down") }
    lastRequest += 1
    let id = "\(lastRequest)"
    let event = world.senders.index(of: message.body)
    underWay[id] = event
    let start = world.clock.now
    guard try world.broker.publish(message, correlationID: id, timeout: timeout, over: link)
    else { return .unknown }
    var limit = start.adding(timeout)
    let isStruck = world.faults.strikes(.clientKill)
    if isStruck {
      limit = min(limit, start.adding(microseconds: Int64(player.random.below(3_000_000))))
    }
    player.wait(until: limit) { [unowned world] in link.hasWord(on: id, at: world.clock.now) }
    if isStruck {
      world.trace.note(player.name, "is killed while it waits")
      end()
      return .unknown
    }
    return try answer(to: id, over: link)
  }

  /// Reads the arrivals.
  private func answer(
    to id: String, over link: SimulatedBroker.Link
  ) throws(BusError) -> PlayerAnswer {
    let arrived = world.broker.collect(link)
    for confirm in arrived.confirms {
      if let event = underWay[confirm] { world.senders.confirm(event) }
    }
    for reply in arrived.replies {
      if let event = underWay[reply.correlationID] {
        world.senders.take(reply.body, for: event)
      }
    }
    return try arrived.answer(to: id)
  }

  private func openLink() -> SimulatedBroker.Link? {
    if let link, link.isOpen { return link }
    link = world.broker.openLink()
    underWay = [:]
    return link
  }
}
