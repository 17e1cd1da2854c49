import CubistBasics
import FoundationEssentials
import LibCurl

/// RabbitMQ's management API, for tests to prepare and clean up.
struct ManagementClient: Sendable {
  let user: String
  private let address: String
  private let authorization: String

  init(url: String) throws {
    // http://user:password@host:port
    let parts = url.split(whereSeparator: { ":/@".contains($0) }).map(String.init)
    guard url.hasPrefix("http://"), parts.count == 5 else {
      throw RealServersError(
        "CUBIST_TEST_RABBITMQ_MANAGEMENT does not look like http://user:password@host:port")
    }
    user = parts[1]
    address = "http://\(parts[3]):\(parts[4])"
    authorization = "Basic " + Data("\(parts[1]):\(parts[2])".utf8).base64EncodedString()
  }

  func get<T: Decodable>(_ path: String, as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: request(.get, path))
  }

  func put(_ path: String, _ body: some Encodable) throws {
    _ = try request(.put, path, JSONEncoder().encode(body))
  }

  func delete(_ path: String) throws {
    _ = try request(.delete, path)
  }

  static func escape(_ segment: String) -> String { PercentEncoding.encode(segment) }

  private func request(
    _ method: CurlRequest.Method, _ path: String, _ body: Data = Data()
  ) throws -> Data {
    var settings = CurlSettings()
    settings.timeout = .seconds(60)
    settings.bodyLimit = 16 * 1_024 * 1_024
    let headers = [
      (name: "Authorization", value: authorization),
      (name: "Content-Type", value: "application/json"),
    ]
    let answer = try CurlClient(settings)
      .send(method, address + path, headers: headers, body: Array(body))
    // Cleaning may delete a thing that has gone already.
    guard 200..<300 ~= answer.status || (method == .delete && answer.status == 404) else {
      let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
      throw RealServersError("\(method.rawValue) \(path): \(answer.status) \(text)")
    }
    return Data(answer.body)
  }
}
