import CRelease
import MatchWire

/// The state of the sources that this program was built from.
package enum Release {
  /// `major.minor.patch`.
  package static let number = ProgramVersion.current.description
  /// The commit, with `-dirty` behind it if files differed from it; nil: nobody told the build, as
  /// where it was made of an archive.
  package static let commit = cubist_commit.map { String(cString: $0) }
  /// The number and the beginning of the commit, as lines of the log carry them.
  package static let mark = shortened(number, commit)
  /// For `--version`.
  package static let description = "\(number) (commit \(commit ?? "unknown"))"

  static func shortened(_ number: String, _ commit: String?) -> String {
    guard let commit else { return number }
    let isDirty = commit.hasSuffix("-dirty")
    return "\(number)+\(commit.prefix { $0 != "-" }.prefix(12))\(isDirty ? "-dirty" : "")"
  }
}
