import MatchCore
import MatchInterfaces
import MatchWire

/// Notices of changes, for everybody who watches.
extension TurnWorker {
  /// The new versions of changed matches, and the players whose overviews have changed otherwise.
  func outcomes(of batch: Batch) -> [WorkerBus.Outgoing] {
    notices.notices(
      of: batch.write.changes.map(OutcomeNotice.Change.init), players: batch.changedPlayers,
      at: clock.uptimeNanoseconds()
    ).map { .outcome(routingKey: Names.changedMatches, body: $0) }
  }

  /// Says that this worker lives and which of its notices was the last one, if it is time.
  func beat() throws(Interruption) {
    guard let body = notices.beat(at: clock.uptimeNanoseconds()) else { return }
    try onBus(try bus.publish([.outcome(routingKey: Names.changedMatches, body: body)]))
  }
}

extension OutcomeNotice.Change {
  /// A change concerns those who sit in the match or are invited to it, and those who did before.
  init(_ change: MatchChange) {
    let after = change.after
    var players = after.occupants
    if let before = change.before,
      !before.seats.elementsEqual(after.seats, by: { $0.holder == $1.holder })
    {
      for player in before.occupants where !players.contains(player) { players.append(player) }
    }
    if players.count > OutcomeNotice.seatLimit {
      players.removeLast(players.count - OutcomeNotice.seatLimit)
    }
    self.init(match: after.id, version: after.version, players: players)
  }
}

extension Batch {
  /// The players whose settings, devices, blocks or seen notifications changed, or who have removed
  /// a key. The player who is blocked sees no change.
  var changedPlayers: [PlayerID] {
    guard !write.playerChanges.isEmpty || !write.blocks.isEmpty || !write.keyChanges.isEmpty else {
      return []
    }
    return Set(
      write.playerChanges.map(\.player) + write.blocks.map(\.block.player)
        + write.removedKeys.map(\.player)
    ).sorted()
  }
}
