#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A refusal by the operating system.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system's error number.
  package var code: Int32
  /// The file or folder that it is about, where it has a name.
  package var path: String

  package init(code: Int32, path: String = "") {
    self.code = code
    self.path = path
  }

  /// The error of the call that failed last.
  package static func last(_ path: String = "") -> SystemError {
    SystemError(code: errno, path: path)
  }

  /// The reason, for a person, without the path.
  package var description: String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
