import Glibc

/// The name that an act is kept under.
enum OperatorName {
  /// The user of this process; under sudo, the user who called it.
  static var current: String {
    getenv("SUDO_USER").map { String(cString: $0) } ?? ofProcess
  }

  /// The user of this process.
  static var ofProcess: String {
    getpwuid(getuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
      ?? "user \(getuid())"
  }
}
