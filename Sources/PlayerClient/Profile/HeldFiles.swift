import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of pending events whose program is this process. Each is locked until it is removed or the
/// process ends, however it ends, so that other processes know whose wish it is.
enum HeldFiles {
  private static let files = Mutex<[String: Int32]>([:])

  /// Locks an open file and keeps it open. Where a file system has no locks, it is closed: then the
  /// event is taken for one of a program that has ended.
  static func hold(_ file: Int32, as path: String) {
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      return
    }
    let former = files.withLock { $0.updateValue(file, forKey: path) }
    if let former { close(former) }
  }

  static func release(_ path: String) {
    if let file = files.withLock({ $0.removeValue(forKey: path) }) { close(file) }
  }

  /// Whether another process that runs holds a file.
  static func isHeldElsewhere(_ path: String) -> Bool {
    guard files.withLock({ $0[path] == nil }) else { return false }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
