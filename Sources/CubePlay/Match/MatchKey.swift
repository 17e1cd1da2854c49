/// What names a match to the service, whatever it looks like.
public struct MatchKey: Hashable, Sendable {
  /// The name.
  public var text: String

  /// A match by its name.
  public init(_ text: String) { self.text = text }
}
