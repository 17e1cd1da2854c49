import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedStore {
  /// The rows of a section, in its order. Of the columns, those are here that tell which row it is,
  /// as PostgreSQL writes them.
  func rows(of player: PlayerID, in section: AccountSection) -> [[(String, JSON?)]] {
    switch section {
    case .player:
      players[player].map { [[("id", .text(player)), ("name", .text($0.name))]] } ?? []
    case .keys: keyRows(of: player)
    case .deviceInvitations:
      invitations.filter { $0.value.invitation.player == player && $0.value.usedBy == nil }
        .map { (until: $0.value.invitation.until, hash: "\\x\($0.key)") }.sorted { $0 < $1 }
        .map { [("player", .text(player)), ("hash", .string($0.hash))] }
    case .recovery: own(recoveries[player] != nil, player)
    case .settings: own(settings[player] != nil || seenUntil[player] != nil, player)
    case .devices:
      (devices[player] ?? [:]).keys.sorted()
        .map { [("player", .text(player)), ("name", .string($0.text))] }
    case .blocks:
      blocks.keys.filter { $0.player == player }.map(\.blocked).sorted()
        .map { [("player", .text(player)), ("blocked", .text($0))] }
    case .reports:
      (reports[player] ?? [:]).values.sorted { ($0.at, $0.match) < ($1.at, $1.match) }
        .map {
          [
            ("player", .text(player)), ("match", .text($0.match)),
            ("reason", .string($0.reason.rawValue)), ("text", $0.text.map { .text($0) } ?? .null),
          ]
        }
    case .departure: own(departures[player] != nil, player)
    case .bot: own(isBot(player), player)
    case .boardPlaces: places(of: player)
    case .rating: own(ratings.standings[player] != nil, player)
    case .ratingResults:
      ratings.results.values.flatMap { $0 }.filter { $0.player == player }
        .sorted { $0.number < $1.number }
        .map {
          [
            ("player", .text(player)), ("match", .text($0.match)),
            ("rating_no", .number($0.number)),
          ]
        }
    case .notifications:
      deliveries.values
        .filter { $0.job.player == player && $0.fate == .delivered && !seen.contains($0.job.id) }
        .map(\.job).sorted { (sent[$0.id] ?? now, $0.id) < (sent[$1.id] ?? now, $1.id) }
        .map { [("player", .text(player)), ("job", .text($0.id))] }
    case .runningMatches, .pastGames, .dailyScores, .soloScores:
      listed(player, in: section)
    }
  }

  private func own(_ isThere: Bool, _ player: PlayerID) -> [[(String, JSON?)]] {
    isThere ? [[("player", .text(player))]] : []
  }

  private func keyRows(of player: PlayerID) -> [[(String, JSON?)]] {
    keys.filter { $0.value.player == player }.keys
      .map { (addedAt: keyRows[$0]?.addedAt ?? now, key: "\\x\($0)") }.sorted { $0 < $1 }
      .map { [("player", .text(player)), ("key", .string($0.key))] }
  }

  private func places(of player: PlayerID) -> [[(String, JSON?)]] {
    let own = ranked.compactMap { board, places in places[player].map { (board, $0) } }
    return own.map { board, place -> (order: [String], row: [(String, JSON?)]) in
      let columns: [(String, String?)] =
        switch board {
        case .leaderboard(let board):
          [
            ("kind", board.games.kind.rawValue), ("mode", board.games.mode.rawValue),
            ("language", board.games.language.rawValue), ("day", nil),
            ("measure", board.measure.rawValue), ("time_window", board.window.rawValue),
          ]
        case .daily(let key):
          [
            ("kind", SoloGames.Kind.daily.rawValue), ("mode", key.mode.rawValue),
            ("language", key.language.rawValue), ("day", "\(key.day)"), ("measure", nil),
            ("time_window", nil),
          ]
        }
      return (
        // As PostgreSQL has it, a column without a value comes last.
        columns.map { $0.1 ?? "~" },
        columns.map { name, value in (name, value.map { .string($0) } ?? .null) }
          + [("player", .text(player)), ("points", .number(place.points))]
      )
    }.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.row)
  }

  /// The rows that follow from matches.
  private func listed(_ player: PlayerID, in section: AccountSection) -> [[(String, JSON?)]] {
    let all = rows.sorted { $0.key < $1.key }
    func row(_ match: MatchID, _ more: [(String, JSON?)] = []) -> [(String, JSON?)] {
      [("player", .text(player)), ("match", .text(match))] + more
    }
    switch section {
    case .runningMatches:
      return all.flatMap { match, listing in
        listing.seats.filter { $0.player == player }.sorted { $0.seat < $1.seat }
          .map { row(match, [("seat", .number($0.seat))]) }
      }
    case .pastGames:
      return all.flatMap { match, listing in
        listing.pastGames.filter { $0.player == player }.map { (match, $0) }
      }.sorted { ($0.1.endedAt, $0.0) < ($1.1.endedAt, $1.0) }
        .map { row($0, [("points", .number($1.points))]) }
    case .dailyScores:
      return all.compactMap(\.value.dailyScore).filter { $0.player == player }
        .sorted { ($0.key.day, $0.key.mode.rawValue) < ($1.key.day, $1.key.mode.rawValue) }
        .map {
          [
            ("player", .text(player)), ("day", .text($0.key.day)),
            ("mode", .string($0.key.mode.rawValue)), ("points", .number($0.points)),
          ]
        }
    case .soloScores:
      return all.compactMap { match, listing in listing.soloScore.map { (match, $0) } }
        .filter { $0.1.player == player }
        .sorted { ($0.1.endedAt, $0.0) < ($1.1.endedAt, $1.0) }
        .map { row($0, [("points", .number($1.points))]) }
    default: return []
    }
  }
}
