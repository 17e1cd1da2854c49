import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server that answers each request with any bytes at all, at any pace.
final class RawServer: Sendable {
  /// One request, as far as a test cares.
  struct Request: Sendable {
    var head: String
    var body: [UInt8]

    /// The method and the target.
    var line: String {
      head.split(separator: "\r\n").first?.split(separator: " ").prefix(2).joined(separator: " ")
        ?? ""
    }

    func header(_ name: String) -> String? {
      head.split(separator: "\r\n").dropFirst().compactMap { line -> String? in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
        return parts[1].trimmingCharacters(in: .whitespaces)
      }.first
    }
  }

  /// A step of an answer.
  enum Step: Sendable {
    case send([UInt8])
    case pause(Duration)
    /// Waits for the test.
    case wait(DispatchSemaphore)
    /// Sends the same again and again until the other side has had enough.
    case endless([UInt8])
    /// Sends nothing more, and keeps the connection.
    case hold

    static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
  }

  let port: UInt16
  private let isIPv6: Bool
  private let listener: Int32
  private let seen = Mutex<[Request]>([])
  private let isOver = Mutex(false)

  /// - Parameters:
  ///   - keepsAlive: Whether the connection is kept for the next request.
  ///   - isIPv6: Whether it listens at `::1`.
  init(
    keepsAlive: Bool = false, isIPv6: Bool = false,
    answer: @escaping @Sendable (Request, _ number: Int) -> [Step]
  ) throws {
    let listener = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    self.isIPv6 = isIPv6
    guard let port = isIPv6 ? RawServer.listenIPv6(listener) : RawServer.listenIPv4(listener) else {
      close(listener)
      throw POSIXError(.EADDRNOTAVAIL)
    }
    self.port = port
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        guard let server = self else {
          close(connection)
          return
        }
        Thread.detachNewThread { [weak server] in
          defer { close(connection) }
          while let server, let request = RawServer.read(connection) {
            // A client makes its connection by this before it opens a stream.
            if request.line == "GET /v1/service" {
              guard server.perform([.json("{}")], on: connection) else { return }
              continue
            }
            let number = server.seen.withLock {
              $0.append(request)
              return $0.count
            }
            guard server.perform(answer(request, number), on: connection), keepsAlive else {
              return
            }
          }
        }
      }
    }
  }

  /// Whether a server can listen at `::1` here.
  static let hasIPv6: Bool = {
    let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    return listenIPv6(listener) != nil
  }()

  private static func listenIPv4(_ listener: Int32) -> UInt16? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return isBound(listener, to: &address) ? UInt16(bigEndian: address.sin_port) : nil
  }

  private static func listenIPv6(_ listener: Int32) -> UInt16? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
    return isBound(listener, to: &address) ? UInt16(bigEndian: address.sin6_port) : nil
  }

  /// Listens at an address, and gives the address its port.
  private static func isBound<Address>(_ listener: Int32, to address: inout Address) -> Bool {
    var size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
  }

  deinit { stop() }

  func stop() {
    let wasOver = isOver.withLock { isOver in
      defer { isOver = true }
      return isOver
    }
    guard !wasOver else { return }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  var url: String { "http://\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)" }
  var requests: [Request] { seen.withLock { $0 } }

  /// A server at its own pace, which a client cannot see.
  private static func pause(_ time: Duration) {
    Thread.sleep(forTimeInterval: time / .seconds(1))
  }

  private func perform(_ steps: [Step], on connection: Int32) -> Bool {
    for step in steps {
      switch step {
      case .send(let bytes): guard RawServer.write(bytes, connection) else { return false }
      case .wait(let semaphore): semaphore.wait()
      case .pause(let time):
        // What a test says of slow bytes is about time.
        RawServer.pause(time)
      case .endless(let bytes):
        // FoundationNetworking keeps everything until its thread is told to stop. So this leaves that
        // thread a moment to be told; nothing shows when it has been.
        while RawServer.write(bytes, connection) {
          if isOver.withLock({ $0 }) { return false }
          RawServer.pause(.milliseconds(1))
        }
        return false
      case .hold:
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        return false
      }
    }
    return true
  }

  private static func write(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = bytes.firstRange(of: end) {
        let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
        let request = Request(head: head, body: [])
        let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
        if bytes.count - range.upperBound >= length {
          return Request(head: head, body: Array(bytes[range.upperBound...].prefix(length)))
        }
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }
}

extension RawServer.Step {
  /// A whole answer.
  static func answer(
    _ status: String, _ type: String?, _ body: String, headers: [String] = []
  ) -> RawServer.Step {
    let lines =
      ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"]
      + (type.map { ["Content-Type: \($0)"] } ?? []) + headers
    return .text(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

  static func json(_ body: String, _ status: String = "200 OK") -> RawServer.Step {
    .answer(status, "application/json", body)
  }

  static func problem(
    _ name: String, _ status: String, isSent: Bool? = false, headers: [String] = []
  ) -> RawServer.Step {
    let sent = isSent.map { #","sent":\#($0)"# } ?? ""
    return .answer(
      status, "application/problem+json",
      #"{"type":"urn:cubist:problem:\#(name)","title":"T","status":400,"#
        + #""detail":"The \#(name) is reached."\#(sent)}"#,
      headers: headers)
  }
}
