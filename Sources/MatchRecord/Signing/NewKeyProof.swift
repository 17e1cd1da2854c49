public import MatchCore

extension Event.PlayerRecovered {
  /// The bytes that a new key signs under its tag: service id ‖ player ‖ recovery key ‖ new key.
  /// So the proof is good for that player and that recovery key alone.
  package static func proved(
    _ key: PublicKey, of player: PlayerID, at service: ServiceID, by recoveryKey: PublicKey
  ) -> [UInt8] {
    service.bytes + player.bytes + recoveryKey.bytes + key.bytes
  }
}

extension Event {
  /// The proof that the sender of a recovery has its new key, to be verified with the tag
  /// `newKey`. Nil: the event is no recovery.
  public func newKeyProof(sender: PublicKey) -> SignedPayload? {
    guard case .playerRecovered(let recovered) = action else { return nil }
    let message = PlayerRecovered.proved(
      recovered.key, of: player, at: service, by: sender)
    return SignedPayload(
      key: recovered.key, signature: recovered.proof, payload: message)
  }
}
