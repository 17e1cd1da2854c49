import TerminalScreen

/// The keys in the last row of a screen.
enum KeyLine {
  /// The keys that have room, each whole. Two spaces or more stand between keys.
  ///
  /// Help and the way back stay always, then those that stand first. The other ways to spell a
  /// word give way to all others.
  static func text(_ text: String, columns: Int) -> String {
    guard TerminalText.width(of: text) > columns else { return text }
    let keys = split(text)
    let ranked = keys.indices.sorted { (rank(keys[$0]), $0) < (rank(keys[$1]), $1) }
    var kept: Set<Int> = []
    for index in ranked {
      let more = kept.union([index])
      if TerminalText.width(of: joined(keys, more)) <= columns { kept = more }
    }
    return joined(keys, kept)
  }

  /// The keys of a text.
  static func split(_ text: String) -> [String] {
    text.split(separator: "  ").map { String($0.trimmingPrefix(while: { $0 == " " })) }
      .filter { !$0.isEmpty }
  }

  private static func joined(_ keys: [String], _ kept: Set<Int>) -> String {
    keys.indices.filter { kept.contains($0) }.map { keys[$0] }.joined(separator: "  ")
  }

  private static func rank(_ key: String) -> Int {
    if key.hasPrefix("?") || key.hasPrefix("Esc") { return 0 }
    return key.hasPrefix("Tab way") ? 2 : 1
  }
}
