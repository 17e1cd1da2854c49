import ServiceNews
import MatchCore
import MatchWire

/// How two players did against each other.
enum HeadToHeadText {
  static func text(_ summary: HeadToHead) -> String {
    let (score, name) = (summary.score, summary.opponentName.text)
    guard summary.wordMatches > 0 else { return "You have no past match against \(name).\n" }
    var lines: [String] = []
    if let run = summary.run { lines.append("Run: \(text(run, of: score, summary.hasOlder))") }
    let all = score.matches + summary.notCounted
    let place = all > summary.wordMatches ? " in the last \(summary.wordMatches) matches" : ""
    if let word = summary.bestWord { lines.append("Your best word\(place): \(text(word))") }
    if let word = summary.opponentBestWord {
      lines.append("Best word of \(name)\(place): \(text(word))")
    }
    if let series = summary.series { lines.append(text(series, against: name)) }
    if summary.notCounted > 0 {
      let count = Wording.count(summary.notCounted, "match", "matches")
      lines.append("Not counted, aborted or annulled: \(count)")
    }
    if summary.hasOlder == true {
      lines.append("Older matches are left out: these are your last \(all)")
    }
    let results = "\(score.won) won, \(score.lost) lost, \(score.tied) tied"
    return "You against \(name): \(Wording.count(score.matches, "match", "matches")), \(results)\n"
      + lines.map { "  \($0)\n" }.joined()
  }

  private static func text(
    _ run: HeadToHead.Run, of score: HeadToHead.Score, _ hasOlder: Bool?
  ) -> String {
    let isOpen = hasOlder == true && run.count == score.matches
    let last =
      run.count == 1 ? "last match" : "last \(run.count) matches\(isOpen ? " or more" : "")"
    return switch run.result {
    case .won: "you won the \(last)"
    case .lost: "you lost the \(last)"
    default: "the \(last) \(run.count == 1 ? "was" : "were") tied"
    }
  }

  private static func text(_ best: HeadToHead.BestWord) -> String {
    "\(best.word), \(Wording.count(best.points, "point")), turn \(best.turn) of match "
      + NextStep.short(best.match)
  }

  private static func text(_ series: HeadToHead.Series, against name: String) -> String {
    let score = series.score
    let lead =
      if score.won > score.lost {
        "you lead \(score.won) : \(score.lost)"
      } else if score.won < score.lost {
        "\(name) leads \(score.lost) : \(score.won)"
      } else {
        "it stands \(score.won) : \(score.lost)"
      }
    let since = "\(series.hasOlder == true ? "before" : "on") \(Day(containing: series.startedAt))"
    let tied = score.tied > 0 ? " with \(score.tied) tied" : ""
    let next = series.running == nil ? "" : "; the next match is running"
    return "Series that began \(since): \(lead)\(tied) after "
      + Wording.count(score.matches, "match", "matches") + next
  }
}
