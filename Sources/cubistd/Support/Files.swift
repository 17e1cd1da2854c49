import Glibc

/// The few things that cubistd does with files, with the errors it reports.
enum Files {
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Makes a folder and those above it. Servers that run as another user pass through it; secrets
  /// are protected file by file.
  static func makeFolder(_ path: String) throws(OperatorFailure) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
      throw failure(made)
    }
  }

  /// Writes a whole file in place of another one, or none of it.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(OperatorFailure) {
    let new = "\(path).new"
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure(new) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw failure(new) }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0, Glibc.rename(new, path) == 0 else { throw failure(path) }
  }

  /// Puts a file in the place of another one.
  static func rename(_ path: String, to other: String) throws(OperatorFailure) {
    guard Glibc.rename(path, other) == 0 else { throw failure(other) }
  }

  /// Removes a file if it is there.
  static func remove(_ path: String) { unlink(path) }

  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The bytes of a file of at most 16 MB.
  static func read(_ path: String) throws(OperatorFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1_024)
    while bytes.count < 16 * 1_024 * 1_024 {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
    throw .file(path: path, reason: "it is larger than 16 MB")
  }

  /// The absolute path of something that exists.
  static func absolute(_ path: String) throws(OperatorFailure) -> String {
    guard let resolved = realpath(path, nil) else { throw failure(path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func failure(_ path: String) -> OperatorFailure {
    .file(path: path, reason: String(cString: strerror(errno)))
  }
}

/// A lock that lives as long as this process holds it.
final class FolderLock {
  private let descriptor: Int32

  /// Takes the lock of a folder; nil where another process has it.
  init?(_ folder: String) throws(OperatorFailure) {
    let path = "\(folder)/lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .file(path: path, reason: String(cString: strerror(errno)))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }
}
