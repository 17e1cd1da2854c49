/// What a player wants to be called in notifications: 1 to 32 characters that can be seen, spaces
/// between them. It may be anybody's, and stands in no record.
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
  /// The name as its owner wrote it.
  public let text: String

  /// Most bytes of a name in UTF-8.
  public static let byteLimit = 128
  /// Most scalars of one character: marks that are heaped up cover the lines around.
  private static let scalarLimit = 8

  /// Takes a valid name; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard 1...32 ~= text.count, text.utf8.count <= DisplayName.byteLimit,
      text.first != " ", text.last != " ",
      text.unicodeScalars.allSatisfy(DisplayName.isVisible),
      text.allSatisfy({ $0.unicodeScalars.count <= DisplayName.scalarLimit }),
      text.unicodeScalars.first.map({ !DisplayName.isMark($0) }) ?? false
    else { return nil }
    self.text = String(text)
  }

  /// The name as its owner wrote it.
  public var description: String { text }

  /// What a notification calls a player of that name: the display name may be anybody's, so that
  /// the player's own stands beside it where the two differ in more than case.
  public func text(beside name: PlayerName) -> String {
    PlayerName(text)?.key == name.key ? text : "\(text) (\(name))"
  }

  /// A mark stands on the character before it: at the beginning, on one that is not the name's.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// No control character, none that turns the direction of writing, none without a meaning, and
  /// none that is a letter or a mark by its category and is not seen, but for the one that makes a
  /// character an emoji.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator: scalar == " "
    default:
      scalar == "\u{fe0f}"
        || !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
    }
  }
}
