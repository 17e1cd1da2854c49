/// The words that a match knows.
public protocol WordList: Sendable {
  /// Whether a spelling is one of the words.
  func contains(_ spelling: Spelling) -> Bool
}
