/// The letter of a face: one of A–Z, where Q always stands for `QU`.
///
/// There is no bare Q: the face `QU` is one face that spells two characters.
public enum Letter: UInt8, CaseIterable, Sendable {
  /// The letters in alphabetical order, raw values 0...25.
  case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z

  /// The letter of a character `A`...`Z`, `Q` for the face `QU`, or nil for any other character.
  public init?(_ character: Character) {
    guard let ascii = character.asciiValue, let letter = Letter(ascii: ascii) else { return nil }
    self = letter
  }

  /// The letter that an upper-case ASCII code stands for.
  init?(ascii: UInt8) {
    guard ascii >= UInt8(ascii: "A") else { return nil }
    self.init(rawValue: ascii - UInt8(ascii: "A"))
  }

  /// The one character that stands for the letter in a puzzle, `Q` for `QU`.
  public var character: Character {
    Character(Unicode.Scalar(UInt8(ascii: "A") + rawValue))
  }

  /// The one or two upper-case characters that the letter spells.
  public var spelling: String {
    self == .q ? "QU" : String(character)
  }

  /// How many characters the letter spells: two for `QU`, else one.
  public var characterCount: Int { self == .q ? 2 : 1 }

  /// The value of the letter, 1...13 points; `QU` has the 12 of Q and the 1 of U.
  public var points: Int { Int(Self.pointTable[Int(rawValue)]) }

  /// How many of the bag's ``totalWeight`` tokens show the letter.
  public var weight: Int { Int(Self.weightTable[Int(rawValue)]) }

  /// The number of tokens in the bag that every face is drawn from: 196.
  public static let totalWeight = 196

  private static let pointTable: [UInt8] = [
    1, 4, 4, 3, 1, 5, 3, 5, 1, 9, 6, 2, 4, 2, 1, 4, 13, 2, 1, 2, 1, 5, 5, 9, 5, 11,
  ]

  private static let weightTable: [UInt8] = [
    16, 4, 6, 8, 24, 4, 5, 5, 13, 2, 2, 7, 6, 13, 15, 4, 2, 13, 10, 15, 7, 3, 4, 2, 4, 2,
  ]
}
