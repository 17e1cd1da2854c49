import MatchCore
import MatchInterfaces
import MatchWire

/// Checks at every commit that two players meet only if neither has blocked the other before, and
/// that nobody has more matches than the limits allow.
struct MeetingCheck {
  private(set) var violations: [String] = []
  /// The blocks that stood before the present commit.
  private var standing: Set<Block> = []
  /// The times of each block. A block that still stands has no end.
  private var blockTimes: [Block: [(from: Instant, to: Instant?)]] = [:]
  /// The numbers of a player's unfinished matches, with the start of each. Within a batch it is the
  /// most.
  private var loads: [PlayerID: [(since: Instant, total: Int)]] = [:]
  /// The matches of each bot, likewise.
  private var botLoads: [PlayerID: [(since: Instant, load: BotLoad)]] = [:]

  /// Looks at a batch that has just been committed.
  mutating func committed(_ write: BatchWrite, _ world: World) {
    for block in write.forbiddenBlocks where standing.contains(block) {
      violations.append("player \(block.player) met \(block.blocked), whom it had blocked")
    }
    for change in write.blocks { note(change, at: world.clock.now) }
    if standing != Set(world.store.blocks.keys) {
      violations.append("the store holds other blocks than were said")
    }
    checkLoads(write, world)
  }

  private mutating func note(_ change: BlockChange, at now: Instant) {
    let block = change.block
    if change.isStanding {
      if standing.insert(block).inserted { blockTimes[block, default: []].append((now, nil)) }
    } else if standing.remove(block) != nil, let last = blockTimes[block]?.indices.last {
      blockTimes[block]?[last].to = now
    }
  }

  private mutating func noteLoad(of player: PlayerID, _ write: BatchWrite, _ world: World) {
    let (now, total) = (world.clock.now, world.store.load(of: player).total)
    let begun = write.changes.count {
      $0.after.seat(of: player) != nil && $0.before?.seat(of: player) == nil
    }
    let before = loads[player]?.last?.total ?? 0
    loads[player, default: []] += [(now, max(before + begun, total)), (now, total)]
  }

  private mutating func noteBotLoad(of bot: PlayerID, _ write: BatchWrite, _ world: World) {
    guard let load = world.store.load(of: bot).bot else { return }
    var most = botLoads[bot]?.last?.load ?? load
    for change in write.changes where change.after.concerns(bot) {
      if change.before?.concerns(bot) != true { most.matches += 1 }
      for other in change.after.occupants
      where other != bot && change.before?.concerns(other) != true {
        most.byPlayer[other, default: 0] += 1
      }
    }
    most.matches = max(most.matches, load.matches)
    most.byPlayer.merge(load.byPlayer, uniquingKeysWith: max)
    botLoads[bot, default: []] += [(write.now, most), (world.clock.now, load)]
  }

  /// The matches of a bot at any time within a window. None: the account was no bot's.
  func loads(ofBot bot: PlayerID, in window: ClosedRange<Instant>) -> [BotLoad] {
    let all = botLoads[bot] ?? []
    let inside = all.filter { window.contains($0.since) }
    let before = all.last { $0.since < window.lowerBound }
    return (inside + (before.map { [$0] } ?? [])).map(\.load)
  }

  /// Whether a block stood at some time.
  func stood(_ block: Block, in window: ClosedRange<Instant>) -> Bool {
    (blockTimes[block] ?? []).contains {
      $0.from <= window.upperBound && $0.to.map { $0 >= window.lowerBound } ?? true
    }
  }

  /// The most unfinished matches of a player in a time.
  func mostMatches(of player: PlayerID, in window: ClosedRange<Instant>) -> Int {
    let all = loads[player] ?? []
    let inside = all.filter { window.contains($0.since) }
    let before = all.last { $0.since < window.lowerBound }
    return (inside + (before.map { [$0] } ?? [])).map(\.total).max() ?? 0
  }

  private mutating func checkLoads(_ write: BatchWrite, _ world: World) {
    guard let most = world.limits.runningMatches, let open = world.limits.openRequests else {
      return
    }
    let declared = write.playerChanges.compactMap { row -> PlayerID? in
      guard case .settings(let change) = row.change, change.isBot == true else { return nil }
      return row.player
    }
    for player in Set(write.changes.flatMap(\.after.occupants) + declared) {
      noteBotLoad(of: player, write, world)
    }
    for player in Set(write.changes.flatMap(\.after.players)) {
      noteLoad(of: player, write, world)
      let running = world.store.matches.values.filter {
        // A daily challenge can always be started.
        $0.outcome == nil && $0.seat(of: player) != nil && $0.terms.kind.dailyKey == nil
      }
      if running.count > most {
        violations.append("player \(player) has \(running.count) matches where \(most) may be")
      }
      // A match whose joiner has left waits again, however many do.
      let waiting = running.count { $0.stage == .waiting && $0.leavings.isEmpty }
      if waiting > open {
        violations.append("\(waiting) requests of player \(player) wait where \(open) may")
      }
    }
  }
}
