import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

/// Attacks by asking.
extension HostileMind {
  /// The messages of an attack; nil where it is not one of these.
  mutating func queries(_ kind: AttackKind) -> [HostileMessage]? {
    switch kind {
    case .queryFlood: (0..<150).map { query(anything($0), of: account()) }
    case .serviceInfoFlood: (0..<80).map { _ in query(.serviceInfo, of: stranger()) }
    case .reviewFlood: (0..<80).map { query(dear($0), of: account()) }
    case .watchFlood: watches()
    case .probes: probes()
    case .codeGuesses: codeGuesses()
    case .staleQueries:
      [-3_600, -90, 3_600, 400, -86_400].map { query(.whoAmI, of: account(), ahead: $0) }
    default: nil
    }
  }

  /// All messages of an attack.
  mutating func messages(_ kind: AttackKind) -> [HostileMessage] {
    properties(kind) ?? addresses(kind) ?? bytes(kind) ?? acts(kind) ?? queries(kind) ?? []
  }

  private mutating func anything(_ number: Int) -> Query.Kind {
    let kinds: [Query.Kind] = [
      .matches, .whoAmI, .inbox, .settings, .blocks, .dailyHistory, .ladder(.init(limit: 100)),
      .pastGames(.init(with: victim(), before: nil, limit: 100)), .review,
      .standings(.init(DailyKey(day: Day(containing: WallClock.live.now())))), .keys,
    ]
    return kinds[number % kinds.count]
  }

  private mutating func dear(_ number: Int) -> Query.Kind {
    let games = SoloGames(kind: .solo, mode: .unlimited, language: .english)
    let kinds: [Query.Kind] = [
      .review, .dailyHistory, .ladder(.init(limit: 100)),
      .leaderboard(.init(Leaderboard(games: games, measure: .words, window: .all))),
      .pastGames(.init(limit: 100)), .headToHead(.init(with: victim())),
      .account(.init(.pastGames, after: 1_000_000)),
    ]
    return kinds[number % kinds.count]
  }

  /// Waits for changes that never come: of others' matches, and of its own that nobody plays.
  private mutating func watches() -> [HostileMessage] {
    (0..<150).map { number in
      if number % 3 == 0 || open.isEmpty {
        return query(
          .match(.init(othersMatch(), newerThan: 1 << 52)), of: account())
      }
      let (key, match) = open[number % open.count]
      return query(.match(.init(match, newerThan: 1 << 40)), of: key)
    }
  }

  private mutating func probes() -> [HostileMessage] {
    (0..<6).flatMap { _ in
      let (key, match) = (bystander(), othersMatch())
      let versions: [Int64] = [0, 1, 1_000, 1 << 52, .max]
      return versions.map {
        query(.match(.init(match, atLeast: $0)), of: key)
      }
        + versions.map {
          query(.match(.init(match, newerThan: $0)), of: key)
        } + [
          query(.record(.init(match)), of: key),
          query(.match(.init(MatchID(rawValue: randomID()), atLeast: 1)), of: key),
        ]
    }
  }

  private mutating func codeGuesses() -> [HostileMessage] {
    (0..<20).compactMap { number in
      if number % 5 == 4 {
        let code = DeviceCode(random: UInt64(truncatingIfNeeded: randomID()))
        return query(.invitationOf(.init(code.hash(at: world.service))), of: stranger())
      }
      let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
      let text = String((0..<(number % 2 == 0 ? 8 : 16)).map { _ in pick(digits) ?? "0" })
      guard let code = ShareCode(text) else { return nil }
      return query(
        number % 4 < 2 ? .matchByCode(.init(code)) : .recordByCode(.init(code)), of: bystander())
    }
  }
}
