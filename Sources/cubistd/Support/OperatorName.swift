import Glibc

/// Who an act is kept under.
enum OperatorName {
  /// Who runs this process.
  static var current: String {
    let name = getenv("SUDO_USER") ?? getpwuid(getuid()).flatMap { $0.pointee.pw_name }
    return name.map { String(cString: $0) } ?? "user \(getuid())"
  }
}
