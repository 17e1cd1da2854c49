#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import SystemCalls

/// Where lines go. Each line arrives whole: several threads and several processes may write to the
/// same place.
package struct LineSink: Sendable {
  /// Takes one line with its line break.
  package var write: @Sendable ([UInt8]) throws(LineSinkError) -> Void

  package init(write: @escaping @Sendable ([UInt8]) throws(LineSinkError) -> Void) {
    self.write = write
  }

  /// The standard error output: where the log goes.
  package static let standardError = LineSink(descriptor: 2)
  package static let standardOutput = LineSink(descriptor: 1)

  /// A file that each line is appended to with one `write` (2). It is opened for each line, so that
  /// it can be moved away at any time.
  /// - Throws: `LineSinkError` if it cannot be opened now.
  package static func file(
    _ path: String, followingLinks: Bool = true
  ) throws(LineSinkError) -> LineSink {
    let further = followingLinks ? 0 : O_NOFOLLOW
    close(try open(path, further))
    return LineSink { line throws(LineSinkError) in
      let descriptor = try open(path, further)
      defer { close(descriptor) }
      try write(line, to: descriptor)
    }
  }

  private init(descriptor: Int32) {
    self.init { line throws(LineSinkError) in try LineSink.write(line, to: descriptor) }
  }

  private static func open(_ path: String, _ further: Int32) throws(LineSinkError) -> Int32 {
    do throws(SystemError) {
      let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | further
      return try SystemFile.open(path, flags, mode: 0o640)
    } catch {
      throw LineSinkError(code: error.code)
    }
  }

  private static func write(_ line: [UInt8], to descriptor: Int32) throws(LineSinkError) {
    // A file takes a line at once; a pipe may take a long one in pieces.
    do throws(SystemError) { try SystemFile.write(line, to: descriptor) } catch {
      throw LineSinkError(code: error.code)
    }
  }
}

/// Why a line could not be written.
package struct LineSinkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operating system's error number.
  package var code: Int32

  /// An error of the operating system.
  package init(code: Int32) { self.code = code }

  /// The reason, for a person.
  package var description: String { "\(SystemError(code: code))" }
}
