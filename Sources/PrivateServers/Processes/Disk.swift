import CubistBasics
import Glibc
import SystemCalls

/// The few things that are done with files of our own.
enum Disk {
  static func exists(_ path: String) -> Bool { SystemFile.exists(path) }

  /// Makes a folder and those above it. Servers that run as another user pass through it; secrets
  /// are protected file by file.
  static func makeFolder(_ path: String) throws(ServersError) {
    try calling(path) { () throws(SystemError) in try SystemFile.makeFolder(path) }
  }

  /// The absolute path without links, as far as it exists; the rest is appended.
  static func absolute(_ path: String) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let plain = path.hasSuffix("/") ? String(path.dropLast()) : path
    let above = parent(of: plain)
    guard above != plain else { return plain }
    let name = plain.split(separator: "/").last ?? ""
    let folder = absolute(above)
    return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  /// The folder that something is in.
  static func parent(of path: String) -> String { SystemFile.folder(of: path) }

  /// The bytes of a file of at most 16 MB.
  static func read(_ path: String) throws(ServersError) -> [UInt8] {
    let bytes = try calling(path) { () throws(SystemError) in
      try SystemFile.read(path, atMost: 16 * 1_024 * 1_024)
    }
    guard let bytes else { throw .system(what: path, reason: "it is larger than 16 MB") }
    return bytes
  }

  /// The text of a file, without white space around it; nil where there is none.
  static func text(_ path: String) -> String? {
    guard let bytes = try? read(path) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let trimmed = text.drop(while: \.isWhitespace)
    guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(trimmed[...last])
  }

  /// Writes a whole file that nobody else may read, or none of it.
  static func write(_ text: String, to path: String) throws(ServersError) {
    try calling(path) { () throws(SystemError) in
      try SystemFile.replace(path, with: Array(text.utf8), mode: 0o600)
    }
  }

  private static func calling<Value>(
    _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(ServersError) -> Value {
    try mapErrors(
      { ServersError.system(what: $0.path.isEmpty ? path : $0.path, reason: "\($0)") }, body)
  }

  static func failure(_ path: String) -> ServersError {
    .system(what: path, reason: reasonOfError())
  }
}

/// The lock of a folder, for as long as this is alive. Processes and threads wait for one another.
final class ServersLock {
  private let descriptor: Int32

  /// Waits for the lock, five minutes at most; nil where the folder is gone.
  init?(_ paths: ServerPaths) throws(ServersError) {
    descriptor = open(paths.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Disk.failure(paths.lock)
    }
    for _ in 0..<3_000 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      pause(0.1)
    }
    throw .busy(folder: paths.folder)
  }

  deinit { close(descriptor) }
}

/// Lets this thread rest, so many seconds.
func pause(_ seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }
