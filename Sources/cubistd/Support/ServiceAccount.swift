import Glibc
import SystemCalls

/// The user of the operating system that the service runs as.
struct ServiceAccount: Sendable {
  var name: String
  var user: uid_t
  var group: gid_t

  /// The user of a name; nil where there is none.
  init?(named name: String) {
    guard let entry = getpwnam(name) else { return nil }
    self.name = name
    (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
  }

  /// Makes this process that user's for good. Only root may.
  func become() throws(OperatorFailure) {
    guard initgroups(name, group) == 0, setgid(group) == 0, setuid(user) == 0 else {
      throw .wrong("this process cannot become \(name)'s: \(SystemError.last())")
    }
  }

  /// Lets the user's group read a file of root's, and nobody else.
  func share(_ path: String) throws(OperatorFailure) {
    guard chown(path, 0, group) == 0, chmod(path, 0o640) == 0 else {
      throw .file(path: path, reason: "\(SystemError.last())")
    }
  }
}
