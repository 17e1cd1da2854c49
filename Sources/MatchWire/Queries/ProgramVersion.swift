/// The version of a program, `major.minor.patch`.
public struct ProgramVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Counts changes that break older programs.
  public var major: Int
  /// Counts new features.
  public var minor: Int
  /// Counts corrections.
  public var patch: Int

  /// The version of this build: players' programs and service are made together.
  public static let current = ProgramVersion(major: 0, minor: 1, patch: 0)
  /// The oldest players' program whose events and queries this build serves.
  public static let oldestServed = ProgramVersion(major: 0, minor: 1, patch: 0)

  public init(major: Int, minor: Int, patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Reads three numbers with dots between them. Nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    self.init(major: numbers[0], minor: numbers[1], patch: numbers[2])
  }

  public static func < (one: ProgramVersion, other: ProgramVersion) -> Bool {
    (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
  }

  /// `major.minor.patch`.
  public var description: String { "\(major).\(minor).\(patch)" }
}
