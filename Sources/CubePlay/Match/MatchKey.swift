/// The service's name of a match, in any form.
public struct MatchKey: Hashable, Sendable {
  public var text: String

  /// A match by its name.
  public init(_ text: String) { self.text = text }
}
