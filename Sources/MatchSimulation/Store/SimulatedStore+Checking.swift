import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// A player, as far as push jobs follow from the rows.
  func storedPlayer(_ player: PlayerID) -> StoredPlayer? {
    guard let row = players[player] else { return nil }
    let own = keys.filter { $0.value.player == player }.keys
    let added = own.filter { origins[$0] != nil }.compactMap { key in
      keyRows[key].map { (key, $0.addedAt) }
    }
    return StoredPlayer(
      player: player, registeredAt: row.registeredAt,
      hasSettings: departures[player] != nil || settings[player] != nil
        || seenUntil[player] != nil,
      hasKeyChanges: departures[player] != nil || own.count != 1 || recoveries[player] != nil
        || own.contains { keyRows[$0]?.isRemoved == true },
      addedKeys: Dictionary(added) { $1 })
  }
}
