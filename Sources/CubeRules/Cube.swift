/// One of the 27 cubes, by its coordinates x, y and z, each 0...2.
///
/// y points up, and the viewer looks from (+,+,+): cube 222 is the nearest, 000 the farthest.
public struct Cube: Hashable, Sendable, Comparable, CustomStringConvertible {
  private let storage: UInt8

  /// The place in canonical order, 9x + 3y + z: 0...26.
  public var index: Int { Int(storage) }

  /// The coordinate that grows towards the right face, 0...2.
  public var x: Int { index / 9 }

  /// The coordinate that grows upwards, 0...2.
  public var y: Int { index / 3 % 3 }

  /// The coordinate that grows towards the left face, 0...2.
  public var z: Int { index % 3 }

  /// The notation of the cube, such as `212`.
  public var description: String { "\(x)\(y)\(z)" }

  /// Calls a closure with the ASCII code of each character of the notation.
  func forEachCharacter(_ body: (UInt8) -> Void) {
    body(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: x))
    body(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: y))
    body(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: z))
  }

  /// Every cube in canonical order: x outermost, then y, then z.
  public static let all: [Cube] = (0..<27).map { Cube(unchecked: $0) }

  /// The cube at a place of the canonical order, or nil outside 0...26.
  public init?(index: Int) {
    guard 0..<27 ~= index else { return nil }
    self.init(unchecked: index)
  }

  /// The cube at three coordinates, or nil where one of them is outside 0...2.
  public init?(x: Int, y: Int, z: Int) {
    guard 0..<3 ~= x, 0..<3 ~= y, 0..<3 ~= z else { return nil }
    self.init(unchecked: 9 * x + 3 * y + z)
  }

  /// The cube that a notation such as `212` names, or nil where it names none.
  public init?(notation: some StringProtocol) {
    var bytes = notation.utf8.makeIterator()
    guard let cube = Cube(parsing: &bytes), bytes.next() == nil else { return nil }
    self = cube
  }

  /// The order is the canonical one.
  public static func < (lhs: Cube, rhs: Cube) -> Bool { lhs.storage < rhs.storage }

  /// The cube at an index known to be in 0...26.
  init(unchecked index: Int) {
    storage = UInt8(truncatingIfNeeded: index)
  }

  /// Reads three digits 0...2 off the front.
  init?(parsing bytes: inout some IteratorProtocol<UInt8>) {
    var index = 0
    for _ in 0..<3 {
      guard let byte = bytes.next(), UInt8(ascii: "0")...UInt8(ascii: "2") ~= byte else {
        return nil
      }
      index = 3 * index + Int(byte - UInt8(ascii: "0"))
    }
    self.init(unchecked: index)
  }
}
