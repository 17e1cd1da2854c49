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

  /// Asks that this profile's key speaks for another player, and no other key. Gives the time at
  /// which that takes effect.
  @discardableResult
  public func recover(
    _ player: PlayerID, by key: RecoveryKey
  ) throws(ClientError) -> Instant {
    let action = Event.Action.playerRecovered(
      of: player, at: try pinnedService(), by: key.publicKey, to: signer)
    let (_, reply) = try deliver(Intent(action, of: player)) { () throws(ClientError) in
      Unsent(action: action, player: player, signer: key.signer)
    }
    guard let at = Event.PlayerRecovered.answer(try acceptance(reply)) else { throw .foreignReply }
    return at
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
  }

  /// Keeps that this profile's key speaks for the player of a recovery that has taken effect.
  public func finishRecovery(_ view: RecoveryView) throws(ClientError) {
    // The key is first, as in an addition: a copy of it has to name the player.
    if let key = try Player.files(try store.loadKey()) {
      try Player.files(try store.saveKey(key.speaking(for: view.player)))
    }
    try remember { ($0.player, $0.name) = (view.player, view.name) }
  }
}
