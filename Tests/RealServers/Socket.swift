import FoundationEssentials
import Glibc

/// A TCP socket's descriptor and the calls that tests need.
struct Socket: Sendable, Hashable {
  let descriptor: Int32

  /// Reading and writing of a blocking socket give up after this many seconds.
  static let timeoutSeconds = 30

  private static func make() throws -> Socket {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw RealServersError("socket: \(lastError())") }
    return Socket(descriptor: descriptor)
  }

  private static func lastError() -> String {
    String(cString: strerror(errno))
  }

  private static func withAddress<T>(
    _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
  ) throws -> T {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address.sin_addr) == 1
    else { throw RealServersError("\(host) is not an IPv4 address") }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  static func connected(toHost host: String, port: UInt16) throws -> Socket {
    let made = try make()
    var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(made.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(made.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    do {
      let result = try withAddress(host, port) { connect(made.descriptor, $0, $1) }
      guard result == 0 else {
        throw RealServersError("\(host):\(port): \(lastError())")
      }
    } catch {
      made.close()
      throw error
    }
    return made
  }

  /// Listens on a loopback port; 0 takes a free one.
  static func listening(port: UInt16) throws -> Socket {
    let made = try make()
    do {
      var yes: Int32 = 1
      setsockopt(
        made.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let result = try withAddress("127.0.0.1", port) { bind(made.descriptor, $0, $1) }
      guard result == 0, listen(made.descriptor, 128) == 0 else {
        throw RealServersError("listen on port \(port): \(lastError())")
      }
    } catch {
      made.close()
      throw error
    }
    made.stopBlocking()
    return made
  }

  var localPort: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Makes calls return at once, and keeps the descriptor out of child processes.
  func stopBlocking() {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  func accepted() -> Socket? {
    let peer = Socket(descriptor: accept(descriptor, nil, nil))
    guard peer.descriptor >= 0 else { return nil }
    peer.stopBlocking()
    return peer
  }

  func close() {
    _ = Glibc.close(descriptor)
  }

  /// Closes with a reset instead of an orderly end, at once.
  func reset() {
    // Closing alone, even without lingering, sends nothing while another thread sleeps in a `poll`
    // of this socket. To dissolve the association does: it is how a connected socket is aborted.
    var nobody = sockaddr()
    nobody.sa_family = sa_family_t(AF_UNSPEC)
    _ = connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    close()
  }

  func writeAll(_ data: Data) throws {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw RealServersError("send: \(Self.lastError())") }
      rest = rest.dropFirst(count)
    }
  }

  func readToEnd() throws -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return data }
      guard count > 0 else { throw RealServersError("recv: \(Self.lastError())") }
      data.append(contentsOf: buffer[..<count])
    }
  }
}
