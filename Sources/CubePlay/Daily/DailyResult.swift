public import CubeLexicon
internal import CubeRules

/// A player's result in a daily challenge, to be pasted into a chat. It tells no word and no
/// letter.
public struct DailyResult: Hashable, Sendable {
  /// The day, such as `2026-11-23`.
  public var day: String
  public var isTimed: Bool
  /// The turns, in order.
  public var lines: [TurnLine]
  public var isOver: Bool

  /// A result as it stands.
  public init(day: String, isTimed: Bool, lines: [TurnLine], isOver: Bool) {
    self.day = day
    self.isTimed = isTimed
    self.lines = lines
    self.isOver = isOver
  }

  /// How many squares stand in a row.
  private static let rowLength = 10

  /// The text: the day, the points, and a square for each turn, by its share of the best word that
  /// was on the cube then.
  ///
  /// - Parameter words: The match's word list; nil where it is not here: then squares are not told
  ///   apart.
  public func text(words: Lexicon?) -> String {
    let points = lines.reduce(0) { $0 &+ $1.score }
    let wordCount = lines.reduce(0) { $0 + ($1.word.isEmpty ? 0 : 1) }
    let soFar = isOver ? "" : " so far"
    var text = "Cubist daily \(day)\(isTimed ? ", timed" : "")\n"
    text += points == 1 ? "1 point" : "\(points) points"
    text += wordCount == 1 ? ", 1 word\(soFar)" : ", \(wordCount) words\(soFar)"
    for (index, line) in lines.enumerated() {
      if index % Self.rowLength == 0 { text += "\n" }
      text += Self.square(line, words)
    }
    return text
  }

  private static func best(on line: TurnLine, _ words: Lexicon?) -> Int? {
    guard let words, let game = line.replay?.game else { return nil }
    return words.words(on: game).first?.score
  }

  private static func square(_ line: TurnLine, _ words: Lexicon?) -> String {
    guard !line.word.isEmpty else { return "⬛" }
    guard let best = line.best?.score ?? best(on: line, words) else { return "🟦" }
    let quarter = Double(best) / 4
    let score = Double(line.score)
    return score >= 3 * quarter ? "🟩" : score >= 2 * quarter ? "🟨" : score >= quarter ? "🟧" : "⬜"
  }
}
