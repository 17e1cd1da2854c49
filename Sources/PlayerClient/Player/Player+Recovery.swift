public import MatchCore
import MatchInterfaces
public import MatchWire

// Recovery: a key that a person has written down brings a new key of the player in.
extension Player {
  /// Names a recovery key. Gives the time from which it counts.
  @discardableResult
  public func nameRecoveryKey(_ key: PublicKey) throws(ClientError) -> Instant {
    try act(Event.RecoveryKeyNamed(key))
  }

  /// Delays a recovery of this player. Gives the time at which it takes effect now.
  @discardableResult
  public func object(to recovery: EventID) throws(ClientError) -> Instant {
    try act(Event.RecoveryObjected(recovery))
  }

  /// How the recovery of a player stands. A recovery key asks, or this profile's key.
  /// - Throws: `ClientError.queryRefused` with `notPermitted` where the key has nothing to do with
  ///   that player's recovery.
  public func recovery(
    of name: PlayerName, by key: RecoveryKey? = nil
  ) throws(ClientError) -> RecoveryView {
    try ask(Query.RecoveryOf(name), signedBy: key?.signer)
  }

  /// How the recovery stands that this profile's key is to bring in, or has brought in. Nil where
  /// the key has nothing to do with that player.
  public func ownRecovery(of name: PlayerName) throws(ClientError) -> RecoveryView? {
    do throws(ClientError) {
      let view = try recovery(of: name)
      if view.role == .newKey, let pending = view.recovery.pending {
        try wait(for: view, until: pending.at)
      }
      // A thief can name the profile's key as a recovery key: that makes nobody the player.
      return view.role == .playerKey || view.role == .newKey ? view : nil
    } catch {
      guard case .queryRefused(_, _, .notPermitted?) = error else { throw error }
      try forgetRecovery { $0.name.key == name.key }
      return nil
    }
  }

  /// Asks that this profile's key speaks for another player, and no other key. Gives the time at
  /// which that takes effect.
  @discardableResult
  public func recover(
    _ view: RecoveryView, by key: RecoveryKey
  ) throws(ClientError) -> Instant {
    let player = view.player
    let action = Event.Action.playerRecovered(
      of: player, at: try pinnedService(), by: key.publicKey, to: signer)
    // First of all: an answer that never comes must not leave the key free for a registration.
    try wait(for: view, until: now.adding(seconds: PlayerRecovery.seconds))
    let (_, reply) = try deliver(Intent(action, of: player)) { () throws(ClientError) in
      Unsent(action: action, player: player, signer: key.signer)
    }
    if case .refused = reply { try forgetRecovery { $0.player == player } }
    guard let at = Event.PlayerRecovered.answer(try acceptance(reply)) else { throw .foreignReply }
    try wait(for: view, until: at)
    return at
  }

  private func wait(for view: RecoveryView, until: Instant) throws(ClientError) {
    let awaited = AwaitedRecovery(player: view.player, name: view.name, until: until)
    guard profile.recovering != awaited else { return }
    try remember { $0.recovering = awaited }
  }

  private func forgetRecovery(
    _ isOver: (AwaitedRecovery) -> Bool
  ) throws(ClientError) {
    guard profile.recovering.map(isOver) == true else { return }
    try remember { $0.recovering = nil }
  }

  /// The error for a key that the service does not know.
  var notRegistered: ClientError {
    profile.recovering.map { .recovering($0.name, until: $0.until) } ?? .notRegistered
  }

  /// Lets nobody give this profile's key to a player while it waits for another one.
  func checkFree() throws(ClientError) {
    guard profile.recovering == nil else { throw notRegistered }
  }

  /// Stops a recovery of a player before it takes effect.
  public func withdrawRecovery(
    _ recovery: EventID, of player: PlayerID, by key: RecoveryKey
  ) throws(ClientError) {
    let action = Event.Action.recoveryWithdrawn(recovery)
    let (_, reply) = try deliver(Intent(action, of: player)) { () throws(ClientError) in
      Unsent(action: action, player: player, signer: key.signer)
    }
    guard Event.RecoveryWithdrawn.answer(try acceptance(reply)) != nil else {
      throw .foreignReply
    }
    try forgetRecovery { $0.player == player }
  }

  /// Keeps that this profile's key speaks for the player of a recovery that has taken effect.
  public func finishRecovery(_ view: RecoveryView) throws(ClientError) {
    // The key is first, as in an addition: a copy of it has to name the player.
    if let key = try Player.files(try store.loadKey()) {
      try Player.files(try store.saveKey(key.speaking(for: view.player)))
    }
    try remember { ($0.player, $0.name, $0.recovering) = (view.player, view.name, nil) }
  }
}
