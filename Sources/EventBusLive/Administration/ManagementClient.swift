import FoundationEssentials
import Glibc

/// RabbitMQ's management API, over one short-lived connection per request.
///
/// Plain HTTP only: HTTPS would bring its libraries into every build. The client is for an operator
/// on the broker's machine, on its trusted network, or at the end of a tunnel.
struct ManagementClient: Sendable {
  static let answerLimit = 64 * 1_024 * 1_024

  let user: String
  let endpoint: String
  private let host: String
  private let port: String
  private let authorization: String
  private let timeoutSeconds: Int

  init(
    url: String, timeoutSeconds: Int = BrokerAdministration.standardTimeoutSeconds
  ) throws(ManagementError) {
    guard url.hasPrefix("http://") else {
      throw .badURL("it must begin with http:// (HTTPS is not offered; use a tunnel)")
    }
    var rest = url.dropFirst(7)
    while rest.last == "/" { rest.removeLast() }
    guard let at = rest.lastIndex(of: "@") else { throw .badURL("it names no user") }
    let identity = rest[..<at].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let authority = rest[rest.index(after: at)...]
    guard identity.count == 2, let user = Self.unescaped(identity[0]),
      let password = Self.unescaped(identity[1])
    else { throw .badURL("before the @ it must have user:password, percent-encoded") }
    guard let colon = authority.lastIndex(of: ":"), colon != authority.startIndex,
      let port = UInt16(authority[authority.index(after: colon)...]), port > 0
    else { throw .badURL("it must end with host:port") }
    var host = String(authority[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.contains(where: { "/?#\r\n ".contains($0) }) else {
      throw .badURL("after the port it must end")
    }
    self.user = user
    self.host = host
    self.port = String(port)
    self.timeoutSeconds = timeoutSeconds
    endpoint = String(authority)
    authorization = Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// Sends a request and returns the answer's body.
  ///
  /// - Parameters:
  ///   - path: Segments, not yet escaped.
  ///   - operation: The action, as a verb phrase, for errors.
  func request(
    _ method: String, _ path: [String], body: Data = Data(), operation: String
  ) throws(ManagementError) -> Data {
    // Version 1.0 answers without chunks and closes.
    let head = """
      \(method) /api/\(path.map(Self.escaped).joined(separator: "/")) HTTP/1.0\r
      Host: \(endpoint)\r
      Authorization: Basic \(authorization)\r
      Content-Type: application/json\r
      Content-Length: \(body.count)\r
      \r

      """
    let bytes = try exchange(Array(head.utf8) + body)
    guard let answer = Self.parse(bytes) else {
      throw .malformed(operation: operation, reason: "it is no HTTP answer")
    }
    switch answer.status {
    case 200..<300: return answer.body
    case 401, 403: throw .notPermitted(endpoint: endpoint, user: user)
    default:
      throw .refused(
        operation: operation, status: answer.status,
        reason: String(decoding: answer.body.prefix(300), as: UTF8.self))
    }
  }

  /// Takes an HTTP answer apart. Nil if the data is not one.
  static func parse(_ answer: Data) -> (status: Int, body: Data)? {
    guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
    let line = answer[..<end.lowerBound].prefix { $0 != UInt8(ascii: "\r") }
    // HTTP/1.1 200 OK
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, words[0].starts(with: Data("HTTP/1.".utf8)), words[1].count == 3,
      let status = Int(String(decoding: words[1], as: UTF8.self)), status >= 100
    else { return nil }
    return (status, Data(answer[end.upperBound...]))
  }

  /// Text without its percent-encoding. Nil if a % begins no byte or the bytes are not UTF-8.
  static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.first != UInt8(ascii: "+"),
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  static func escaped(_ segment: String) -> String {
    segment.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        String(UnicodeScalar(byte))
      default:
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

extension ManagementClient {
  private func exchange(_ request: [UInt8]) throws(ManagementError) -> Data {
    let descriptor = try connected()
    defer { close(descriptor) }
    var sent = 0
    while sent < request.count {
      let count = request[sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw failure() }
      sent += count
    }
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { throw failure() }
      guard count > 0 else { return answer }
      answer.append(contentsOf: buffer[..<count])
      guard answer.count <= Self.answerLimit else {
        throw .malformed(operation: "read", reason: "it is longer than \(Self.answerLimit) bytes")
      }
    }
  }

  private func connected() throws(ManagementError) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, port, &hints, &first)
    guard status == 0 else {
      throw .unreachable(endpoint: endpoint, reason: String(cString: gai_strerror(status)))
    }
    defer { freeaddrinfo(first) }
    var reason = "no address"
    var next = first
    while let address = next {
      next = address.pointee.ai_next
      let descriptor = socket(
        address.pointee.ai_family, address.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { continue }
      // On Linux the time limit for sending is also the one for connecting.
      var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
      let size = socklen_t(MemoryLayout<timeval>.size)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
      if connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 {
        return descriptor
      }
      reason = failureReason
      close(descriptor)
    }
    throw .unreachable(endpoint: endpoint, reason: reason)
  }

  private func failure() -> ManagementError {
    .unreachable(endpoint: endpoint, reason: failureReason)
  }

  /// The reason the last system call failed. A time limit that has passed is not a missing
  /// resource.
  private var failureReason: String {
    switch errno {
    case EAGAIN, EINPROGRESS: "no answer within \(timeoutSeconds) s"
    default: String(cString: strerror(errno))
    }
  }
}
