import MatchCore
import MatchInterfaces
import MatchWire

/// Stops players' recoveries.
struct RecoveryStopper {
  let lookup: PlayerLookup
  var `operator` = OperatorName.current

  /// Stops the recovery of a player, by name or id. Gives the player and the recovery.
  func stop(
    _ text: String, reason: String
  ) throws(OperatorFailure) -> (player: ReaderStore.PlayerRow, recovery: EventID) {
    let (store, player) = (lookup.store, try lookup.player(text))
    let pending = try onStore(try store.account(player.id)).recovery?.pending
    guard let pending else {
      throw .notFound(
        "no recovery of \(player.name) is under way; `cubistd players \(player.name)` shows one")
    }
    let act = ActRow(
      act: "recovery stopped",
      detail: "\(pending.recovery) of \(player.id) by \(`operator`): \(reason)")
    guard try onStore(try store.stopRecovery(player.id, pending.recovery, act)) else {
      throw .notFound(
        "the recovery of \(player.name) has ended meanwhile; `cubistd players \(player.name)` "
          + "shows the keys")
    }
    return (player, pending.recovery)
  }
}
