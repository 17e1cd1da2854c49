import MatchCore
import MatchWire

/// A public question that a path asks.
enum PublicQuestion {
  /// The question, and how long its answer is good enough.
  struct Asked {
    var kind: Query.Kind
    var seconds: Int
  }

  /// The question of a route with its parameters.
  /// - Parameter today: The service's day.
  /// - Throws: `Problem.parameterInvalid` with the parameter and its permitted values.
  static func read(
    _ route: Route, _ path: [Substring], _ parameters: [Substring: Substring], today: Day
  ) throws(Problem) -> Asked? {
    switch route {
    case .daily:
      let mode = try choice("mode", parameters["mode"] ?? "unlimited", SoloMode.self)
      let key = DailyKey(day: today, mode: mode, language: try language(parameters["language"]))
      return Asked(kind: .standings(Query.Standings(key)), seconds: 5)
    case .dailies:
      guard let day = Day(path[0]) else {
        throw .parameterInvalid("The day is none of the form 2026-05-01, from 1970 on.")
      }
      let key = DailyKey(
        day: day, mode: try choice("mode", path[1], SoloMode.self),
        language: try language(path[2]))
      return Asked(kind: .standings(Query.Standings(key)), seconds: day < today ? 60 : 5)
    case .boards:
      let games = SoloGames(
        kind: try choice("kind", path[0], SoloGames.Kind.self),
        mode: try choice("mode", path[1], SoloMode.self),
        language: try language(parameters["language"]))
      let board = Leaderboard(
        games: games, measure: try choice("measure", path[2], Leaderboard.Measure.self),
        window: try choice("window", path[3], Leaderboard.Window.self))
      return Asked(kind: .leaderboard(Query.Leaderboard(board)), seconds: 10)
    case .ladder:
      let limit = try number("limit", parameters["limit"] ?? "20", Query.Ladder.limits)
      return Asked(kind: .ladder(Query.Ladder(limit: limit)), seconds: 10)
    case .game: return Asked(kind: .matchByCode(Query.MatchByCode(try code(path[0]))), seconds: 2)
    case .record:
      let asked = Query.RecordByCode(try code(path[0]), part: try part(parameters["part"]))
      return Asked(kind: .recordByCode(asked), seconds: 60)
    default: return nil
    }
  }

  private static func part(_ text: Substring?) throws(Problem) -> Int? {
    guard let text else { return nil }
    return try number("part", text, RecordPart.numbers)
  }

  private static func number(
    _ name: String, _ text: Substring, _ range: ClosedRange<Int>
  ) throws(Problem) -> Int {
    guard let number = Int(text), range.contains(number), String(number) == text else {
      throw .parameterInvalid(
        "The \(name) is not a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ text: Substring, _: Value.Type
  ) throws(Problem) -> Value {
    if let value = Value(rawValue: String(text)) { return value }
    let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw .parameterInvalid("The \(name) is none of \(all).")
  }

  private static func language(_ text: Substring?) throws(Problem) -> Language {
    try choice("language", text ?? "en", Language.self)
  }

  private static func code(_ text: Substring) throws(Problem) -> ShareCode {
    guard let code = ShareCode(typed: text) else {
      throw .parameterInvalid("The code is not of 4 to 16 of A–Z and 0–9.")
    }
    return code
  }
}
