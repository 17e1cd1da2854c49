package import MatchCore

/// A word that leaderboards are not to show.
package struct HiddenWord: Hashable, Sendable, CustomStringConvertible {
  /// The word, in upper case.
  package let word: String
  package let language: Language

  /// Takes a word in either case; nil unless it has 3 to 81 letters from A to Z and nothing else.
  package init?(_ word: String, language: Language = .english) {
    guard 3...81 ~= word.utf8.count,
      word.utf8.allSatisfy({ 65...90 ~= $0 || 97...122 ~= $0 })
    else { return nil }
    self.word = word.uppercased()
    self.language = language
  }

  /// Language and word, such as `en WORD`.
  package var description: String { "\(language.rawValue) \(word)" }
}

/// A word that leaderboards do not show.
package struct HiddenWordRow: Hashable, Sendable {
  package var word: HiddenWord
  /// Since when.
  package var hiddenAt: Instant

  package init(word: HiddenWord, hiddenAt: Instant) {
    self.word = word
    self.hiddenAt = hiddenAt
  }
}
