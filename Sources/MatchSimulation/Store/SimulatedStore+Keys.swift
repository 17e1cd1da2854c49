import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedStore {
  func invitationFacts(_ hash: Hash) -> InvitationFacts? {
    invitations[hash].map { row in
      InvitationFacts(
        player: row.invitation.player, isOpen: row.usedBy == nil && row.invitation.until > now)
    }
  }

  /// The keys and open invitations of a player.
  func playerKeys(of player: PlayerID) -> PlayerKeys {
    let dayAgo = now.adding(seconds: -86_400)
    var found = PlayerKeys(name: players[player]?.name)
    for (key, owner) in keys where owner.player == player {
      found.lifetimeCount += 1
      guard let row = keyRows[key], !row.isRemoved || row.addedAt > dayAgo else { continue }
      found.keys[key] = row
    }
    for (hash, row) in invitations
    where row.invitation.player == player && row.usedBy == nil && row.invitation.until > now {
      found.invitations[hash] = row.invitation
    }
    found.recovery = recoveries[player] ?? PlayerRecovery()
    return found
  }

  /// The keys that speak for a player.
  func speakingKeys(of player: PlayerID) -> Set<PublicKey> {
    Set(keys.filter { $0.value.player == player && !$0.value.isRevoked }.keys)
  }

  /// The origins of keys and of those that they came from.
  func origins(of keys: [PublicKey]) -> [KeyOrigin] {
    var found: [KeyOrigin] = []
    var (seen, rest): (Set<PublicKey>, [PublicKey]) = ([], keys)
    while let key = rest.popLast() {
      guard seen.insert(key).inserted, let origin = origins[key].flatMap({ KeyOrigin($0) }) else {
        continue
      }
      found.append(origin)
      rest.append(origin.inviter)
    }
    return found
  }

  func recoveriesDue(
    _ before: Instant, _ after: SchedulerStore.DueRecovery?, _ limit: Int
  ) -> [SchedulerStore.DueRecovery] {
    let due = recoveries.compactMap { player, recovery -> SchedulerStore.DueRecovery? in
      guard let pending = recovery.pending, pending.deadline.at < before else { return nil }
      return SchedulerStore.DueRecovery(
        player: player, recovery: pending.recovery, key: pending.key, due: pending.deadline.at)
    }
    let rest = due.filter { row in
      after.map { ($0.due, $0.player) < (row.due, row.player) } ?? true
    }
    return Array(rest.sorted { ($0.due, $0.player) < ($1.due, $1.player) }.prefix(limit))
  }

  func keyList(of player: PlayerID) -> KeyList {
    let own = keys.compactMap { key, owner -> KeyList.Row? in
      guard owner.player == player, !owner.isRevoked, let row = keyRows[key] else { return nil }
      let origin = origins[key]
      return KeyList.Row(
        key: key, addedAt: row.addedAt, inviter: origin.flatMap { KeyOrigin($0) }?.inviter,
        device: origin.flatMap { $0.count > 1 ? KeyOrigin.device(in: $0[1]) : nil })
    }
    let open = invitations.values.map(\.invitation).filter { invitation in
      invitation.player == player && isUsable(invitation.hash)
    }
    return KeyList(
      keys: own.sorted { ($0.addedAt, "\($0.key)") < ($1.addedAt, "\($1.key)") },
      invitations: open.sorted { ($0.until, "\($0.hash)") < ($1.until, "\($1.hash)") }.map {
        KeyList.Invitation(invitation: $0.hash, until: $0.until, inviter: $0.inviter)
      },
      recovery: settledRecovery(of: player).flatMap { KeyList.Recovery($0) })
  }

  func inviters(of hashes: [Hash]) -> [Hash: InvitingPlayer] {
    var found: [Hash: InvitingPlayer] = [:]
    for hash in hashes where isUsable(hash) {
      guard let player = invitations[hash]?.invitation.player else { continue }
      found[hash] = players[player].map { InvitingPlayer(player: player, name: $0.name) }
    }
    return found
  }

  /// The recoveries of players, by the keys of their names.
  func recoveries(of names: [String]) -> [ReaderStore.RecoveryRow] {
    names.compactMap { name in
      guard let player = self.names[name], let row = players[player],
        let recovery = settledRecovery(of: player)
      else { return nil }
      return ReaderStore.RecoveryRow(player: player, name: row.name, recovery: recovery)
    }
  }

  /// A player's recovery by the clock of the player's queue.
  private func settledRecovery(of player: PlayerID) -> PlayerRecovery? {
    guard let recovery = recoveries[player] else { return nil }
    let layout = layout ?? StoredLayout(of: clocks)
    return layout?.settled(recovery, of: player, clocks) ?? recovery
  }

  /// The keys of players after one.
  func keys(after key: OwnedKey?, _ limit: Int) -> [OwnedKey] {
    func precedes(_ first: OwnedKey, _ second: OwnedKey) -> Bool {
      (first.player, "\(first.key)") < (second.player, "\(second.key)")
    }
    let all = keys.map { OwnedKey(player: $0.value.player, key: $0.key) }
    let rest = all.filter { row in key.map { precedes($0, row) } ?? true }
    return Array(rest.sorted(by: precedes).prefix(limit))
  }

  /// The recovery keys and recoveries of players after one.
  func recoveries(after player: PlayerID?, _ limit: Int) -> [StoredRecovery] {
    let rest = recoveries.filter { row in player.map { row.key > $0 } ?? true }
    return rest.sorted { $0.key < $1.key }.prefix(limit).map { player, recovery in
      StoredRecovery(player: player, recovery: recovery)
    }
  }

  /// Whether a device could use an invitation now. The key that made it must still speak.
  private func isUsable(_ hash: Hash) -> Bool {
    guard let row = invitations[hash], row.usedBy == nil, row.invitation.until > now else {
      return false
    }
    return keys[row.invitation.inviter]?.isRevoked == false
  }

  /// Checks changes of keys in their order. `new` are the keys of the batch's registrations.
  func checkKeys(of write: BatchWrite, _ new: Set<PublicKey>) throws(StoreError) {
    var speaking = new
    var open: Set<Hash> = []
    var (used, gone): (Set<Hash>, Set<PublicKey>) = ([], [])
    for change in write.keyChanges {
      switch change {
      case .invited(let invitation):
        guard invitations[invitation.hash] == nil, open.insert(invitation.hash).inserted else {
          throw .conflict("the hash has an invitation")
        }
      case .added(let added):
        let isOpen =
          open.contains(added.invitation)
          || invitations[added.invitation].map { $0.usedBy == nil } ?? false
        guard isOpen, used.insert(added.invitation).inserted else {
          throw .conflict("the invitation has been used")
        }
        guard keys[added.key] == nil, speaking.insert(added.key).inserted else {
          throw .duplicate("the key exists")
        }
      case .recovered(let recovered):
        guard keys[recovered.key] == nil, speaking.insert(recovered.key).inserted else {
          throw .duplicate("the key exists")
        }
      case .removed, .recoverySet: break
      }
    }
    for removed in write.removedKeys {
      let speaks = keys[removed.key].map { !$0.isRevoked } ?? speaking.contains(removed.key)
      guard speaks, gone.insert(removed.key).inserted else {
        throw .conflict("the key speaks for nobody")
      }
    }
  }

  func apply(_ change: KeyChange) {
    switch change {
    case .invited(let invitation): invitations[invitation.hash] = (invitation, nil)
    case .added(let added):
      invitations[added.invitation]?.usedBy = added.key
      keys[added.key] = KeyOwner(player: added.player, name: added.name)
      keyRows[added.key] = PlayerKeys.Key(addedAt: added.at)
      origins[added.key] = added.origin
    case .removed(let removed): remove(removed.key)
    case .recoverySet: break
    case .recovered(let recovered):
      for key in recovered.removed { remove(key) }
      keys[recovered.key] = KeyOwner(player: recovered.player, name: recovered.name)
      keyRows[recovered.key] = PlayerKeys.Key(addedAt: recovered.at)
      origins[recovered.key] = recovered.origin
    }
  }

  private func remove(_ key: PublicKey) {
    keys[key]?.isRevoked = true
    keyRows[key]?.isRemoved = true
    revocationCount += 1
  }
}
