import FoundationEssentials

/// A request of HTTP/1.1 on a connection of its own, byte by byte.
package enum RawHTTP {
  /// The status of a GET on a loopback port; nil: nobody answered.
  package static func get(_ path: String, port: UInt16) -> Int? {
    guard let socket = try? Socket.connected(toHost: "127.0.0.1", port: port) else { return nil }
    defer { socket.close() }
    let head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
    guard (try? socket.writeAll(Data(head.utf8))) != nil, let answer = try? socket.readToEnd()
    else { return nil }
    // HTTP/1.1 200 OK
    let words = String(decoding: answer.prefix(64), as: UTF8.self).split(separator: " ")
    return words.count > 1 ? Int(words[1]) : nil
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
