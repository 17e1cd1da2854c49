import Glibc

/// The name that an act is kept under.
enum OperatorName {
  /// The user of this process; under sudo, the user who called it.
  static var current: String {
    let name = getenv("SUDO_USER") ?? getpwuid(getuid()).flatMap { $0.pointee.pw_name }
    return name.map { String(cString: $0) } ?? "user \(getuid())"
  }
}
