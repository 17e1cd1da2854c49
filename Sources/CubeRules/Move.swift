/// One word or one removal.
public enum Move: Hashable, Sendable, CustomStringConvertible {
  /// A word, by its faces in order.
  case word([Face])
  /// The removal of a cube by hand.
  case removal(Cube)

  /// The greatest number of characters that a notation may have: 81 faces with spaces between.
  public static let notationLimit = 81 * 5 - 1

  /// Reads the notation of a move: `212L 202R 202L` for a word, `-212` for a removal.
  ///
  /// Faces stand apart by exactly one space, and nothing stands around them, so that a move has one
  /// notation only. A ``CubeGame`` says whether the move is legal.
  ///
  /// - Throws: `NotationError` that names the first piece that is neither a face nor a removal.
  public init(notation: some StringProtocol) throws(NotationError) {
    let bytes = Array(notation.utf8.prefix(Self.notationLimit + 1))
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.notationLimit else { throw .tooLong }
    if bytes[0] == UInt8(ascii: "-") {
      var iterator = bytes.dropFirst().makeIterator()
      guard let cube = Cube(parsing: &iterator), iterator.next() == nil else {
        throw .notARemoval(NotationError.excerpt(bytes))
      }
      self = .removal(cube)
      return
    }
    var faces: [Face] = []
    for piece in bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      guard let face = Face(ascii: piece) else {
        throw .notAFace(NotationError.excerpt(piece))
      }
      faces.append(face)
    }
    self = .word(faces)
  }

  /// The notation of the move; that of a word without faces is empty.
  public var description: String {
    var ascii: [UInt8] = []
    forEachCharacter { ascii.append($0) }
    return String(decoding: ascii, as: UTF8.self)
  }

  /// Calls a closure with the ASCII code of each character of the notation.
  public func forEachCharacter(_ body: (UInt8) -> Void) {
    switch self {
    case .word(let faces):
      for (index, face) in faces.enumerated() {
        if index > 0 { body(UInt8(ascii: " ")) }
        face.cube.forEachCharacter(body)
        body(face.side.ascii)
      }
    case .removal(let cube):
      body(UInt8(ascii: "-"))
      cube.forEachCharacter(body)
    }
  }
}

/// Why a text is not the notation of a move.
public enum NotationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no text.
  case empty
  /// The text is longer than ``Move/notationLimit``.
  case tooLong
  /// A piece of a word is not a face.
  case notAFace(String)
  /// Text that begins with a minus sign does not go on with a cube.
  case notARemoval(String)

  /// The stable name of the error.
  public var name: String {
    switch self {
    case .empty: "notationEmpty"
    case .tooLong: "notationTooLong"
    case .notAFace: "notAFace"
    case .notARemoval: "notARemoval"
    }
  }

  /// The fault, and the right notation.
  public var description: String {
    switch self {
    case .empty:
      "The move is empty: write faces such as \"212L 202R 202L\", or a removal such as \"-212\"."
    case .tooLong:
      "The move is longer than \(Move.notationLimit) characters: name each face once."
    case .notAFace(let piece):
      """
      "\(piece)" is not a face: write three digits 0, 1 or 2 and T, L or R, such as 212L, with \
      one space between faces.
      """
    case .notARemoval(let piece):
      "\"\(piece)\" is not a removal: write a minus sign and three digits 0, 1 or 2, such as -212."
    }
  }

  /// The beginning of a piece of text that came from outside, safe to show on a terminal.
  static func excerpt(_ bytes: some Collection<UInt8>) -> String {
    let shown = bytes.prefix(12).map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: shown, as: UTF8.self) + (bytes.count > 12 ? "..." : "")
  }
}
