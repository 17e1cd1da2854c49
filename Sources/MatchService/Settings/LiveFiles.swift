#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Small files of this machine: settings, secrets, keys.
public enum LiveFiles {
  /// The largest file that is read, in bytes.
  static let byteLimit = 1 << 20

  /// Why a file cannot be read or written.
  enum Failure: Error, Hashable, Sendable {
    case system(Int32)
    case tooLarge
    case notText
    case notRegular
    /// Others than its owner may read or write it; the mode in octal.
    case notPrivate(String)

    /// The text for a person.
    var reason: String {
      switch self {
      case .system(let code): SystemFile.text(ofError: code)
      case .tooLarge: "it has more than \(byteLimit) bytes"
      case .notText: "it is not UTF-8"
      case .notRegular: "it is not a file"
      case .notPrivate(let mode): "its mode is \(mode), others may read it; chmod 600 it"
      }
    }
  }

  /// The text of a file.
  /// - Throws: `FileFailure` if it cannot be read, is larger than 1 MiB, or is not UTF-8.
  public static func text(_ path: String) throws(SettingsReader.FileFailure) -> String {
    do throws(Failure) {
      return try read(path, isPrivate: false)
    } catch {
      throw SettingsReader.FileFailure(reason: error.reason)
    }
  }

  static func read(_ path: String, isPrivate: Bool) throws(Failure) -> String {
    let descriptor = SystemFile.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
    if isPrivate {
      guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
      guard status.st_mode & 0o077 == 0 else {
        throw .notPrivate("0" + String(status.st_mode & 0o7777, radix: 8))
      }
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = SystemFile.read(descriptor, into: &buffer)
      if count < 0 {
        guard errno == EINTR else { throw .system(errno) }
        continue
      }
      if count == 0 { break }
      bytes += buffer[..<count]
      guard bytes.count <= byteLimit else { throw .tooLarge }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return text
  }

  /// Makes a file that only its owner may read; never over one that is there.
  static func create(_ path: String, _ text: String) throws(Failure) {
    let descriptor = SystemFile.open(
      path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = SystemFile.write(descriptor, rest)
      if count < 0 {
        guard errno == EINTR else { throw .system(errno) }
        continue
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw .system(errno) }
  }
}
