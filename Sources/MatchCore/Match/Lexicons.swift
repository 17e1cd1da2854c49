public import CubeLexicon

/// The word lists that a service knows: the one for new matches, and all that running ones may pin.
public struct Lexicons: Sendable {
  private let current: [Language: Lexicon]
  private let byName: [LexiconName: Lexicon]

  /// `current` is for new matches; `others` are lists that older matches pin.
  public init(current: [Language: Lexicon], others: [Lexicon] = []) {
    self.current = current
    var byName: [LexiconName: Lexicon] = [:]
    for lexicon in others + current.values { byName[lexicon.version.rawValue] = lexicon }
    self.byName = byName
  }

  /// One list for everything.
  public init(_ lexicon: Lexicon) {
    self.init(current: [.english: lexicon])
  }

  /// The word lists of this build.
  public static let standard = Lexicons(.english)

  /// The list that a new match in that language gets.
  public func current(for language: Language) -> Lexicon? { current[language] }

  /// The list that a match pins. Nil if this build does not have it.
  public func named(_ name: LexiconName) -> Lexicon? { byName[name] }
}
