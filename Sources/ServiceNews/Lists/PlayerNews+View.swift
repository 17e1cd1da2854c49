package import CubePlay
package import MatchCore
package import MatchWire

extension PlayerNews {
  /// Another player, and the matches between the two.
  package init(_ summary: HeadToHead, isBlocked: Bool) {
    let (score, name) = (summary.score, summary.opponentName.text)
    var lines = [
      score.matches == 0
        ? "You two have no past match that counts."
        : "You two had \(Wording.count(score.matches, "match", "matches")): \(Self.text(score))."
    ]
    if let run = summary.run { lines.append(Self.text(run)) }
    if let best = summary.bestWord { lines.append("Your best word: \(Self.text(best))") }
    if let best = summary.opponentBestWord {
      lines.append("Best word of \(name): \(Self.text(best))")
    }
    if let series = summary.series {
      lines.append("Your series of rematches: \(Self.text(series.score)).")
    }
    if summary.hasOlder == true { lines.append("Older matches are not counted.") }
    self.init(
      name: name, lines: lines, isBlocked: isBlocked,
      match: summary.series?.running.map { MatchKey($0) })
  }

  private static func text(_ score: HeadToHead.Score) -> String {
    "\(score.won) won, \(score.lost) lost, \(score.tied) tied"
  }

  private static func text(_ best: HeadToHead.BestWord) -> String {
    "\(best.word), \(Wording.count(best.points, "point"))."
  }

  private static func text(_ run: HeadToHead.Run) -> String {
    let last = run.count == 1 ? "last match" : "last \(run.count) matches"
    return switch run.result {
    case .won: "You won the \(last)."
    case .lost: "You lost the \(last)."
    default: "The \(last) \(run.count == 1 ? "was" : "were") tied."
    }
  }
}

extension Report.Reason {
  package init(_ reason: ReportReason) {
    self =
      switch reason {
      case .name: .name
      case .words: .words
      case .cheating: .cheating
      case .conduct: .conduct
      case .other: .other
      }
  }
}

extension Report.Text {
  /// Takes a text as it was typed: spaces around it do not count.
  package init?(typed text: String) {
    var rest = text[...]
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    self.init(rest)
  }
}
