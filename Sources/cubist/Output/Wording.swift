import CubeRules
import MatchCore
import MatchWire
import PlayerClient
import ServiceNews

// Words that only a command line needs.

extension Wording {
  /// When something can be done, such as `in 3 h 20 min (at 17:40 UTC)`. The minute is the first one
  /// in which it can be done all the time.
  ///
  /// - Parameter now: The time of day; nil where it is not known.
  static func point(_ instant: Instant, now: Instant?) -> String {
    let minute = minute(instant.adding(microseconds: 59_999_999))
    guard let now, instant > now else { return "at \(minute)" }
    let isToday = minute.hasPrefix("\(Day(containing: now)) ")
    let time = isToday ? String(minute.dropFirst(11)) : minute
    return "\(when(instant, now: now)) (at \(time))"
  }

  /// An instant to the second, such as `2026-05-01 01:46:40 UTC`.
  static func second(_ instant: Instant) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }

  /// Why two players met by chance.
  static func why(_ why: MeetingView?) -> String {
    guard let why else { return "This match was not made by chance.\n" }
    let sentences = meeting(why)
    let merged =
      why.merged.map { ["Two that waited became one: match \(NextStep.short($0)) ended."] } ?? []
    let lines = [sentences.prefix(2).joined(separator: " ")] + sentences.dropFirst(2) + merged
    return lines.joined(separator: "\n") + "\n"
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
