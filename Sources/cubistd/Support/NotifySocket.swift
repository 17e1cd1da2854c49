import Glibc
import SystemCalls

/// The socket at which a service manager hears of this process, as `sd_notify(3)` describes it.
struct NotifySocket: Sendable {
  private let path: [UInt8]

  /// The socket that `NOTIFY_SOCKET` names: a path, or an abstract name that begins with `@`. Nil
  /// for any other text, or one that is too long.
  init?(_ name: String) {
    guard let first = name.first, first == "/" || first == "@" else { return nil }
    var path = Array(name.utf8)
    if first == "@" { path[0] = 0 }
    // A path ends with a zero.
    guard path.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    self.path = path
  }

  /// Sends assignments such as `READY=1` together; never waits.
  func send(_ assignments: [String]) throws(SystemError) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .last() }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // An abstract name is as long as its address says.
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + path.count } ?? 0
    let text = Array(assignments.joined(separator: "\n").utf8)
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          descriptor, text, text.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0,
          socklen_t(length))
      }
    }
    guard sent == text.count else { throw .last() }
  }
}
