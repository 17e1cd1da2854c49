import ServiceNews
import CubePlay
import MatchCore
import GameScreens
import MatchWire
import PlayerClient

/// The home list, as the bare command shows it.
struct HomeText {
  let home: HomeView
  /// The player's own; nil: it is not known.
  let name: PlayerName?
  let now: Instant
  let console: Console

  private var style: TerminalStyle { console.style }

  func text() -> String {
    let index = MatchIndex(home)
    let (yours, others) = (home.matches.filter(\.yourTurn), home.matches.filter { !$0.yourTurn })
    var sections: [String] = []
    if !yours.isEmpty {
      sections.append("Your turn\n" + MatchTable.text(yours, index, now: now, style))
    }
    if !others.isEmpty {
      sections.append("Waiting for others\n" + MatchTable.text(others, index, now: now, style))
    }
    if !home.invitations.isEmpty { sections.append(invitations(index)) }
    if !home.rematchOffers.isEmpty { sections.append(offers(index)) }
    sections += HomeText.unlisted(home)
    let hasMatches = !sections.isEmpty
    let warnings = AccountWarning.all(home, now: now)
    let dailies = [home.daily, home.timedDaily].compactMap(\.self)
    sections.append(dailies.map { DailyText.line($0, now: now, console) + "\n" }.joined())
    if !hasMatches {
      sections.insert(
        "Nothing waits for you. Start a match: \(console.repeating("cubist start"))\n", at: 0)
    }
    if !warnings.isEmpty { sections.insert(warnings.map(warning).joined(), at: 0) }
    return sections.joined(separator: "\n")
  }

  /// The matches that are in no table: those beyond the listed ones, and damaged ones.
  static func unlisted(_ home: HomeView) -> [String] {
    var sections: [String] = []
    if let more = home.moreMatches {
      sections.append(
        "\(Wording.count(more, "older match", "older matches")) \(more == 1 ? "is" : "are") not listed.\n"
      )
    }
    if let damaged = home.damaged, !damaged.isEmpty {
      sections.append(
        damaged.map { "Match \(NextStep.short($0)): \(QueryRefusal.matchDamaged.message)\n" }
          .joined())
    }
    return sections
  }

  /// What becomes of the account, and how to stop it.
  private func warning(_ warning: AccountWarning) -> String {
    switch warning.kind {
    case .recovery:
      let words = console.repeating(RecoveryText.withdrawal(name))
      return "\(warning.text) Delay it: \(console.repeating("cubist key object"))\n"
        + "Your words stop it: \(words)\n"
    case .departure:
      return "\(warning.text) Keep it: \(console.repeating("cubist account keep"))\n"
    }
  }

  private func invitations(_ index: MatchIndex) -> String {
    var table = TerminalTable([
      .init(heading: "ID"), .init(heading: "From"), .init(heading: "A turn"),
      .init(heading: "Until"),
    ])
    for match in home.invitations {
      table.append([
        index.short(match.id), Wording.opponent(match),
        (match.turnLimit.map { SpanText.words(seconds: $0) } ?? "no limit")
          + (match.casual == true ? ", casual" : ""),
        match.deadline.map { Wording.when($0, now: now) } ?? "",
      ])
    }
    let more = home.moreInvitations.map {
      "\(Wording.count($0, "older invitation")) \($0 == 1 ? "is" : "are") not listed. "
        + "To decline all: \(console.repeating("cubist decline --all"))\n"
    }
    let accept = console.repeating("cubist accept ID")
    return "Invitations: \(accept), or \(console.repeating("cubist decline ID"))\n"
      + table.text(style) + (more ?? "")
  }

  private func offers(_ index: MatchIndex) -> String {
    var table = TerminalTable([
      .init(heading: "ID"), .init(heading: "With"), .init(heading: "Offered by"),
      .init(heading: "Until"),
    ])
    for offer in home.rematchOffers {
      let name = Wording.name(offer.opponentName, offer.opponent)
      table.append([
        index.short(offer.match), name, offer.isYours ? "you" : name,
        Wording.when(offer.expiresAt, now: now),
      ])
    }
    let rematch = console.repeating("cubist rematch ID")
    // An own offer waits for the other player.
    let isYours = home.rematchOffers.allSatisfy(\.isYours)
    let head = isYours ? "Rematches" : "Rematches: \(rematch), or \(rematch) --decline"
    return head + "\n" + table.text(style)
  }
}

/// Matches that are not over, as a table.
enum MatchTable {
  static func text(
    _ matches: [MatchSummary], _ index: MatchIndex, now: Instant, _ style: TerminalStyle
  ) -> String {
    var table = TerminalTable([
      .init(heading: "ID"), .init(heading: "Against"),
      .init(heading: "Turn", alignment: .right), .init(heading: "Points"),
      .init(heading: "Time"), .init(heading: "State"),
    ])
    for match in matches {
      table.append([
        index.short(match.id), Wording.opponent(match), String(match.turn), Wording.points(match),
        Wording.timeLeft(match.deadline, now: now), Wording.state(match),
      ])
    }
    return table.text(style)
  }
}

/// Past games, as a table.
enum PastGamesText {
  static func text(_ page: PastGames, now: Instant, _ style: TerminalStyle) -> String {
    guard !page.games.isEmpty else { return "No past games.\n" }
    let resolver = MatchIDResolver(page.games.map(\.id))
    var table = TerminalTable([
      .init(heading: "ID"), .init(heading: "Against"), .init(heading: "Result"),
      .init(heading: "Points"), .init(heading: "Ended"), .init(heading: "Why"),
    ])
    for game in page.games {
      let points = [game.points, game.opponentPoints].compactMap(\.self).map(String.init)
      table.append([
        resolver.shortID(of: game.id), Wording.opponent(game), Wording.result(game.result),
        points.joined(separator: " : "), Wording.when(game.endedAt, now: now),
        Wording.reason(game),
      ])
    }
    return table.text(style)
  }
}

/// The daily challenge.
enum DailyText {
  static func line(_ daily: DailyStatus, now: Instant, _ console: Console) -> String {
    let day = head(daily.daily)
    let timed = ModeOptions.text(daily.daily.mode)
    let ends = "it ends \(Wording.when(daily.endsAt, now: now))"
    guard let match = daily.match else {
      return daily.isDealt
        ? "\(day): \(ends). Start it: \(console.repeating("cubist daily start\(timed)"))"
        : "\(day): not dealt yet."
    }
    let points = Wording.count(daily.points ?? 0, "point") + ", match \(NextStep.short(match))"
    let see = console.repeating("cubist daily standings\(timed)")
    let play = console.repeating("cubist daily play WORD\(timed)")
    return daily.isOver
      ? "\(day): over, \(points). See: \(see)" : "\(day): \(points); \(ends). Play: \(play)"
  }

  private static func head(_ daily: DailyKey) -> String {
    "\(daily.mode == .timed ? "Timed daily" : "Daily") challenge of \(daily.day)"
  }

  static func text(_ standings: Standings, _ style: TerminalStyle) -> String {
    "\(head(standings.daily)): \(Wording.count(standings.outOf, "player")) began it\n"
      + RankingText.text(standings.rows, standings.you, style)
  }

  static func text(_ history: DailyHistory, _ style: TerminalStyle) -> String {
    guard !history.results.isEmpty else {
      return "You began no daily challenge in the last \(DailyHistory.dayCount) days.\n"
    }
    var table = TerminalTable([
      .init(heading: "Day"), .init(heading: "Mode"), .init(heading: "Points", alignment: .right),
      .init(heading: "Rank", alignment: .right), .init(heading: "Of", alignment: .right),
    ])
    for result in history.results {
      table.append([
        result.daily.day.description, result.daily.mode.rawValue, String(result.points),
        String(result.rank), String(result.outOf),
      ])
    }
    return table.text(style)
  }
}
