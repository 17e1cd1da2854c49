import ArgumentParser
import MatchCore

/// The dead letters that a command is about; all given conditions have to hold.
struct DeadLetterFilter: ParsableArguments {
  @Option(help: "Only events, jobs or messages, or one kind as `list` shows it.")
  var kind: String?
  @Option(help: "Only the letters of a player, by the id or its end as `list` shows it.")
  var player: String?
  @Option(help: "Only letters with this text in their reason.")
  var containing: String?
  @Option(help: "Only letters that were given up at least so long ago: 30m, 12h, 3d.")
  var older: String?

  func validate() throws {
    if let older, DeadLetterFilter.seconds(older) == nil {
      throw ValidationError("--older is \(older), not a time such as 30m, 12h or 3d.")
    }
    for (name, value) in [("kind", kind), ("player", player), ("containing", containing)]
    where value?.isEmpty == true {
      throw ValidationError("--\(name) is empty.")
    }
  }

  /// Whether a letter is among them, at a time.
  func admits(_ letter: DeadLetterOperations.Letter, at now: Instant) -> Bool {
    isOfKind(letter)
      && (player.map { end in letter.player.map { "\($0)".hasSuffix(end.lowercased()) } ?? false }
        ?? true)
      && (containing.map { letter.reason.contains($0) } ?? true)
      && (older.flatMap(DeadLetterFilter.seconds).map { age in
        letter.at.map { $0 <= now.adding(seconds: -age) } ?? false
      } ?? true)
  }

  private func isOfKind(_ letter: DeadLetterOperations.Letter) -> Bool {
    guard let kind else { return true }
    switch (kind, letter) {
    case ("events", .event), ("jobs", .job), ("messages", .message): return true
    default: return letter.kind == kind || letter.kind == "push job \(kind)"
    }
  }

  /// A span of time in seconds; nil: it is none.
  static func seconds(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      0...1_000_000 ~= count
    else { return nil }
    return count * unit
  }
}
