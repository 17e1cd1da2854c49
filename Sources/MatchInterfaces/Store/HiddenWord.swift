public import MatchCore

/// A word that leaderboards are not to show.
public struct HiddenWord: Hashable, Sendable, CustomStringConvertible {
  /// The word, in upper case.
  public let word: String
  public let language: Language

  /// Takes a word in either case; nil unless it has 3 to 81 letters from A to Z and nothing else.
  public init?(_ word: String, language: Language = .english) {
    guard 3...81 ~= word.utf8.count,
      word.utf8.allSatisfy({ 65...90 ~= $0 || 97...122 ~= $0 })
    else { return nil }
    self.word = word.uppercased()
    self.language = language
  }

  /// Language and word, such as `en WORD`.
  public var description: String { "\(language.rawValue) \(word)" }
}

/// A word that leaderboards do not show.
public struct HiddenWordRow: Hashable, Sendable {
  public var word: HiddenWord
  /// Since when.
  public var hiddenAt: Instant

  public init(word: HiddenWord, hiddenAt: Instant) {
    self.word = word
    self.hiddenAt = hiddenAt
  }
}
