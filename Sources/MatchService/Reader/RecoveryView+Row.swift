import MatchCore
import MatchInterfaces
import MatchWire

extension RecoveryView {
  /// The recovery of a player as a key sees it that has to do with it; nil for any other key. A
  /// recovery key may be another player's, too.
  init?(_ row: ReaderStore.RecoveryRow, asker key: PublicKey, owner: KeyOwner?) {
    guard let recovery = KeyList.Recovery(row.recovery) else { return nil }
    let role: Role
    if let owner, owner.player == row.player, !owner.isRevoked {
      role = .playerKey
    } else if owner == nil, recovery.pending?.key == key {
      // First of all: a thief can name this key as a recovery key, too.
      role = .newKey
    } else if recovery.key == key {
      role = .recoveryKey
    } else if recovery.waiting?.key == key {
      role = .nextRecoveryKey
    } else {
      return nil
    }
    self.init(player: row.player, name: row.name, role: role, recovery: recovery)
  }
}
