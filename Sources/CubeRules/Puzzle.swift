/// The 81 letters that a match is played on.
public struct Puzzle: Hashable, Sendable, CustomStringConvertible {
  private var letters: InlineArray<81, Letter>

  /// The puzzle of 81 characters from A to Z in canonical order, or nil for anything else.
  ///
  /// `Q` stands for the face `QU`.
  public init?(_ letters: String) {
    var faces = InlineArray<81, Letter>(repeating: .a)
    var count = 0
    for ascii in letters.utf8 {
      guard count < 81, let letter = Letter(ascii: ascii) else { return nil }
      faces[count] = letter
      count += 1
    }
    guard count == 81 else { return nil }
    self.letters = faces
  }

  init(letters: InlineArray<81, Letter>) {
    self.letters = letters
  }

  public subscript(face: Face) -> Letter { letters[face.number] }

  /// The 81 characters that make the same puzzle again.
  public var description: String { String(decoding: ascii, as: UTF8.self) }

  /// The same as ASCII codes.
  public var ascii: [UInt8] { letters.indices.map { UInt8(ascii: "A") + letters[$0].rawValue } }

  /// Puzzles are equal when all their letters are.
  public static func == (lhs: Puzzle, rhs: Puzzle) -> Bool {
    lhs.letters.indices.allSatisfy { lhs.letters[$0] == rhs.letters[$0] }
  }

  /// Hashes all letters.
  public func hash(into hasher: inout Hasher) {
    for index in letters.indices {
      hasher.combine(letters[index])
    }
  }
}
