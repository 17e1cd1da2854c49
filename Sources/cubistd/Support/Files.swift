import CubistBasics
import Glibc
import SystemCalls

/// The few things that cubistd does with files, with the errors it reports.
enum Files {
  static func exists(_ path: String) -> Bool { SystemFile.exists(path) }

  /// Makes a folder and those above it. Servers that run as another user pass through it; secrets
  /// are protected file by file.
  static func makeFolder(_ path: String) throws(OperatorFailure) {
    try calling(path) { () throws(SystemError) in try SystemFile.makeFolder(path) }
  }

  /// Writes a whole file in place of another one, or none of it.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(OperatorFailure) {
    try calling(path) { () throws(SystemError) in
      try SystemFile.replace(path, with: bytes, mode: mode)
    }
  }

  /// Makes an empty file that only its owner may read, where there is nothing yet, not even a link.
  static func makeNew(_ path: String) throws(OperatorFailure) {
    let descriptor = try calling(path) { () throws(SystemError) in
      try SystemFile.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
    }
    close(descriptor)
  }

  /// Makes a folder and those above it, where nobody else can put something in their place.
  /// - Returns: Its absolute path, without links.
  static func makeOwnFolder(_ path: String) throws(OperatorFailure) -> String {
    let place = try calling(path) { () throws(SystemError) in
      try TrustedOwners.live.makeFolder(path)
    }
    switch place {
    case .own(let path): return path
    case .strange(let reason): throw .file(path: path, reason: "\(reason); \(TrustedOwners.remedy)")
    }
  }

  /// Refuses a link, and what belongs to somebody else, in the place of one's own.
  static func refuseStrange(_ path: String) throws(OperatorFailure) {
    guard let reason = TrustedOwners.live.strangeness(of: path) else { return }
    throw .file(path: path, reason: "it is not yours: \(reason); \(TrustedOwners.fileRemedy)")
  }

  /// The bytes of a file of one's own, of at most 16 MB. A link is not followed.
  static func readOwn(_ path: String) throws(OperatorFailure) -> [UInt8] {
    let bytes = try calling(path) { () throws(SystemError) in
      try TrustedOwners.live.read(path, atMost: 16 * 1_024 * 1_024)
    }
    guard let bytes else { throw .file(path: path, reason: "it is larger than 16 MB") }
    return bytes
  }

  /// Puts a file in the place of another one.
  static func rename(_ path: String, to other: String) throws(OperatorFailure) {
    guard Glibc.rename(path, other) == 0 else { throw failure(other) }
  }

  /// Removes a file if it is there.
  static func remove(_ path: String) { unlink(path) }

  static func folder(of path: String) -> String { SystemFile.folder(of: path) }

  /// The bytes of a file of at most 16 MB.
  static func read(_ path: String) throws(OperatorFailure) -> [UInt8] {
    let bytes = try calling(path) { () throws(SystemError) in
      try SystemFile.read(path, atMost: 16 * 1_024 * 1_024)
    }
    guard let bytes else { throw .file(path: path, reason: "it is larger than 16 MB") }
    return bytes
  }

  /// The absolute path of something that exists.
  static func absolute(_ path: String) throws(OperatorFailure) -> String {
    guard let resolved = realpath(path, nil) else { throw failure(path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func failure(_ path: String) -> OperatorFailure {
    .file(path: path, reason: "\(SystemError.last())")
  }

  private static func calling<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(OperatorFailure) -> Value {
    try mapErrors(
      { OperatorFailure.file(path: $0.path.isEmpty ? path : $0.path, reason: "\($0)") }, body)
  }
}

/// A lock that lives as long as this process holds it.
final class FolderLock {
  private let descriptor: Int32

  /// Takes the lock of a folder; nil where another process has it.
  init?(_ folder: String) throws(OperatorFailure) {
    let path = "\(folder)/lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
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
