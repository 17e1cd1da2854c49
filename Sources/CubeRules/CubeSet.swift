/// A set of cubes as one mask of 27 bits.
public struct CubeSet: SetAlgebra, Sequence, Hashable, Sendable {
  /// The mask; bit 9x + 3y + z stands for the cube xyz, and no other bit is ever set.
  public private(set) var rawValue: UInt32

  /// All 27 cubes.
  public static let full = CubeSet(rawValue: 0x7ff_ffff)

  /// No cube.
  public init() {
    rawValue = 0
  }

  /// The cubes of a mask; bits beyond the 27th are dropped.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue & 0x7ff_ffff
  }

  /// How many cubes the set holds.
  public var count: Int { rawValue.nonzeroBitCount }

  /// Whether the set holds no cube.
  public var isEmpty: Bool { rawValue == 0 }

  /// The number of elements that iteration is sure to produce: the count.
  public var underestimatedCount: Int { count }

  public func contains(_ member: Cube) -> Bool {
    rawValue & Self.bit(member) != 0
  }

  /// Puts a cube into the set and says whether it was not there before.
  @discardableResult
  public mutating func insert(_ newMember: Cube) -> (inserted: Bool, memberAfterInsert: Cube) {
    let inserted = !contains(newMember)
    rawValue |= Self.bit(newMember)
    return (inserted, newMember)
  }

  /// Takes a cube out of the set and returns it if it was there.
  @discardableResult
  public mutating func remove(_ member: Cube) -> Cube? {
    guard contains(member) else { return nil }
    rawValue &= ~Self.bit(member)
    return member
  }

  /// Puts a cube into the set and returns it if it was there already.
  @discardableResult
  public mutating func update(with newMember: Cube) -> Cube? {
    insert(newMember).inserted ? nil : newMember
  }

  /// The cubes that are in either set.
  public func union(_ other: CubeSet) -> CubeSet {
    CubeSet(rawValue: rawValue | other.rawValue)
  }

  /// The cubes that are in both sets.
  public func intersection(_ other: CubeSet) -> CubeSet {
    CubeSet(rawValue: rawValue & other.rawValue)
  }

  /// The cubes that are in exactly one of the sets.
  public func symmetricDifference(_ other: CubeSet) -> CubeSet {
    CubeSet(rawValue: rawValue ^ other.rawValue)
  }

  /// Adds the cubes of another set.
  public mutating func formUnion(_ other: CubeSet) {
    self = union(other)
  }

  /// Keeps only the cubes that another set holds too.
  public mutating func formIntersection(_ other: CubeSet) {
    self = intersection(other)
  }

  /// Keeps the cubes that exactly one of the sets holds.
  public mutating func formSymmetricDifference(_ other: CubeSet) {
    self = symmetricDifference(other)
  }

  /// Goes through the cubes in canonical order.
  public func makeIterator() -> Iterator {
    Iterator(remaining: rawValue)
  }

  /// Yields the cubes of a set in canonical order.
  public struct Iterator: IteratorProtocol, Sendable {
    fileprivate var remaining: UInt32

    /// The next cube, or nil at the end.
    public mutating func next() -> Cube? {
      guard remaining != 0 else { return nil }
      defer { remaining &= remaining - 1 }
      return Cube(unchecked: remaining.trailingZeroBitCount)
    }
  }

  private static func bit(_ cube: Cube) -> UInt32 {
    1 &<< UInt32(truncatingIfNeeded: cube.index)
  }
}
