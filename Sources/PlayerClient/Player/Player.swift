import CubistBasics
public import MatchCore
public import MatchInterfaces
public import MatchWire

/// One player of one service: signs the player's acts, sends them and waits for the answers.
///
/// Every event is kept in the profile before it is sent and until it is answered, so that ending
/// the program at any point never starts two matches or plays two turns: pending events are sent
/// again, with the same id and the same bytes, before anything new. Confined to one thread; every
/// call blocks, for a few time-outs at most.
public final class Player {
  /// How long and how often things are tried.
  public struct Patience: Hashable, Sendable {
    /// How long an event waits for its reply.
    public var reply = Duration.seconds(10)
    /// How long all pending events together wait for their replies before something new is sent.
    public var resend = Duration.seconds(5)
    /// How long a query waits for its answer.
    public var query = Duration.seconds(10)
    /// How long a query may take altogether, with all its attempts; nil: no limit.
    public var queryLimit: Duration?
    /// How long a query for a change waits: the service answers after 20 s at the latest.
    public var change = Duration.seconds(25)
    /// How long a change is waited for where it comes by a stream.
    public var news = Duration.seconds(20)
    /// How often something is sent in one call while the service is unavailable.
    public var attempts = 4
    /// How long another program of the profile may hold the lock.
    public var lock = Duration.seconds(15)

    /// Defaults for a person at a terminal.
    public init() {}
  }

  /// The player. A key that is let in by one speaks for that one from then on.
  public var player: PlayerID { profile.player ?? playerOfKey }
  /// The stored facts about player and service.
  public internal(set) var profile: Profile
  /// How long and how often things are tried.
  public var patience = Patience()
  /// The version of the program. The service may refuse to serve it.
  public var version = ProgramVersion.current
  /// Whether an event whose answer a call returns is kept until the next call or `forgetTold`,
  /// whichever comes first. If the program ends before it has told the answer, the next one asks
  /// for it again. Otherwise the event is forgotten before the call returns.
  public var keepsUntilTold = false
  /// Hears the fate of events that earlier calls made.
  public var onNotice: (ClientNotice) -> Void = { _ in }
  /// Hears which new event is under way, and nil when there is none any more.
  public var onInFlight: (EventID?) -> Void = { _ in }

  let bus: PlayerBus
  let clock: WallClock
  let randomness: Randomness
  let store: ProfileStore
  let signer: Signer
  private let playerOfKey: PlayerID
  /// Pending events that were answered during the wait for another answer, until that is told.
  var late: [EventID: (event: PendingEvent, reply: ReceivedReply)] = [:]
  /// Events whose answers were returned, kept until the answers are told.
  var untold: [PendingEvent] = []
  /// The pending events whose programs had ended when this one began; nil: nobody has asked.
  var earlier: Set<EventID>?
  /// The events without an answer that this player has made since then.
  var made: Set<EventID> = []
  /// What this machine's clocks showed together, to notice that one was set.
  var clockMark: ClockMark?
  /// Whether the service was asked for its time by this program.
  var hasMeasuredClock = false
  /// The stream of changes, where the bus has one.
  let watch = ChangeWatch()

  /// A player with a given signer; `profile` as the store has it.
  ///
  /// - Parameter player: The player of the signer's key where that is a later one.
  public init(
    profile: Profile, signer: Signer, of player: PlayerID? = nil, bus: PlayerBus,
    clock: WallClock, randomness: Randomness, store: ProfileStore
  ) {
    playerOfKey = player ?? PlayerID(firstKey: signer.publicKey)
    self.profile = profile
    self.signer = signer
    self.bus = bus
    self.clock = clock
    self.randomness = randomness
    self.store = store
  }

  /// The player of a profile.
  ///
  /// - Parameter makingKey: Whether a key is made where there is none: only a registration wants
  ///   that.
  /// - Throws: `ClientError.notRegistered` where there is no key, `.profile` where a file cannot be
  ///   used.
  public static func open(
    _ store: ProfileStore, bus: PlayerBus, clock: WallClock, randomness: Randomness,
    makingKey: Bool = false
  ) throws(ClientError) -> Player {
    let profile = try files(try store.loadProfile())
    var found = try files(try store.loadKey())
    if found == nil, makingKey {
      found = try files(try makeKey(store, randomness))
    }
    guard let found else { throw .notRegistered }
    return Player(
      profile: profile, signer: found.signer, of: found.player, bus: bus, clock: clock,
      randomness: randomness, store: store)
  }

  private static func makeKey(
    _ store: ProfileStore, _ randomness: Randomness
  ) throws(ProfileError) -> PlayerKey {
    let lock = try store.lock()
    defer { lock.release() }
    // Another program may have made one in the meantime.
    if let key = try store.loadKey() { return key }
    let key = PlayerKey.make(using: randomness)
    try store.saveKey(key)
    return key
  }

  /// Puts an exported key into a profile that has none.
  /// - Throws: `ProfileError.keyExists` where another key would be lost.
  public static func importKey(_ key: PlayerKey, into store: ProfileStore) throws(ProfileError) {
    let lock = try store.lock()
    defer { lock.release() }
    var profile = try store.loadProfile()
    var key = key
    // A copy that was made before the device was let in does not name the player.
    if let kept = try store.loadKey(), kept == key, kept.isLater { key = kept }
    try store.saveKey(key)
    // The profile may name an earlier player, whose key is gone.
    guard let player = profile.player, player != key.player else { return }
    (profile.player, profile.name) = (nil, nil)
    try store.saveProfile(profile)
  }

  /// Calls the store, and turns its errors into the client's.
  static func files<Value>(
    _ body: @autoclosure () throws(ProfileError) -> Value
  ) throws(ClientError) -> Value {
    try mapErrors(ClientError.profile, body)
  }

  /// Does something under the profile's lock, which another program may hold for a while.
  func locked<Value>(
    patience: Duration? = nil, _ body: () throws(ClientError) -> Value
  ) throws(ClientError) -> Value {
    let lock = try waitForLock(patience ?? self.patience.lock)
    defer { lock.release() }
    return try body()
  }

  private func waitForLock(_ patience: Duration) throws(ClientError) -> ProfileLock {
    let pause = Duration.milliseconds(100)
    var waited = Duration.zero
    while true {
      do throws(ProfileError) {
        return try store.lock()
      } catch {
        guard case .lockHeld = error, waited < patience else { throw .profile(error) }
      }
      clock.sleep(pause)
      waited += pause
    }
  }

  /// Waits before the next attempt.
  func backOff(attempt: Int) {
    let backoff = Backoff(first: .milliseconds(200), limit: .milliseconds(3_200))
    clock.sleep(backoff.wait(after: attempt, random: randomness.next()))
  }

  func newID() -> EventID { EventID(at: now, random: randomness.next128()) }
}
