import MatchCore
import MatchInterfaces
import MatchWire

extension RecoveryView {
  /// The recovery of a player as a key sees it that has to do with it; nil for any other key.
  init?(_ row: ReaderStore.RecoveryRow, asker key: PublicKey, owner: KeyOwner?) {
    let (recovery, pending) = (row.recovery, row.recovery.pending)
    let role: Role
    if let owner {
      guard owner.player == row.player, !owner.isRevoked else { return nil }
      role = .playerKey
    } else if recovery.named?.key == key {
      role = .recoveryKey
    } else if recovery.waiting?.named.key == key {
      role = .nextRecoveryKey
    } else if pending?.key == key {
      role = .newKey
    } else {
      return nil
    }
    self.init(
      player: row.player, name: row.name, role: role,
      countsAt: role == .nextRecoveryKey ? recovery.waiting?.deadline.at : nil,
      recovery: pending.map { pending in
        Pending(
          recovery: pending.recovery, key: pending.key, begunAt: pending.begunAt,
          until: pending.deadline.at, objected: pending.objector == nil ? nil : true)
      })
  }
}
