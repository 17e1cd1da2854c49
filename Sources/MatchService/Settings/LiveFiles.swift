#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import CubistBasics
import SystemCalls

/// Small files of this machine: settings, secrets, keys.
package enum LiveFiles {
  /// The largest file that is read, in bytes.
  static let byteLimit = 1 << 20

  /// Why a file cannot be read or written.
  enum Failure: Error, Hashable, Sendable {
    case system(SystemError)
    case tooLarge
    case notText
    case notRegular
    /// Others than its owner may read or write it; the mode in octal.
    case notPrivate(String)

    /// The text for a person.
    var reason: String {
      switch self {
      case .system(let error): "\(error)"
      case .tooLarge: "it has more than \(byteLimit) bytes"
      case .notText: "it is not UTF-8"
      case .notRegular: "it is not a file"
      case .notPrivate(let mode): "its mode is \(mode), others may read it; chmod 600 it"
      }
    }
  }

  /// The text of a file.
  /// - Throws: `FileFailure` if it cannot be read, is larger than 1 MiB, or is not UTF-8.
  package static func text(_ path: String) throws(SettingsReader.FileFailure) -> String {
    do throws(Failure) {
      return try read(path, isPrivate: false)
    } catch {
      throw SettingsReader.FileFailure(reason: error.reason)
    }
  }

  /// The state of a file; nil where there is none. A pipe is open to nobody.
  package static func look(_ path: String) -> SettingsReader.FileState? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    return SettingsReader.FileState(isOpenToOthers: isFile && status.st_mode & 0o007 != 0)
  }

  static func read(_ path: String, isPrivate: Bool) throws(Failure) -> String {
    let descriptor = try calling { () throws(SystemError) in
      try SystemFile.open(path, O_RDONLY | O_CLOEXEC)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(.last()) }
    if isPrivate {
      guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
      guard status.st_mode & 0o077 == 0 else {
        throw .notPrivate("0" + String(status.st_mode & 0o7777, radix: 8))
      }
    }
    let bytes = try calling { () throws(SystemError) in
      try SystemFile.read(descriptor, atMost: byteLimit)
    }
    guard let bytes else { throw .tooLarge }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return text
  }

  /// Makes a file that only its owner may read; never over one that is there.
  static func create(_ path: String, _ text: String) throws(Failure) {
    try calling { () throws(SystemError) in
      let descriptor = try SystemFile.open(
        path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
      defer { close(descriptor) }
      try SystemFile.write(Array(text.utf8), to: descriptor)
      guard fsync(descriptor) == 0 else { throw .last() }
    }
  }

  private static func calling<Value>(
    _ body: () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    try mapErrors(Failure.system, body)
  }
}
