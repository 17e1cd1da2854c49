import CubeRules
import MatchCore
import MatchWire
import PlayerClient

/// How matches, players and times are put in words.
enum Wording {
  /// Why two players met by chance.
  static func why(_ why: MeetingView?) -> String {
    guard let why else { return "This match was not made by chance.\n" }
    let window = why.window.map { "anybody within \(count($0, "point"))" } ?? "anybody"
    let lately = why.metLately ? "You had met lately: nobody else was to be had.\n" : ""
    let merged =
      why.merged.map { "Two that waited became one: match \(NextStep.short($0)) ended.\n" } ?? ""
    return "Your ratings were \(count(why.ratingDistance, "point")) apart. After a wait of "
      + "\(SpanText.words(seconds: why.waited)) \(window) fitted.\n" + lately + merged
  }

  /// How far an instant is away, such as `in 2 days 3 h`.
  static func when(_ instant: Instant, now: Instant) -> String {
    let distance = instant.microseconds(since: now)
    return distance > 0
      ? "in \(SpanText.left(microseconds: distance))"
      : SpanText.ago(microseconds: now.microseconds(since: instant))
  }

  /// The time left until a deadline.
  static func timeLeft(_ deadline: Instant?, now: Instant) -> String {
    guard let deadline else { return "no limit" }
    let span = deadline.microseconds(since: now)
    return span > 0 ? "\(SpanText.left(microseconds: span)) left" : "time is up"
  }

  /// So many of something: `1 point`, `2 points`.
  static func count(_ count: Int, _ thing: String, _ things: String? = nil) -> String {
    "\(count) \(count == 1 ? thing : things ?? thing + "s")"
  }

  /// A player's name, or the beginning of an id where there is none.
  static func name(_ name: PlayerName?, _ player: PlayerID?) -> String {
    if let name { return name.text }
    return player.map { "player \($0.description.prefix(8))" } ?? "nobody yet"
  }

  /// The opponent in a match, or the sort of game.
  static func opponent(_ match: MatchSummary) -> String {
    opponent(match.kind, match.daily, match.mode, match.opponentName, match.opponent)
  }

  /// The sort of a game of one player.
  static func game(_ match: MatchView) -> String {
    opponent(match.kind, match.daily, match.mode, nil, nil)
  }

  /// The opponent in a past game, or the sort of game.
  static func opponent(_ game: PastGame) -> String {
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

  /// The own points, then the others'.
  static func points(_ match: MatchSummary) -> String {
    let others = match.points.indices.filter { $0 != match.yourSeat }
    let own = match.points.indices.contains(match.yourSeat) ? [match.points[match.yourSeat]] : []
    return (own + others.map { match.points[$0] }).map(String.init).joined(separator: " : ")
  }

  /// The reason why a match waits.
  static func state(_ match: MatchSummary) -> String {
    switch match.stage {
    case .waiting:
      if let code = match.code { return "waits for anyone with the code \(code)" }
      let place = match.opponent == nil ? "waits for an opponent" : "waits for an answer"
      return match.yourTurn ? "\(place); you can play" : place
    case .playing: return match.yourTurn ? "your turn" : "turn of \(opponent(match))"
    case .ended: return "over"
    }
  }

  /// The moves of a turn, such as `removed cube 202, CUBES scores 110`.
  static func turn(_ moves: [Move], words: [String], score: Int) -> String {
    let cubes = moves.compactMap { if case .removal(let cube) = $0 { "\(cube)" } else { nil } }
    let removed = cubes.isEmpty ? "" : "removed cube\(cubes.count == 1 ? "" : "s") " + list(cubes)
    let words = words.filter { !$0.isEmpty }
    let played =
      words.isEmpty ? "" : list(words) + (words.count == 1 ? " scores " : " score ") + "\(score)"
    return [removed, played].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// The cubes that go with a word, such as `cubes 022 and 222 vanish`.
  static func vanishing(_ cubes: [String]) -> String {
    if cubes.isEmpty { return "no cube vanishes" }
    return cubes.count == 1
      ? "cube \(cubes[0]) vanishes" : "cubes \(list(cubes)) vanish"
  }

  /// Several things as one speaks of them: `a, b and c`.
  static func list(_ items: [String]) -> String {
    guard let last = items.last, items.count > 1 else { return items.first ?? "" }
    return items.dropLast().joined(separator: ", ") + " and " + last
  }

  /// The result of a game for a player.
  static func result(_ result: Outcome.Result) -> String {
    switch result {
    case .won: "won"
    case .lost: "lost"
    case .tied: "tied"
    case .completed: "played to the end"
    case .none: "not counted"
    }
  }

  /// Why a match ended; `who` is the name of the seat that caused it.
  static func reason(_ reason: Outcome.Reason, who: String) -> String {
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
  static func gaveUpAtOnce(_ who: String) -> String { "\(who) gave up before the first move" }

  /// Why a match was aborted, if the player who gave it up is not known.
  static let endedEarly = "it ended before the first move"

  /// Why a past game ended. The result tells whose fault it was.
  static func reason(_ game: PastGame) -> String {
    let opponent = opponent(game)
    if let player = game.gaveUpBy {
      return gaveUpAtOnce(player == game.opponent ? opponent : "you")
    }
    return switch game.reason {
    case .forfeited, .timedOut: reason(game.reason, who: game.result == .lost ? "you" : opponent)
    case .aborted: endedEarly
    case .finished: reason(game.reason, who: "you")
    default: reason(game.reason, who: "a player")
    }
  }

  /// Why an operator ended or annulled a match.
  static func ruling(_ reason: Ruling.Reason) -> String {
    switch reason {
    case .cheating: "somebody cheated"
    case .misconduct: "somebody behaved badly"
    case .agreement: "both players wanted it"
    case .fault: "the service was at fault"
    }
  }
}

extension Candidate {
  /// A match that is not over.
  init(_ match: MatchSummary, short: String) {
    let about = "\(Wording.opponent(match)), turn \(match.turn), \(Wording.state(match))"
    self.init(id: match.id, short: short, about: about)
  }

  init(_ game: PastGame, short: String) {
    let about =
      "\(Wording.opponent(game)), \(Wording.result(game.result)), ended \(Day(containing: game.endedAt))"
    self.init(id: game.id, short: short, about: about)
  }

  /// A finished match with an offer of a rematch.
  init(_ offer: RematchOfferView, short: String) {
    let name = Wording.name(offer.opponentName, offer.opponent)
    let about = offer.isYours ? "you offered \(name) a rematch" : "\(name) offers a rematch"
    self.init(id: offer.match, short: short, about: about)
  }
}
