import FoundationEssentials
import Glibc

/// A request of HTTP/1.1 on a connection of its own, byte by byte.
package enum OneRequest {
  /// The status of a GET on a loopback port; nil: nobody answered.
  package static func get(_ path: String, port: UInt16) -> Int? {
    status("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", port)
  }

  /// The status of a POST.
  package static func post(_ body: String, to path: String, port: UInt16) -> Int? {
    status(
      "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        + body, port)
  }

  private static func status(_ request: String, _ port: UInt16) -> Int? {
    guard let socket = try? Socket.connected(toHost: "127.0.0.1", port: port) else { return nil }
    defer { socket.close() }
    guard (try? socket.writeAll(Data(request.utf8))) != nil else { return nil }
    // HTTP/1.1 200 OK
    var line: [UInt8] = []
    while line.count < 12 {
      var byte: UInt8 = 0
      guard recv(socket.descriptor, &byte, 1, 0) == 1 else { return nil }
      line.append(byte)
    }
    return Int(String(decoding: line[9...], as: UTF8.self))
  }
}

/// A loopback port that is free now, for a program that has to be told its port.
package enum FreePort {
  package static func take() throws -> UInt16 {
    let socket = try Socket.listening(port: 0)
    defer { socket.close() }
    return socket.localPort
  }
}
