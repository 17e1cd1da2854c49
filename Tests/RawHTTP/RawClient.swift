import Glibc
import SystemCalls

/// A test's expectation that did not come true.
package struct RawFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Seconds until a wait fails. A limit against hanging alone: a busy machine may stand still for a minute.
package let waitSeconds = 120.0

/// Waits until something is so.
package func wait(
  _ what: String, seconds: Double = waitSeconds, until isSo: () throws -> Bool
) throws {
  let end = MonotonicClock.now + UInt64(seconds * 1e9)
  while try !isSo() {
    guard MonotonicClock.now < end else { throw RawFailure("still not so: \(what)") }
    // What it looks at may be anything, which gives no signal.
    usleep(5_000)
  }
}

/// A socket that sends any bytes, and reads answers of HTTP.
package final class RawClient {
  private let socket: Int32
  private var received: [UInt8] = []
  /// Whether the other side has closed.
  package private(set) var isEnded = false

  /// - Parameter receiveBytes: The system's buffer for a slow reader. Segments are short then, as those
  ///   of a real network: a window of less than a segment is asked for ever more rarely by the sender.
  package init(port: Int, receiveBytes: Int32? = nil) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { throw RawFailure("no socket: \(errno)") }
    if var receiveBytes {
      var segment: Int32 = 536
      let size = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBytes, size)
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, size)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let socket = socket
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw RawFailure("connecting: \(errno)") }
  }

  deinit { if !isClosed { Glibc.close(socket) } }

  private var isClosed = false

  package func close() {
    Glibc.close(socket)
    isClosed = true
  }

  /// Closes with a reset.
  package func abort() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    close()
  }

  package func closeSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Sends; false once the other side takes no more.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends as much as the system takes at once, and gives the number of bytes.
  package func sendWhatFits(_ bytes: [UInt8]) -> Int {
    max(0, Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)))
  }

  /// Receives what is there within a time.
  package func receive(milliseconds: Int32) {
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard !isEnded, poll(&descriptor, 1, milliseconds) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count > 0 { received += buffer[..<count] } else { isEnded = true }
  }

  /// The number of bytes that were received and not taken as an answer.
  package var receivedCount: Int { received.count }

  /// Everything received so far as text.
  package var text: String { String(decoding: received, as: UTF8.self) }

  /// Waits for the end of the connection.
  package func waitForEnd(seconds: Double = waitSeconds) throws {
    try wait("the connection ends; it sent \(text)", seconds: seconds) {
      receive(milliseconds: 20)
      return isEnded
    }
  }

  package func waitFor(_ part: String, seconds: Double = waitSeconds) throws {
    try wait("\(part) comes; it sent \(text)", seconds: seconds) {
      receive(milliseconds: 20)
      return text.contains(part) || isEnded
    }
    guard text.contains(part) else { throw RawFailure("it ended after: \(text)") }
  }

  /// An answer of HTTP.
  package struct Answer {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    package subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// The next answer, with a body of known length or in chunks that end.
  package func answer(to method: String = "GET", seconds: Double = waitSeconds) throws -> Answer {
    let end = Array("\r\n\r\n".utf8)
    try wait("a head comes; it sent \(text)", seconds: seconds) {
      receive(milliseconds: 20)
      return find(end) != nil || isEnded
    }
    guard let split = find(end) else { throw RawFailure("it ended after: \(text)") }
    let lines = String(decoding: received[..<split], as: UTF8.self).split(separator: "\r\n")
    guard let status = Int(lines[0].split(separator: " ")[1]) else {
      throw RawFailure("\(lines[0])")
    }
    var answer = Answer(status: status, fields: [], body: [])
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      answer.fields.append((String(parts[0]), String(parts[1].drop { $0 == " " })))
    }
    received.removeFirst(split + 4)
    // A stream of events has no end to wait for.
    let isStream = answer["content-type"]?.hasPrefix("text/event-stream") == true
    if method != "HEAD", !isStream, answer["transfer-encoding"] == "chunked" {
      while true {
        let chunk = try take(Int(try takeLine(seconds), radix: 16), seconds)
        _ = try takeLine(seconds)
        guard !chunk.isEmpty else { return answer }
        answer.body += chunk
      }
    }
    guard method != "HEAD", let length = answer["content-length"].flatMap({ Int($0) }) else {
      return answer
    }
    answer.body = try take(length, seconds)
    return answer
  }

  /// The next bytes of a body.
  private func take(_ length: Int?, _ seconds: Double) throws -> [UInt8] {
    guard let length else { throw RawFailure("no length of a body; it sent \(text)") }
    try wait("a body of \(length) comes; it sent \(text)", seconds: seconds) {
      receive(milliseconds: 20)
      return received.count >= length || isEnded
    }
    defer { received.removeFirst(min(length, received.count)) }
    return Array(received.prefix(length))
  }

  /// The next line, without its end.
  private func takeLine(_ seconds: Double) throws -> String {
    let end = Array("\r\n".utf8)
    try wait("a line comes; it sent \(text)", seconds: seconds) {
      receive(milliseconds: 20)
      return find(end) != nil || isEnded
    }
    guard let split = find(end) else { throw RawFailure("it ended after: \(text)") }
    defer { received.removeFirst(split + end.count) }
    return String(decoding: received[..<split], as: UTF8.self)
  }

  private func find(_ part: [UInt8]) -> Int? {
    guard received.count >= part.count else { return nil }
    return (0...(received.count - part.count)).first { received[$0...].starts(with: part) }
  }

  /// Sends a request and gives its answer.
  @discardableResult
  package func ask(
    _ method: String = "GET", _ path: String, _ fields: [String] = [], _ body: [UInt8]? = nil
  ) throws -> Answer {
    send(RawClient.request(method, path, fields, body))
    return try answer(to: method)
  }

  package static func request(
    _ method: String = "GET", _ path: String, _ fields: [String] = [], _ body: [UInt8]? = nil
  ) -> [UInt8] {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields
    if let body { lines.append("Content-Length: \(body.count)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
  }
}
