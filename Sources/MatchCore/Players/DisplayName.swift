/// What a player wants to be called in notifications: 1 to 32 characters that can be seen, spaces
/// between them. It may be anybody's, and stands in no record.
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
  /// The name as its owner wrote it.
  public let text: String

  /// Most bytes of a name in UTF-8.
  public static let byteLimit = 128

  /// Takes a valid name; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard 1...32 ~= text.count, text.utf8.count <= DisplayName.byteLimit,
      text.first != " ", text.last != " ",
      text.unicodeScalars.allSatisfy(DisplayName.isVisible)
    else { return nil }
    self.text = String(text)
  }

  /// The name as its owner wrote it.
  public var description: String { text }

  /// No control character, none that turns the direction of writing, none without a meaning.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator: scalar == " "
    default: true
    }
  }
}
