import CubistBasics

/// The name of one word list, such as `english-2020.12.07-70-b9d654a3`, that matches pin.
///
/// A name has 1 to 40 of the characters a–z, 0–9, `.` and `-`.
public struct LexiconVersion: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  /// The longest name, in characters.
  public static let maximumLength = 40

  /// The version of ``Lexicon/everyWord``.
  public static let everyWord = LexiconVersion(unchecked: "every-word")

  /// The name itself.
  public let rawValue: String

  /// The version of a name, or nil where it is empty, too long or has another character.
  public init?(rawValue: String) {
    let name = rawValue.utf8
    guard 1...Self.maximumLength ~= name.count, name.allSatisfy(Self.isAllowed) else { return nil }
    self.rawValue = rawValue
  }

  /// The name itself.
  public var description: String { rawValue }

  /// The version of words known by their content only: `only-` or `file-` and 16 digits.
  init(kind: StaticString, hash: UInt64) {
    self.init(unchecked: "\(kind)-\(Hex.encode(hash, digits: 16))")
  }

  private init(unchecked name: String) {
    rawValue = name
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
