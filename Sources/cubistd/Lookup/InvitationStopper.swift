import MatchCore
import MatchInterfaces

/// Takes back players' invitations of devices.
struct InvitationStopper {
  let lookup: PlayerLookup
  var `operator` = OperatorName.current

  /// Takes back the unused invitations of a player, by name or id. Gives the player and their number.
  func stop(
    _ text: String, reason: String
  ) throws(OperatorFailure) -> (player: ReaderStore.PlayerRow, count: Int) {
    let player = try lookup.player(text)
    let act = ActRow(
      act: "invitations taken back", detail: "of \(player.id) by \(`operator`): \(reason)")
    let count = try onStore(try lookup.store.stopInvitations(player.id, act))
    guard count > 0 else {
      throw .notFound(
        "\(player.name) has no invitation of a device that waits; an invitation is good for ten "
          + "minutes, and `cubistd players \(player.name)` shows it")
    }
    return (player, count)
  }
}
