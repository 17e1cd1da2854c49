import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

extension SimulatedPlayer {
  /// Asks the service for the state. Now and then a player acts on an outdated view.
  func look(_ client: Player) {
    guard !random.happens(0.15) else { return }
    do throws(ClientError) {
      let asked = world.clock.now
      let home = try client.home()
      self.home = home
      world.violations += ViewCheck(world).violations(of: home, for: id, since: asked)
      try lookAtMatches(of: home, client)
      if random.happens(0.2) { games = try client.pastGames(limit: 10).games }
      if random.happens(0.1) { try lookElsewhere(client) }
    } catch {
      world.trace.note(name, "sees nothing")
      if case .foreignReply = error { world.violations.append("\(name) was told: \(error)") }
      if case .unreadable = error { world.violations.append("\(name) was told: \(error)") }
    }
    world.violations += ViewCheck(world).violations(home: home, games: games, of: id)
  }

  private func lookAtMatches(of home: HomeView, _ client: Player) throws(ClientError) {
    for summary in home.matches where views[summary.id]?.version != summary.version {
      // Everything in the list exists, and nothing seen before disappears.
      try see(summary.id, atLeast: summary.version, newerThan: nil, client)
    }
    // A player with nothing to do may wait for the others.
    if let idle = random.pick(home.matches), !home.matches.contains(where: \.yourTurn),
      random.happens(0.2)
    {
      try see(idle.id, atLeast: nil, newerThan: idle.version, client)
    }
  }

  private func see(
    _ match: MatchID, atLeast: Int64?, newerThan: Int64?, _ client: Player
  ) throws(ClientError) {
    let view = try client.match(match, atLeast: atLeast, newerThan: newerThan)
    world.violations += ViewCheck(world).violations(view, atLeast: atLeast)
    views[match] = view
  }

  /// Other queries.
  private func lookElsewhere(_ client: Player) throws(ClientError) {
    switch random.below(7) {
    case 0:
      let found = try client.whoAmI()
      if found.id != id { world.violations.append("\(name) is told to be \(found.id)") }
    case 1: try client.serviceInfo()
    case 2:
      guard let game = random.pick(games) else { return }
      do throws(ClientError) {
        let record = try client.record(of: game.id)
        world.violations += ViewCheck(world).violations(record: record, of: game.id)
      } catch {
        world.violations += ViewCheck(world).violations(error, about: game.id)
        throw error
      }
    case 3:
      guard let code = random.pick(world.codes + world.shares) else { return }
      do throws(ClientError) {
        world.violations += ViewCheck(world).violations(
          try client.match(code: code), atLeast: nil)
      } catch {
        switch error {
        case .queryRefused(_, _, .codeUnknown?), .queryRefused(_, _, .seatTaken?),
          .queryRefused(_, _, .invitationOver?), .queryRefused(_, _, .matchGone?):
          break
        default: throw error
        }
      }
    case 4:
      guard let other = random.pick(world.players), let row = world.store.players[other.id] else {
        return
      }
      let found = try client.player(named: row.name)
      if found.id != other.id {
        world.violations.append("the name \(row.name) is said to be \(found.id)")
      }
    case 5: _ = try client.blocks()
    default:
      guard let daily = home?.daily, daily.isDealt else { return }
      _ = try client.standings(daily.daily)
      _ = try client.ladder(limit: 3)
      _ = try client.dailyHistory()
      _ = try client.review()
      let games = SoloGames(
        kind: random.happens(0.5) ? .solo : .daily, mode: random.happens(0.5) ? .timed : .unlimited)
      let measure: Leaderboard.Measure = random.happens(0.5) ? .points : .words
      let view = try client.leaderboard(Leaderboard(games: games, measure: measure, window: .week))
      if let word = view.rows.first?.word, random.happens(0.2) { complain(of: word) }
    }
  }

  /// Asks the operator to hide a word from leaderboards, or to show a hidden one again.
  private func complain(of word: String) {
    guard let word = HiddenWord(word) else { return }
    let wasHidden =
      random.happens(0.5) ? world.store.hiddenWords.min { $0.word < $1.word } : nil
    _ = world.store.setWord(wasHidden ?? word, isHidden: wasHidden == nil)
  }
}
