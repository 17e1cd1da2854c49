package import MatchCore

extension BatchWrite {
  /// The blocks that must not stand in the store: for every two players that the batch lets meet, a
  /// block of either by the other. The batch has judged its own blocks in order, so the store has
  /// no say in those.
  package var forbiddenBlocks: Set<Block> {
    var forbidden: Set<Block> = []
    for change in changes {
      for (one, other) in change.meetings { forbidden.formUnion(Block.between(one, other)) }
    }
    for nudge in nudges { forbidden.formUnion(Block.between(nudge.sender, nudge.player)) }
    if !forbidden.isEmpty { forbidden.subtract(blocks.map(\.block)) }
    return forbidden
  }

  /// The seats that players left in the batch, with their matches.
  package var seatsLeft: [(match: MatchID, leaving: Match.Leaving)] {
    changes.flatMap { change in change.leavings.map { (change.after.id, $0) } }
  }

  /// The last word of the batch on each block.
  package var lastBlocks: [BlockChange] {
    var last: [Block: BlockChange] = [:]
    for change in blocks { last[change.block] = change }
    return last.values.sorted {
      ($0.block.player, $0.block.blocked) < ($1.block.player, $1.block.blocked)
    }
  }

  /// The last report of the batch by each player about each match, with the time of the first.
  package var lastReports: [Report] {
    var last: [PlayerID: [MatchID: Report]] = [:]
    for report in reports {
      var newest = report
      if let first = last[report.player]?[report.match] { newest.at = first.at }
      last[report.player, default: [:]][report.match] = newest
    }
    return last.values.flatMap(\.values).sorted {
      ($0.player, $0.match) < ($1.player, $1.match)
    }
  }
}

extension MatchChange {
  /// The seats that players left by this step.
  package var leavings: ArraySlice<Match.Leaving> {
    after.leavings.dropFirst(before?.leavings.count ?? 0)
  }

  /// The players who meet by this step: the player who is invited, takes a seat, offers a rematch or
  /// answers a turn, with everybody else there.
  package var meetings: [(PlayerID, PlayerID)] {
    let hasNewOffer =
      after.rematch.offer != nil && after.rematch.offer != before?.rematch.offer
    guard after.seats.count > 1,
      hasNewOffer || hasNewReaction || after.outcome == nil && hasNewHolder
    else {
      return []
    }
    let players = after.seats.compactMap { seat in
      switch seat.holder {
      case .free: PlayerID?.none
      case .invited(let player), .taken(let player): player
      }
    }
    return players.indices.flatMap { index in
      players[(index + 1)...].map { (players[index], $0) }
    }
  }

  /// Whether a player has answered a turn. A running match takes no other entries than turns and
  /// reactions.
  private var hasNewReaction: Bool {
    guard let before, before.stage == .playing, after.stage == .playing else { return false }
    return after.entryCount - before.entryCount > after.turnNumber - before.turnNumber
  }

  private var hasNewHolder: Bool {
    guard let before, before.seats.count == after.seats.count else { return true }
    return zip(before.seats, after.seats).contains { $0.holder != $1.holder }
  }
}
