/// One of the three lettered sides that a cube shows to the viewer.
public enum Side: Int, CaseIterable, Sendable {
  /// The side towards +y, written `T`.
  case top
  /// The side towards +z, written `L`.
  case left
  /// The side towards +x, written `R`.
  case right

  /// The letter of the notation: `T`, `L` or `R`.
  public var symbol: Character { Character(Unicode.Scalar(ascii)) }

  var ascii: UInt8 {
    switch self {
    case .top: UInt8(ascii: "T")
    case .left: UInt8(ascii: "L")
    case .right: UInt8(ascii: "R")
    }
  }

  init?(ascii: UInt8) {
    switch ascii {
    case UInt8(ascii: "T"): self = .top
    case UInt8(ascii: "L"): self = .left
    case UInt8(ascii: "R"): self = .right
    default: return nil
    }
  }
}

/// One of the 81 lettered faces.
public struct Face: Hashable, Sendable, Comparable, CustomStringConvertible {
  private let storage: UInt8

  /// The place in canonical order, 3 · (9x + 3y + z) + side: 0...80.
  public var number: Int { Int(storage) }

  /// The cube that the face belongs to.
  public var cube: Cube { Cube(unchecked: number / 3) }

  /// The side of the cube that the face is.
  public var side: Side {
    switch storage % 3 {
    case 0: .top
    case 1: .left
    default: .right
    }
  }

  /// The notation of the face, such as `212L`.
  public var description: String { "\(cube)\(side.symbol)" }

  /// Every face in canonical order: cube after cube, within a cube top, left, right.
  public static let all: [Face] = (0..<81).map { Face(unchecked: $0) }

  /// The face with a number, or nil outside 0...80.
  public init?(number: Int) {
    guard 0..<81 ~= number else { return nil }
    self.init(unchecked: number)
  }

  public init(cube: Cube, side: Side) {
    self.init(unchecked: 3 * cube.index + side.rawValue)
  }

  /// The face that a notation such as `212L` names, or nil where it names none.
  public init?(notation: some StringProtocol) {
    self.init(ascii: notation.utf8)
  }

  /// The order is the canonical one.
  public static func < (lhs: Face, rhs: Face) -> Bool { lhs.storage < rhs.storage }

  /// The face with a number known to be in 0...80.
  init(unchecked number: Int) {
    storage = UInt8(truncatingIfNeeded: number)
  }

  init?(ascii: some Sequence<UInt8>) {
    var bytes = ascii.makeIterator()
    guard
      let cube = Cube(parsing: &bytes),
      let side = bytes.next().flatMap(Side.init(ascii:)),
      bytes.next() == nil
    else { return nil }
    self.init(cube: cube, side: side)
  }
}

extension Face {
  /// The faces that touch this one; a face does not touch itself.
  public var neighbors: FaceSet { Self.neighborTable[number] }

  /// Whether two different faces share at least one corner point of the lattice.
  ///
  /// Contact counts in three dimensions: diagonal contact and faces of the same cube do, faces
  /// that only look adjacent on a screen do not.
  public func touches(_ other: Face) -> Bool {
    self != other && corners & other.corners != 0
  }

  /// The four corner points of the face among the 4 × 4 × 4 of the lattice, bit 16x + 4y + z.
  private var corners: UInt64 {
    let cube = cube
    let origin = 16 * cube.x + 4 * cube.y + cube.z
    let shape: UInt64 =
      switch side {
      case .top: 0x0030_0030
      case .left: 0x0022_0022
      case .right: 0x0033_0000
      }
    return shape << UInt64(origin)
  }

  private static let neighborTable: [FaceSet] = all.map { face in
    FaceSet(all.filter(face.touches))
  }
}
