import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// The end of an account, as its player wants it.
  struct DepartureRow {
    var askedAt: Instant?
    var goneAt: Instant?
    /// Whether no match of the player is left that has to end.
    var isSettled = false
  }

  func isGone(_ player: PlayerID) -> Bool { departures[player]?.goneAt != nil }

  /// Why nobody can meet a player. Nil: the player is there, or there is no such player.
  func absence(of player: PlayerID) -> Absence? {
    guard players[player] != nil else { return nil }
    return isGone(player) ? .gone : speakingKeys(of: player).isEmpty ? .silenced : nil
  }

  func apply(isLeaving: Bool, of player: PlayerID, at time: Instant) {
    guard !isGone(player) else { return }
    if isLeaving {
      let askedAt = departures[player]?.askedAt ?? time
      departures[player, default: DepartureRow()].askedAt = askedAt
    } else {
      departures[player]?.askedAt = nil
    }
  }

  /// Removes the players whose wait was over by a time. Each key that speaks has had that long to
  /// take it back.
  func removeLeavers(by time: Instant) throws(StoreError) {
    let latest = time.adding(seconds: -Departure.waitSeconds)
    let due = departures.filter { player, departure in
      guard departure.goneAt == nil, let asked = departure.askedAt else { return false }
      return asked <= latest && recoveries[player]?.pending == nil
        && speakingKeys(of: player).allSatisfy { key in
          keyRows[key].map { $0.addedAt <= latest } ?? true
        }
    }
    for player in due.keys.sorted() { _ = try removePlayer(player) }
    reservedNames = reservedNames.filter { $0.value >= time }
  }

  /// Removes the name of a player and everything beside the matches.
  /// - Returns: false if there is no such player, or if the player is gone.
  func removePlayer(_ player: PlayerID) throws(StoreError) -> Bool {
    try checkRemovable(player)
    guard let name = players[player]?.name, !isGone(player) else { return false }
    let askedAt = departures[player]?.askedAt ?? now
    departures[player] = DepartureRow(askedAt: askedAt, goneAt: now)
    for key in speakingKeys(of: player) {
      keys[key]?.isRevoked = true
      keyRows[key]?.isRemoved = true
    }
    revocationCount += 1
    names[name.key] = nil
    skeletons[name.skeleton]?.remove(player)
    reservedNames[name.skeleton] = now.adding(seconds: Departure.nameReservedSeconds)
    players[player]?.name = Departure.name
    for key in keys.keys where keys[key]?.player == player {
      keys[key]?.name = Departure.name
    }
    settings[player] = nil
    seenUntil[player] = nil
    nextDigest[player] = nil
    devices[player] = nil
    recoveries[player] = nil
    invitations = invitations.filter { $0.value.invitation.player != player }
    blocks = blocks.filter { $0.key.player != player && $0.key.blocked != player }
    dropOffers(of: player)
    declareBot(player)
    return true
  }

  /// Notes the players who are gone and have no match left that has to end.
  func settleLeavers() {
    for (player, departure) in departures where departure.goneAt != nil && !isSeated(player) {
      departures[player]?.isSettled = true
    }
  }

  private func isSeated(_ player: PlayerID) -> Bool {
    matches.values.contains { $0.outcome == nil && $0.concerns(player) }
  }

  /// The matches with an offer of a rematch by a player or to one.
  private func matchesOffered(by player: PlayerID) -> [MatchID] {
    rows.filter { $1.rematchOffer.map { $0.from == player || $0.to == player } ?? false }
      .keys.sorted()
  }

  /// Removes the offers of rematches by a player and to one. They lie beside the record.
  private func dropOffers(of player: PlayerID) {
    for id in matchesOffered(by: player) {
      rows[id]?.rematchOffer = nil
      guard var match = matches[id] else { continue }
      var rematch = match.rematch
      rematch.offer = nil
      match.restore(version: match.version, rematch: rematch)
      show(match)
    }
  }

  /// Players after one who are gone, and what is left of them.
  func gone(after player: PlayerID?, _ limit: Int) -> [GonePlayer] {
    let rest = departures.filter { row in
      row.value.goneAt != nil && player.map { row.key > $0 } ?? true
    }
    return rest.keys.sorted().prefix(limit).map { player in
      let remains: [(String, Bool)] = [
        ("players", players[player]?.name != Departure.name),
        ("player_keys", !speakingKeys(of: player).isEmpty),
        ("player_settings", settings[player] != nil || seenUntil[player] != nil),
        ("devices", devices[player] != nil),
        ("device_invitations", invitations.values.contains { $0.invitation.player == player }),
        ("recoveries", recoveries[player] != nil),
        ("blocks", blocks.keys.contains { $0.player == player || $0.blocked == player }),
        ("bots", !ratings.bots.contains(player)),
        ("rematch_offers", !matchesOffered(by: player).isEmpty),
        ("seats", departures[player]?.isSettled == true && isSeated(player)),
      ]
      return GonePlayer(player: player, remains: remains.filter(\.1).map(\.0))
    }
  }
}
