import CubistBasics
import FoundationEssentials
import LibCurl
import Synchronization

/// RabbitMQ's management API, for tests to prepare and clean up.
struct ManagementClient: Sendable {
  let user: String
  private let address: String
  private let authorization: String
  private let clients: IdleClients

  /// - Parameter url: `https://user:password@host:port?cacertfile=PATH`.
  init(url: String) throws {
    guard let parts = URLComponents(string: url), parts.scheme == "https", let user = parts.user,
      let password = parts.password, let host = parts.host, let port = parts.port,
      let authority = parts.queryItems?.first(where: { $0.name == "cacertfile" })?.value
    else {
      throw RealServersError(
        """
        CUBIST_TEST_RABBITMQ_MANAGEMENT_TLS does not look like \
        https://user:password@host:port?cacertfile=PATH
        """)
    }
    self.user = user
    address = "https://\(host):\(port)"
    authorization = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    clients = IdleClients(authority: authority)
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
    let headers = [
      (name: "Authorization", value: authorization),
      (name: "Content-Type", value: "application/json"),
    ]
    let answer = try clients.lend { client in
      try client.send(method, address + path, headers: headers, body: Array(body))
    }
    // Cleaning may delete a thing that has gone already.
    guard 200..<300 ~= answer.status || (method == .delete && answer.status == 404) else {
      let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
      throw RealServersError("\(method.rawValue) \(path): \(answer.status) \(text)")
    }
    return Data(answer.body)
  }
}

/// Clients whose connections live on between requests: a TLS handshake costs RabbitMQ several times
/// as much as a request.
private final class IdleClients: Sendable {
  /// A client that no thread uses at the moment.
  // SAFETY: the thread that takes it out of its list is the only one to use it.
  private struct Idle: @unchecked Sendable {
    let client: CurlClient
  }

  private let settings: CurlSettings
  private let idle = Mutex<[Idle]>([])

  init(authority: String) {
    var settings = CurlSettings()
    settings.timeout = .seconds(60)
    settings.bodyLimit = 16 * 1_024 * 1_024
    settings.certificateAuthority = authority
    self.settings = settings
  }

  func lend(_ body: (CurlClient) throws -> CurlResponse) throws -> CurlResponse {
    let client = try idle.withLock { $0.popLast() }?.client ?? CurlClient(settings)
    // A client whose request failed is not used again.
    let answer = try body(client)
    idle.withLock { $0.append(Idle(client: client)) }
    return answer
  }
}
