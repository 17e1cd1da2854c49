import Glibc

/// The port of 127.0.0.1 that a private service's gateway listens at.
enum HTTPPort {
  /// The port that was asked for, else the one of the last start if it is free, else a free one.
  static func choose(asked: Int?, last: Int?) throws(OperatorFailure) -> Int {
    if let asked {
      guard let port = free(asked) else {
        throw .settings(["--http-port is \(asked), which another program uses; choose another one"])
      }
      return port
    }
    if let port = last.flatMap({ free($0) }) ?? free(0) { return port }
    throw .servers("no port of 127.0.0.1 is free for the gateway")
  }

  /// The port if nobody listens at it; for 0 any such one.
  private static func free(_ port: Int) -> Int? {
    guard 0...65_535 ~= port else { return nil }
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    var on: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isFree = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && listen(socket, 1) == 0
          && getsockname(socket, $0, &length) == 0
      }
    }
    return isFree ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
