import FoundationEssentials

/// RabbitMQ's management API over one short-lived connection a request.
struct ManagementClient: Sendable {
  let user: String
  private let host: String
  private let port: UInt16
  private let authorization: String

  init(url: String) throws {
    // http://user:password@host:port
    let parts = url.split(whereSeparator: { ":/@".contains($0) }).map(String.init)
    guard url.hasPrefix("http://"), parts.count == 5, let port = UInt16(parts[4]) else {
      throw RealServersError(
        "CUBIST_TEST_RABBITMQ_MANAGEMENT does not look like http://user:password@host:port")
    }
    self.port = port
    user = parts[1]
    host = parts[3]
    authorization = Data("\(parts[1]):\(parts[2])".utf8).base64EncodedString()
  }

  func get<T: Decodable>(_ path: String, as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: request("GET", path))
  }

  func put(_ path: String, _ body: some Encodable) throws {
    _ = try request("PUT", path, JSONEncoder().encode(body))
  }

  func delete(_ path: String) throws {
    _ = try request("DELETE", path)
  }

  static func escape(_ segment: String) -> String {
    segment.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(UnicodeScalar(byte))
      default:
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }

  private func request(_ method: String, _ path: String, _ body: Data = Data()) throws -> Data {
    let socket = try Socket.connected(toHost: host, port: port)
    defer { socket.close() }
    // Version 1.0 answers without chunks and closes.
    let head = """
      \(method) \(path) HTTP/1.0\r
      Host: \(host):\(port)\r
      Authorization: Basic \(authorization)\r
      Content-Type: application/json\r
      Content-Length: \(body.count)\r
      \r

      """
    try socket.writeAll(Data(head.utf8) + body)
    let answer = try socket.readToEnd()
    let separator = Data("\r\n\r\n".utf8)
    guard let end = answer.firstRange(of: separator) else {
      throw RealServersError("\(method) \(path): RabbitMQ's management API gave no answer")
    }
    let status = String(decoding: answer[..<end.lowerBound].prefix(12).suffix(3), as: UTF8.self)
    let content = answer[end.upperBound...]
    // Cleaning up succeeds if the thing is gone already.
    guard status.hasPrefix("2") || (method == "DELETE" && status == "404") else {
      throw RealServersError(
        "\(method) \(path): \(status) \(String(decoding: content.prefix(300), as: UTF8.self))")
    }
    return Data(content)
  }
}
