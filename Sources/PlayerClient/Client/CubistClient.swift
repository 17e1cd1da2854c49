public import CubePlay
public import CubeRules
public import MatchCore
package import MatchInterfaces
public import MatchWire

/// One player of a service, by HTTP, for programs that do more than wait for answers.
///
/// Every event is signed, kept and sent by a `Player`, so that all of its promises hold: an event
/// whose answer is lost is sent again, with the same bytes, before anything new, and counts once.
/// The calls follow each other on a thread of the client's own, which they block. None blocks
/// Swift's threads.
///
/// A call throws `ClientError`. After `ClientError.pending` say the same again, now or in the next
/// run of the program: the wish is resumed, not repeated.
public actor CubistClient {
  /// The place where the key, the pending events and the profile are kept.
  public enum Storage: Hashable, Sendable {
    /// Until the program ends: for tests, and for bots that come as a new player each time.
    case memory
    /// In files of a folder that only its owner can read. It is made if it is not there.
    case folder(String)
  }

  private let executor: QueueExecutor
  private let open: @Sendable (_ makingKey: Bool) throws(ClientError) -> Player
  private let lexicons: Lexicons
  let clock: WallClock
  let randomness: Randomness
  private var opened: Player?
  let makeBus: @Sendable () -> PlayerBus
  private let onNotice: @Sendable (ClientNotice) -> Void

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// A client that connects at its first call.
  ///
  /// - Parameter onNotice: Hears the fate of events that earlier calls made.
  public init(
    _ address: GatewayAddress, storage: Storage = .memory,
    onNotice: @escaping @Sendable (ClientNotice) -> Void = { _ in }
  ) {
    self.init(
      address,
      store: {
        switch storage {
        case .memory: ProfileMemory().store
        case .folder(let folder): .live(folder: folder)
        }
      }, onNotice: onNotice)
  }

  /// A client with a store of the program's own, such as one that keeps the key in a key chain.
  ///
  /// - Parameter store: Makes the store, once, on the client's thread. The store is used on no
  ///   other.
  public init(
    _ address: GatewayAddress, store: @escaping @Sendable () -> ProfileStore,
    onNotice: @escaping @Sendable (ClientNotice) -> Void = { _ in }
  ) {
    self.init(
      store: store, clock: .live, randomness: .live, onNotice: onNotice,
      makeBus: { .http(address) })
  }

  package init(
    store: @escaping @Sendable () -> ProfileStore, clock: WallClock, randomness: Randomness,
    lexicons: Lexicons = .standard,
    onNotice: @escaping @Sendable (ClientNotice) -> Void = { _ in },
    makeBus: @escaping @Sendable () -> PlayerBus
  ) {
    executor = QueueExecutor("cubist.client")
    self.lexicons = lexicons
    self.clock = clock
    self.randomness = randomness
    self.makeBus = makeBus
    self.onNotice = onNotice
    let kept = KeptStore(make: store)
    open = { makingKey throws(ClientError) in
      try Player.open(
        kept.store, bus: makeBus(), clock: clock, randomness: randomness, makingKey: makingKey)
    }
  }

  /// The player of the profile.
  func player(makingKey: Bool = false) throws(ClientError) -> Player {
    if let opened { return opened }
    let player = try open(makingKey)
    player.onNotice = onNotice
    opened = player
    return player
  }

  /// The turns that spell a word on a match's cube, by the rules and word lists of this build.
  func finder(of view: MatchView) throws(MatchViewFault) -> WordFinder {
    WordFinder(
      game: try view.game(), seatCount: view.seats.count, lexicon: lexicons.named(view.lexicon))
  }
}

/// A store that is made at its first use and kept from then on.
private final class KeptStore: Sendable {
  private let make: @Sendable () -> ProfileStore
  // SAFETY: read and written on the thread of one client only.
  private nonisolated(unsafe) var made: ProfileStore?

  init(make: @escaping @Sendable () -> ProfileStore) { self.make = make }

  var store: ProfileStore {
    if let made { return made }
    let store = make()
    made = store
    return store
  }
}

// MARK: - The player

extension CubistClient {
  /// Whether the player is registered, as far as it is known here.
  public func isRegistered() throws(ClientError) -> Bool {
    do throws(ClientError) {
      return try player().profile.player != nil
    } catch {
      guard case .notRegistered = error else { throw error }
      return false
    }
  }

  /// The player's id and name, the service and its root key, as they are known here.
  public func profile() throws(ClientError) -> Profile { try player().profile }

  /// The service's time, as far as it is known here. Deadlines are by this clock.
  public func now() throws(ClientError) -> Instant { try player().now }

  /// Makes a key where there is none, and registers it under a name.
  ///
  /// - Parameter code: Needed where registration is by code.
  @discardableResult
  public func register(
    as name: PlayerName, code: ShareCode? = nil
  ) throws(ClientError) -> PlayerName {
    try player(makingKey: true).register(name, code: code)
  }

  /// The service's description.
  public func serviceInfo() throws(ClientError) -> ServiceInfo { try player().serviceInfo() }

  /// The player as the service knows it, with the rating.
  public func whoAmI() throws(ClientError) -> PlayerView { try player().whoAmI() }

  public func player(named name: PlayerName) throws(ClientError) -> PlayerView {
    try player().player(named: name)
  }

  /// Sends the pending events of earlier calls and earlier runs again. Calls that send an event do
  /// so by themselves.
  public func resendPending() throws(ClientError) { try player().resendPending() }
}

// MARK: - Matches

extension CubistClient {
  /// Asks for a match: against anyone, one player, anyone with a code, or alone.
  public func startMatch(_ request: MatchRequest) throws(ClientError) -> MatchStart {
    try player().startMatch(request)
  }

  /// Invites a player by name.
  public func startMatch(
    against name: PlayerName, turnLimitSeconds: Int64, language: Language = .english,
    isCasual: Bool = false
  ) throws(ClientError) -> MatchStart {
    try player().startMatch(
      against: name, turnLimitSeconds: turnLimitSeconds, language: language, isCasual: isCasual)
  }

  /// Begins the challenge of a day.
  public func startDaily(_ daily: DailyKey) throws(ClientError) -> MatchTicket {
    try player().startDaily(daily)
  }

  /// Takes the seat that a code invites to.
  public func join(_ code: ShareCode) throws(ClientError) -> MatchTicket {
    try player().join(code)
  }

  /// Takes the seat that was offered by name.
  public func accept(_ match: MatchID) throws(ClientError) -> MatchTicket {
    try player().accept(match)
  }

  /// Declines an invitation by name.
  public func decline(_ match: MatchID) throws(ClientError) { try player().decline(match) }

  /// Takes back a request that nobody has joined.
  public func withdraw(_ match: MatchID) throws(ClientError) { try player().withdraw(match) }

  /// The home list: matches, invitations, offers of a rematch, today's challenges.
  public func home() throws(ClientError) -> HomeView { try player().home() }

  /// A match of the player.
  ///
  /// - Parameter version: The version that the answer must at least show, as a change tells it.
  public func match(
    _ match: MatchID, atLeast version: Int64? = nil
  ) throws(ClientError) -> MatchView {
    try player().match(match, atLeast: version)
  }

  /// The match that a code invites to, or that was shared with it.
  public func match(code: ShareCode) throws(ClientError) -> MatchView {
    try player().match(code: code)
  }

  /// The ways to spell a word on the cube that differ in the cubes that vanish. They score the same.
  /// - Throws: `WordFinderError` if the word cannot be played, `MatchViewFault` if this build
  ///   cannot read the match.
  public func ways(toSpell word: String, in view: MatchView) throws -> [LegalTurn] {
    try finder(of: view).visibleChoices(for: word)
  }

  /// The turn of the word with the highest score; where there is no word, one that removes cubes.
  /// - Parameter strength: Less than the best, for a robot that people can beat.
  public func bestTurn(
    in view: MatchView, strength: BotStrength = .hard
  ) throws -> LegalTurn {
    let finder = try finder(of: view)
    return try finder.turn(
      strength.turn(
        on: finder.game, seatCount: finder.seatCount, words: finder.lexicon,
        random: randomness.next))
  }

  /// Plays a turn in a match that was looked at before.
  public func play(_ moves: [Move], in view: MatchView) throws(ClientError) -> TurnReceipt {
    try player().play(moves, in: view)
  }

  /// Answers the other player's last turn with a word of the match.
  public func react(with word: String, in view: MatchView) throws(ClientError) {
    try player().react(with: word, in: view)
  }

  /// Reminds the other player of the turn that is due, once a turn and not before
  /// ``MatchView/nudgeFrom``.
  public func nudge(_ match: MatchID, turn: Int) throws(ClientError) {
    try player().nudge(match, turn: turn)
  }

  /// Gives a match up, in or out of turn; ends a game of one player, and withdraws what nobody has
  /// joined.
  @discardableResult
  public func forfeit(_ match: MatchID) throws(ClientError) -> MatchEnding {
    try player().forfeit(match)
  }

  /// Asks for a rematch, or agrees to the one that was offered.
  /// - Returns: The new match; nil: the other player is asked.
  public func rematch(of match: MatchID) throws(ClientError) -> MatchTicket? {
    switch try player().rematch(of: match) {
    case .started(let ticket): return ticket
    case .failed(let error): throw error
    case .offered, .inFlight: return nil
    }
  }

  public func declineRematch(of match: MatchID) throws(ClientError) {
    try player().declineRematch(match)
  }
}

// MARK: - What was

extension CubistClient {
  /// The player's past games, the newest first.
  public func pastGames(
    with opponent: PlayerID? = nil, filter: PastGamesFilter = PastGamesFilter(),
    before: PastGamesCursor? = nil, limit: Int = 20
  ) throws(ClientError) -> PastGames {
    try player().pastGames(with: opponent, filter: filter, before: before, limit: limit)
  }

  /// How the player did against another one.
  public func headToHead(with opponent: PlayerID) throws(ClientError) -> HeadToHead {
    try player().headToHead(with: opponent)
  }

  /// The record of a match that is over: the text of a document that anybody can verify.
  public func record(of match: MatchID) throws(ClientError) -> String {
    try player().record(of: match)
  }

  /// Verifies a record, against the root key that was pinned at the first contact.
  public func verify(_ record: String) throws -> RecordReport {
    let verifier = RecordVerifier(lexicons: lexicons, rootKey: try player().profile.rootKey)
    return try verifier.report(on: Array(record.utf8))
  }

  /// Shares a match that is over, or a game alone.
  /// - Returns: The code with which anyone may see it.
  public func share(_ match: MatchID) throws(ClientError) -> ShareCode {
    try player().share(match)
  }

  public func standings(_ daily: DailyKey) throws(ClientError) -> Standings {
    try player().standings(daily)
  }

  public func ladder(limit: Int = 100) throws(ClientError) -> Ladder {
    try player().ladder(limit: limit)
  }

  public func leaderboard(_ board: Leaderboard) throws(ClientError) -> LeaderboardView {
    try player().leaderboard(board)
  }
}

// MARK: - Settings

extension CubistClient {
  public func settings() throws(ClientError) -> SettingsView { try player().settings() }

  /// Changes the settings that the change names.
  public func change(_ change: SettingsChange) throws(ClientError) {
    try player().change(change)
  }

  /// Says that a device can be notified, or not any more.
  public func register(_ device: Device) throws(ClientError) { try player().register(device) }

  public func inbox() throws(ClientError) -> InboxView { try player().inbox() }

  /// Says that notifications were seen.
  public func see(_ seen: InboxSeen) throws(ClientError) { try player().see(seen) }

  /// The keys that speak for the player, and the open invitations of devices.
  public func keys() throws(ClientError) -> KeyList { try player().keys() }

  /// Lets one more device in, which has to show the code within ten minutes.
  public func inviteDevice() throws(ClientError) -> DeviceTicket { try player().inviteDevice() }

  /// The player who lets a device in that shows a code. Makes a key where there is none.
  public func inviter(_ code: DeviceCode) throws(ClientError) -> InvitingPlayer {
    try player(makingKey: true).inviter(code)
  }

  /// Shows a code, so that the key of this storage speaks for the player who lets it in.
  @discardableResult
  public func showCode(
    _ code: DeviceCode, to inviter: PlayerID
  ) throws(ClientError) -> PlayerName {
    try player(makingKey: true).showCode(code, to: inviter)
  }

  /// A key must not speak for the player any more.
  public func removeKey(_ key: PublicKey) throws(ClientError) { try player().removeKey(key) }

  /// Names a recovery key. Gives the time from which it counts.
  @discardableResult
  public func nameRecoveryKey(_ key: PublicKey) throws(ClientError) -> Instant {
    try player().nameRecoveryKey(key)
  }

  /// Delays a recovery of the player. Gives the time at which it takes effect now.
  @discardableResult
  public func object(to recovery: EventID) throws(ClientError) -> Instant {
    try player().object(to: recovery)
  }

  /// How the recovery of a player stands. Makes a key where there is none.
  public func recovery(
    of name: PlayerName, by key: RecoveryKey? = nil
  ) throws(ClientError) -> RecoveryView {
    try player(makingKey: true).recovery(of: name, by: key)
  }

  /// How the recovery stands that the key of this storage is to bring in, or has brought in. Nil where
  /// it has nothing to do with that player.
  public func ownRecovery(of name: PlayerName) throws(ClientError) -> RecoveryView? {
    try player().ownRecovery(of: name)
  }

  /// Asks that the key of this storage speaks for the player whose recovery its key was asked about.
  /// Gives the time at which that takes effect. Until then nothing is registered with this key.
  @discardableResult
  public func recover(
    _ view: RecoveryView, by key: RecoveryKey
  ) throws(ClientError) -> Instant {
    try player(makingKey: true).recover(view, by: key)
  }

  /// Stops a recovery of a player before it takes effect.
  public func withdrawRecovery(
    _ recovery: EventID, of player: PlayerID, by key: RecoveryKey
  ) throws(ClientError) {
    try self.player(makingKey: true).withdrawRecovery(recovery, of: player, by: key)
  }

  /// Keeps that the key of this storage speaks for the player of a recovery that has taken effect.
  public func finishRecovery(_ view: RecoveryView) throws(ClientError) {
    try player().finishRecovery(view)
  }

  public func block(_ other: PlayerID) throws(ClientError) { try player().block(other) }

  public func unblock(_ other: PlayerID) throws(ClientError) { try player().unblock(other) }

  /// Reports the opponent in a match to the operators.
  public func report(
    _ match: MatchID, because reason: Report.Reason, text: Report.Text? = nil
  ) throws(ClientError) {
    try player().report(match, because: reason, text: text)
  }
}
