import FoundationEssentials
import Glibc

/// Asks a port of 127.0.0.1 whether its server is there.
package enum Probe {
  /// Whether a broker answers the protocol header with `connection.start`, a frame of type 1.
  package static func amqp(port: UInt16) -> Bool {
    ask(port, Array("AMQP".utf8) + [0, 0, 9, 1], answer: 1)?.first == 1
  }

  /// The status of RabbitMQ's management API for a path, to its administrator.
  package static func management(port: UInt16, _ path: String, password: String) -> Int? {
    let credentials = Data("cubist:\(password)".utf8).base64EncodedString()
    let request =
      "GET \(path) HTTP/1.0\r\nHost: localhost\r\nAuthorization: Basic \(credentials)\r\n\r\n"
    // HTTP/1.1 200
    guard let bytes = ask(port, Array(request.utf8), answer: 12), bytes.count == 12 else {
      return nil
    }
    return Int(String(decoding: bytes.suffix(3), as: UTF8.self))
  }

  /// Sends bytes and gives the beginning of the answer; nil if none comes within five seconds.
  private static func ask(_ port: UInt16, _ bytes: [UInt8], answer count: Int) -> [UInt8]? {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected, send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    else { return nil }
    var answer: [UInt8] = []
    while answer.count < count {
      var piece = [UInt8](repeating: 0, count: count - answer.count)
      let size = recv(socket, &piece, piece.count, 0)
      guard size > 0 else { break }
      answer += piece[..<size]
    }
    return answer
  }
}
