/// A player's name in notifications: 1 to 16 visible characters, with spaces between them, made of
/// at most 32 Unicode scalars. Several players may share it, and it is in no record.
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
  /// The name as its owner wrote it.
  public let text: String

  public static let byteLimit = 128
  /// The most scalars of one character: stacked marks cover the lines around.
  private static let scalarLimit = 8

  /// The rule in words, for a person who types a name.
  public static let rule: StaticString = "1 to 16 visible characters, at most 32 code points"

  /// Takes a valid name; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= DisplayName.byteLimit, text.count <= 16,
      text.unicodeScalars.count <= 32
    else { return nil }
    self.init(stored: text)
  }

  /// Takes a name that a service has kept. Earlier builds let it have 32 characters.
  public init?(stored text: some StringProtocol) {
    guard text.utf8.count <= DisplayName.byteLimit, 1...32 ~= text.count,
      DisplayName.isHarmless(text)
    else { return nil }
    self.text = String(text)
  }

  /// Whether a text has visible characters only, with spaces between them, so that it changes
  /// nothing around it.
  static func isHarmless(_ text: some StringProtocol) -> Bool {
    text.first != " " && text.last != " "
      && text.unicodeScalars.allSatisfy(isVisible)
      && text.allSatisfy { $0.unicodeScalars.count <= scalarLimit }
      && text.unicodeScalars.first.map { !isMark($0) } ?? false
  }

  /// The name as its owner wrote it.
  public var description: String { text }

  /// The player's name in a notification. The display name may be anybody's. So the player's own
  /// name stands beside it if the two differ in more than case.
  public func text(beside name: PlayerName) -> String {
    PlayerName(text)?.key == name.key ? text : "\(text) (\(name))"
  }

  /// A mark stands on the character before it. At the beginning of a name that character is not the
  /// name's.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Excludes control characters, characters that turn the direction of writing or have no meaning,
  /// and letters or marks by category that are invisible. The one that makes a character an emoji
  /// is allowed.
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
