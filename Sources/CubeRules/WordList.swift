/// The words that a match knows.
public protocol WordList: Sendable {
  func contains(_ spelling: Spelling) -> Bool
}
