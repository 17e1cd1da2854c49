import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// The blocks among players who may meet.
  func blocks(among players: Set<PlayerID>) -> Set<Block> {
    Set(blocks.keys.filter { players.contains($0.player) && players.contains($0.blocked) })
  }

  /// The number of a player's unfinished matches.
  func load(of player: PlayerID) -> PlayerLoad {
    let running = matches.values.filter { $0.outcome == nil && $0.seat(of: player) != nil }
    return PlayerLoad(
      waiting: running.count { $0.stage == .waiting }, total: running.count,
      bot: isBot(player) ? botLoad(of: player) : nil)
  }

  /// The unfinished matches and the invitations of a bot.
  private func botLoad(of bot: PlayerID) -> BotLoad {
    let found = matches.values.filter { $0.outcome == nil && $0.concerns(bot) }
    let others = found.flatMap { $0.occupants.filter { $0 != bot } }
    return BotLoad(
      matches: found.count, byPlayer: Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +))
  }

  /// Whether chance may bring two players together: they may meet, and are not a player and a bot with
  /// as many matches as they may have.
  private func mayMeetByChance(_ one: PlayerID, _ other: PlayerID) -> Bool {
    guard mayMeet(one, other) else { return false }
    guard isBot(one) || isBot(other) else { return true }
    let shared = matches.values.count {
      $0.outcome == nil && $0.concerns(one) && $0.concerns(other)
    }
    return shared < BotLimits.matchesOfPlayer
  }

  /// The invitations to a player, for a sender.
  func inbox(of player: PlayerID, sender: PlayerID, on day: Day) -> Inbox {
    let invitations = matches.values.filter {
      $0.outcome == nil && $0.concerns(player) && $0.seat(of: player) == nil
    }
    let played = matches.values.filter { match in
      match.seat(of: player) != nil && (match.outcome?.wasPlayed ?? true)
    }
    let known = Set(played.flatMap(\.players))
    let today = strangerInvitations[day]?.filter { $0.key.player == player } ?? [:]
    return Inbox(
      waiting: min(invitations.count, Inbox.countLimit),
      fromStrangers: invitations.count { known.isDisjoint(with: $0.players) },
      fromSender: invitations.count { $0.players.contains(sender) },
      strangersToday: today.values.reduce(0, +),
      senderToday: today[.init(of: player, by: sender)] ?? 0,
      knowsSender: known.contains(sender))
  }

  /// The newest registrations of the last hour, up to a limit.
  func registrations(_ limit: Int) -> RegistrationLoad {
    let oldest = now.adding(seconds: -3_600)
    let times = players.values.map(\.registeredAt).filter { $0 > oldest }.sorted(by: >)
      .prefix(limit)
    return RegistrationLoad(count: times.count, oldest: times.last)
  }

  func mayMeet(_ one: PlayerID, _ other: PlayerID) -> Bool {
    one != other && absence(of: one) == nil && absence(of: other) == nil
      && Block.between(one, other).allSatisfy { blocks[$0] == nil }
  }

  /// Checks that nobody meets a player who has blocked them meanwhile.
  func checkMeetings(of write: BatchWrite) throws(StoreError) {
    guard write.forbiddenBlocks.isDisjoint(with: blocks.keys) else {
      throw .conflict("a player has blocked another one")
    }
  }

  func applyBlocks(of write: BatchWrite) {
    for change in write.lastBlocks {
      if change.isStanding {
        blocks[change.block] = blocks[change.block] ?? change.at
      } else {
        blocks[change.block] = nil
      }
    }
  }

  /// The newest reports of a player's last 24 hours.
  func reports(ofDayBy player: PlayerID) -> [MatchID: Instant] {
    let oldest = now.adding(seconds: -86_400)
    let late = (reports[player] ?? [:]).values.filter { $0.at > oldest }.sorted { $1.at < $0.at }
    return Dictionary(late.prefix(Report.dailyLimit).map { ($0.match, $0.at) }) { $1 }
  }

  func applyReports(of write: BatchWrite) {
    for report in write.lastReports {
      var kept = reports[report.player]?[report.match] ?? report
      (kept.reason, kept.text) = (report.reason, report.text)
      reports[report.player, default: [:]][report.match] = kept
    }
  }

  /// When a player left seats lately, the newest first; nil: none.
  func leavings(of player: PlayerID) -> [Instant]? {
    let oldest = now.adding(seconds: -LeavingPause.windowSeconds)
    let late = (seatsLeft[player] ?? []).map(\.at).filter { $0 > oldest }.sorted(by: >)
    return late.isEmpty ? nil : Array(late.prefix(LeavingPause.countLimit))
  }

  /// The reports about a player, or the newest one about each player, as operators find them.
  func reports(about player: PlayerID?, limit: Int) -> [KeptReport] {
    let all = reports.values.flatMap(\.values)
    let sorted = all.filter { player == nil || $0.other == player }.sorted {
      ($1.at, $0.player, $0.match) < ($0.at, $1.player, $1.match)
    }
    var counts: [PlayerID: Int] = [:]
    let found = sorted.filter { report in
      let group = player == nil ? report.other : report.player
      counts[group, default: 0] += 1
      return counts[group, default: 0] <= (player == nil ? 1 : KeptReport.limit)
    }
    return found.prefix(limit).map { report in
      let reporters = Set(all.filter { $0.other == report.other }.map(\.player))
      return KeptReport(report, reporterCount: reporters.count)
    }
  }

  func countStrangers(of write: BatchWrite) {
    guard !write.strangerInvitations.isEmpty else { return }
    let day = Day(containing: write.now)
    strangerInvitations[day, default: [:]].merge(write.strangerInvitations, uniquingKeysWith: +)
  }

  /// The players that a player has blocked, in the order of names.
  func blocked(by player: PlayerID) -> [ReaderStore.BlockedRow] {
    blocks.compactMap { block, since in
      guard block.player == player, let name = players[block.blocked]?.name else { return nil }
      return ReaderStore.BlockedRow(player: block.blocked, name: name, since: since)
    }.sorted { $0.name.key < $1.name.key }
  }

  // MARK: Pairing

  /// A player's rating in whole points.
  func rating(of player: PlayerID) -> Int {
    ratings.standings[player]?.after.rating.points ?? Pairing.standardRating
  }

  /// The match as one that waits for anyone. Nil if it does not.
  private func waiting(_ match: Match) -> Pairing.Waiting? {
    guard match.stage == .waiting, let row = Listing(of: match).openSeat,
      let player = match.players.first
    else { return nil }
    return Pairing.Waiting(
      match: match.id,
      seeker: Pairing.Seeker(player: player, rating: rating(of: player), since: match.dealtAt),
      hasTurn: row.hasTurn)
  }

  /// A player's present opponents, and those in the last of the games that ended lately.
  private func met(by player: PlayerID) -> Set<PlayerID> {
    let oldest = now.adding(seconds: -Pairing.latelySeconds)
    let own = matches.values.filter { $0.seat(of: player) != nil }
    let running = own.filter { $0.outcome == nil }
    let ended = own.filter { match in
      guard let at = match.endedAt, match.outcome?.wasPlayed == true else { return false }
      return at > oldest
    }
    let last = ended.sorted { one, other in
      (other.endedAt ?? oldest, other.id) < (one.endedAt ?? oldest, one.id)
    }
    let met = running + last.prefix(Pairing.latelyGames)
    return Set(met.flatMap(\.players).filter { $0 != player })
  }

  /// The matches that wait for a claimant.
  func waiters(_ terms: Terms, for player: PlayerID) -> ClaimFacts.Waiters {
    let found = matches.values.filter { $0.terms == terms && !$0.wasLeft(by: player) }
      .compactMap(waiting)
      .filter { mayMeetByChance(player, $0.seeker.player) }
    return ClaimFacts.Waiters(
      rating: rating(of: player), waiting: found.sorted { $0.match < $1.match },
      met: met(by: player))
  }

  /// The players who wait without a turn, and the players they might meet.
  func movers(_ after: Pairing.Waiting?, _ limit: Int) -> [Pairing.Mover] {
    let all = matches.values.compactMap { match in waiting(match).map { (match, $0) } }
      .sorted { ($0.1.seeker.since, $0.1.match) < ($1.1.seeker.since, $1.1.match) }
    let next = all.filter { _, own in
      !own.hasTurn
        && after.map {
          ($0.seeker.since, $0.match) < (own.seeker.since, own.match)
        } ?? true
    }
    let lookedAt = limit.multipliedReportingOverflow(by: Int(SchedulerStore.moversLookedAt))
    let page = next.prefix(lookedAt.overflow ? .max : lookedAt.partialValue)
    var found = page.filter { match, own in
      all.contains { $0.0.terms == match.terms && $0.1.seeker.player != own.seeker.player }
    }.prefix(limit)
    if found.count < limit, let last = page.last, found.last?.0.id != last.0.id {
      found.append(last)
    }
    return found.map { match, own in
      let others = all.filter { other in
        other.0.id != match.id && other.0.terms == match.terms
          && !other.0.wasLeft(by: own.seeker.player) && !match.wasLeft(by: other.1.seeker.player)
          && mayMeetByChance(own.seeker.player, other.1.seeker.player)
      }
      return Pairing.Mover(own: own, others: others.map(\.1), met: met(by: own.seeker.player))
    }
  }

  /// Whether two waiting matches fit, so that they must still be merged.
  var hasMergers: Bool { !Pairing.mergers(movers(nil, .max), at: now).isEmpty }
}
