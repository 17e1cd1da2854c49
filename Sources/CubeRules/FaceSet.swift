/// A set of faces as one mask of 81 bits.
public struct FaceSet: SetAlgebra, Sequence, Hashable, Sendable {
  /// The mask; bit n stands for the face with number n, and no other bit is ever set.
  public private(set) var rawValue: UInt128

  /// All 81 faces.
  public static let full = FaceSet(rawValue: fullMask)

  /// No face.
  public init() {
    rawValue = 0
  }

  /// The faces of a mask; bits beyond the 81st are dropped.
  public init(rawValue: UInt128) {
    self.rawValue = rawValue & Self.fullMask
  }

  /// The 81 characters 0 and 1 that show the set in face order.
  public var digits: String {
    String(Face.all.map { contains($0) ? "1" : "0" })
  }

  /// How many faces the set holds.
  public var count: Int { rawValue.nonzeroBitCount }

  /// Whether the set holds no face.
  public var isEmpty: Bool { rawValue == 0 }

  /// The number of elements that iteration is sure to produce: the count.
  public var underestimatedCount: Int { count }

  public func contains(_ member: Face) -> Bool {
    rawValue & Self.bit(member) != 0
  }

  /// Puts a face into the set and says whether it was not there before.
  @discardableResult
  public mutating func insert(_ newMember: Face) -> (inserted: Bool, memberAfterInsert: Face) {
    let inserted = !contains(newMember)
    rawValue |= Self.bit(newMember)
    return (inserted, newMember)
  }

  /// Takes a face out of the set and returns it if it was there.
  @discardableResult
  public mutating func remove(_ member: Face) -> Face? {
    guard contains(member) else { return nil }
    rawValue &= ~Self.bit(member)
    return member
  }

  /// Puts a face into the set and returns it if it was there already.
  @discardableResult
  public mutating func update(with newMember: Face) -> Face? {
    insert(newMember).inserted ? nil : newMember
  }

  /// The faces that are in either set.
  public func union(_ other: FaceSet) -> FaceSet {
    FaceSet(rawValue: rawValue | other.rawValue)
  }

  /// The faces that are in both sets.
  public func intersection(_ other: FaceSet) -> FaceSet {
    FaceSet(rawValue: rawValue & other.rawValue)
  }

  /// The faces that are in exactly one of the sets.
  public func symmetricDifference(_ other: FaceSet) -> FaceSet {
    FaceSet(rawValue: rawValue ^ other.rawValue)
  }

  /// Adds the faces of another set.
  public mutating func formUnion(_ other: FaceSet) {
    self = union(other)
  }

  /// Keeps only the faces that another set holds too.
  public mutating func formIntersection(_ other: FaceSet) {
    self = intersection(other)
  }

  /// Keeps the faces that exactly one of the sets holds.
  public mutating func formSymmetricDifference(_ other: FaceSet) {
    self = symmetricDifference(other)
  }

  /// Goes through the faces in canonical order.
  public func makeIterator() -> Iterator {
    Iterator(remaining: rawValue)
  }

  /// Yields the faces of a set in canonical order.
  public struct Iterator: IteratorProtocol, Sendable {
    fileprivate var remaining: UInt128

    /// The next face, or nil at the end.
    public mutating func next() -> Face? {
      guard remaining != 0 else { return nil }
      defer { remaining &= remaining - 1 }
      return Face(unchecked: remaining.trailingZeroBitCount)
    }
  }

  private static let fullMask: UInt128 = 0x1_ffff_ffff_ffff_ffff_ffff

  private static func bit(_ face: Face) -> UInt128 {
    1 &<< UInt128(truncatingIfNeeded: face.number)
  }
}
