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

  /// Makes a folder and those above it, where nobody else can put something in their place.
  /// - Parameters:
  ///   - path: Its path as somebody gave it: links on the way are looked at.
  ///   - resolved: Its path without links.
  static func makeOwnFolder(_ path: String, _ resolved: String) throws(ServersError) {
    let place = try calling(path) { () throws(SystemError) in
      try TrustedOwners.live.makeFolder(path)
    }
    guard place != .own(resolved) else { return }
    if case .strange(let reason) = place {
      throw .folder("\(reason); \(TrustedOwners.remedy)")
    }
    throw .folder("\(path) leads elsewhere by now; start again")
  }

  /// The absolute path without links, as far as it exists; the rest is appended.
  static func absolute(_ path: String) -> String { SystemFile.absolute(path) }

  /// The folder that something is in.
  static func parent(of path: String) -> String { SystemFile.folder(of: path) }

  /// The bytes of a file of at most 16 MB. A link is not followed.
  static func read(_ path: String) throws(ServersError) -> [UInt8] {
    try whole(path) { () throws(SystemError) in
      let descriptor = try SystemFile.openWithoutLink(path)
      defer { close(descriptor) }
      return try SystemFile.read(descriptor, atMost: limit)
    }
  }

  /// The same of a file of this user or root, or of another user.
  static func readOwn(_ path: String, orOf user: uid_t? = nil) throws(ServersError) -> [UInt8] {
    try whole(path) { () throws(SystemError) in
      try TrustedOwners.live.read(path, orOf: user, atMost: limit)
    }
  }

  private static let limit = 16 * 1_024 * 1_024

  private static func whole(
    _ path: String, _ body: () throws(SystemError) -> [UInt8]?
  ) throws(ServersError) -> [UInt8] {
    guard let bytes = try calling(path, body) else {
      throw .system(what: path, reason: "it is larger than 16 MB")
    }
    return bytes
  }

  /// The text of one's own file, without white space around it; nil where there is none.
  /// - Throws: `folder` for a link, and for a file of somebody else.
  static func ownText(_ path: String) throws(ServersError) -> String? {
    try refuseStrange(path)
    guard exists(path) else { return nil }
    return trimmed(try readOwn(path))
  }

  /// Refuses a link, and a file of somebody else, in the place of a file of one's own.
  static func refuseStrange(_ path: String) throws(ServersError) {
    guard let reason = TrustedOwners.live.strangeness(of: path) else { return }
    throw .folder("\(path) is not yours: \(reason); \(TrustedOwners.fileRemedy)")
  }

  /// The text of a file, without white space around it; nil where there is none.
  static func text(_ path: String) -> String? {
    guard let bytes = try? read(path) else { return nil }
    return trimmed(bytes)
  }

  private static func trimmed(_ bytes: [UInt8]) -> String? {
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
    descriptor = open(paths.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
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
