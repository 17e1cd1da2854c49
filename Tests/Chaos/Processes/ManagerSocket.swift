import Glibc
package import SystemCalls

/// The service manager's end of a notification socket.
package final class ManagerSocket: Sendable {
  private let descriptor: Int32

  /// Listens at a path, or at an abstract name that begins with `@`.
  package init(_ name: String) throws(SystemError) {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .last() }
    var path = Array(name.utf8)
    if path.first == UInt8(ascii: "@") { path[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard bound == 0 else { throw .last(name) }
    var limit = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
  }

  deinit { close(descriptor) }

  /// The assignments of the next datagram; waits for it, five minutes at most.
  package func next() throws(SystemError) -> [String] {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw .last() }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
