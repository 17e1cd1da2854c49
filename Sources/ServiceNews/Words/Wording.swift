package import MatchCore
package import MatchWire

/// How matches, players and times are put in words.
package enum Wording {
  /// How far an instant is away, such as `in 2 days 3 h`.
  package static func when(_ instant: Instant, now: Instant) -> String {
    let distance = instant.microseconds(since: now)
    return distance > 0
      ? "in \(SpanText.left(microseconds: distance))"
      : SpanText.ago(microseconds: now.microseconds(since: instant))
  }

  /// An instant to the minute, such as `2026-05-01 01:47 UTC`.
  package static func minute(_ instant: Instant) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }

  /// The time left until a deadline.
  package static func timeLeft(_ deadline: Instant?, now: Instant) -> String {
    guard let deadline else { return "no limit" }
    let span = deadline.microseconds(since: now)
    return span > 0 ? "\(SpanText.left(microseconds: span)) left" : "time is up"
  }

  /// So many of something: `1 point`, `2 points`.
  package static func count(_ count: Int, _ thing: String, _ things: String? = nil) -> String {
    "\(count) \(count == 1 ? thing : things ?? thing + "s")"
  }

  /// A player's name, or the beginning of an id where there is none.
  package static func name(_ name: PlayerName?, _ player: PlayerID?) -> String {
    if let name { return name.text }
    return player.map { "player \($0.description.prefix(8))" } ?? "nobody yet"
  }

  /// The opponent in a match, or the sort of game.
  package static func opponent(_ match: MatchSummary) -> String {
    opponent(match.kind, match.daily, match.mode, match.opponentName, match.opponent)
  }

  /// The sort of a game of one player.
  package static func game(_ match: MatchView) -> String {
    opponent(match.kind, match.daily, match.mode, nil, nil)
  }

  /// The opponent in a past game, or the sort of game.
  package static func opponent(_ game: PastGame) -> String {
    opponent(game.kind, game.daily, game.mode, game.opponentName, game.opponent)
  }

  private static func opponent(
    _ kind: MatchKind, _ daily: DailyKey?, _ mode: SoloMode?, _ name: PlayerName?,
    _ player: PlayerID?
  ) -> String {
    let timed = mode == .timed ? "timed " : ""
    return switch kind {
    case .solo: "\(timed)solo game"
    case .daily: "\(timed)daily \(daily?.day.description ?? "challenge")"
    default: Wording.name(name, player)
    }
  }

  /// Several things as one speaks of them: `a, b and c`.
  package static func list(_ items: [String]) -> String {
    guard let last = items.last, items.count > 1 else { return items.first ?? "" }
    return items.dropLast().joined(separator: ", ") + " and " + last
  }

  /// The result of a game for a player.
  package static func result(_ result: Outcome.Result) -> String {
    switch result {
    case .won: "won"
    case .lost: "lost"
    case .tied: "tied"
    case .completed: "played to the end"
    case .none: "not counted"
    }
  }

  /// Why a match ended; `who` is the name of the seat that caused it.
  package static func reason(_ reason: Outcome.Reason, who: String) -> String {
    switch reason {
    case .cleared: "no cube is left"
    case .forfeited: "\(who) gave up"
    case .timedOut: who == "you" ? "your time ran out" : "the time of \(who) ran out"
    case .finished: who == "you" ? "you ended it" : "its player ended it"
    case .timeUp: "time ran out"
    case .aborted: "\(who) made no first move"
    case .withdrawn: "it was withdrawn"
    case .declined: "\(who) declined"
    case .expired: "nobody came"
    case .stopped: "the service's operator ended it"
    case .annulled: "the service's operator annulled it"
    case .mergedInto: "an opponent was found in another match"
    }
  }

  /// The end of a match that was given up before anybody had played a turn.
  package static func gaveUpAtOnce(_ who: String) -> String {
    "\(who) gave up before the first move"
  }

  /// Why a past game ended. The result tells whose fault it was.
  package static func reason(_ game: PastGame) -> String {
    let opponent = opponent(game)
    if let player = game.gaveUpBy {
      return gaveUpAtOnce(player == game.opponent ? opponent : "you")
    }
    return switch game.reason {
    case .forfeited, .timedOut: reason(game.reason, who: game.result == .lost ? "you" : opponent)
    case .finished: reason(game.reason, who: "you")
    default: reason(game.reason, who: "a player")
    }
  }

  /// Why chance let two players meet, in sentences.
  package static func meeting(_ why: MeetingView) -> [String] {
    let window = why.window.map { "anybody within \(count($0, "point"))" } ?? "anybody"
    let wait = SpanText.words(seconds: why.waited)
    return [
      "Your ratings were \(count(why.ratingDistance, "point")) apart.",
      "After a wait of \(wait) \(window) fitted.",
    ] + (why.metLately ? ["You had met lately: nobody else was to be had."] : [])
  }

  /// Why an operator ended or annulled a match.
  package static func ruling(_ reason: Ruling.Reason) -> String {
    switch reason {
    case .cheating: "somebody cheated"
    case .misconduct: "somebody behaved badly"
    case .agreement: "both players wanted it"
    case .fault: "the service was at fault"
    }
  }
}
