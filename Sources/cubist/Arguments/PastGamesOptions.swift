import ArgumentParser
import MatchCore
import MatchWire

/// Which past games are wanted, as options.
struct PastGamesOptions: ParsableArguments {
  @Option(
    help: .init(
      "Only those: \(PastGamesOptions.kinds).", valueName: "kind"),
    completion: .list(MatchKind.allCases.map(\.rawValue)),
    transform: { text in
      guard let kind = MatchKind(rawValue: text) else {
        throw ValidationError("'\(text)' is no kind of game. Choose \(PastGamesOptions.kinds).")
      }
      return kind
    })
  var kind: MatchKind?

  @Option(
    help: .init(
      "Only those that you: \(PastGamesOptions.results).", valueName: "result"),
    completion: .list(Outcome.Result.allCases.map(\.rawValue)),
    transform: { text in
      guard let result = Outcome.Result(rawValue: text) else {
        throw ValidationError("'\(text)' is no result. Choose \(PastGamesOptions.results).")
      }
      return result
    })
  var result: Outcome.Result?

  @Option(
    help: .init("Only those that ended on that UTC day or later.", valueName: "yyyy-mm-dd"),
    transform: Day.argument)
  var from: Day?

  @Option(
    help: .init("Only those that ended on that UTC day or before.", valueName: "yyyy-mm-dd"),
    transform: Day.argument)
  var until: Day?

  var filter: PastGamesFilter {
    PastGamesFilter(kind: kind, result: result, from: from?.start, until: until?.end)
  }

  /// The options as they were typed, each with a space before it.
  var text: String {
    [
      kind.map { " --kind \($0.rawValue)" }, result.map { " --result \($0.rawValue)" },
      from.map { " --from \($0)" }, until.map { " --until \($0)" },
    ].compactMap(\.self).joined()
  }

  private static let kinds = MatchKind.allCases.map(\.rawValue).joined(separator: ", ")
  private static let results = Outcome.Result.allCases.map(\.rawValue).joined(separator: ", ")
}

extension Day {
  /// Reads an argument of a day.
  static func argument(_ text: String) throws -> Day {
    guard let day = Day(text) else {
      throw ValidationError("'\(text)' is no day. Write it as 2026-05-01.")
    }
    return day
  }
}
