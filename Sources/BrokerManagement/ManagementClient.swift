import CubistBasics
import FoundationEssentials
import LibCurl

/// RabbitMQ's management API over one short-lived connection a request.
struct ManagementClient: Sendable {
  static let answerLimit = 64 * 1_024 * 1_024

  let url: ManagementURL
  private let authorization: String
  private let timeoutSeconds: Int

  init(
    url: String, timeoutSeconds: Int = BrokerAdministration.standardTimeoutSeconds
  ) throws(ManagementError) {
    self.url = try ManagementURL(url)
    self.timeoutSeconds = timeoutSeconds
    let identity = Data("\(self.url.user):\(self.url.password)".utf8)
    authorization = "Basic \(identity.base64EncodedString())"
  }

  /// Sends a request and gives the answer's body.
  ///
  /// - Parameters:
  ///   - path: Segments, not yet escaped.
  ///   - operation: The act as a verb phrase, for errors.
  func request(
    _ method: CurlRequest.Method, _ path: [String], body: Data = Data(), operation: String
  ) throws(ManagementError) -> Data {
    let answer = try send(method, path, body, operation)
    guard answer.body.count <= Self.answerLimit else {
      throw .malformed(
        operation: operation, reason: "it is longer than \(Self.answerLimit) bytes")
    }
    switch answer.status {
    case 200..<300: return Data(answer.body)
    case 401, 403: throw .notPermitted(endpoint: url.endpoint, user: url.user)
    default:
      throw .refused(
        operation: operation, status: answer.status,
        reason: String(decoding: answer.body.prefix(300), as: UTF8.self))
    }
  }

  private func send(
    _ method: CurlRequest.Method, _ path: [String], _ body: Data, _ operation: String
  ) throws(ManagementError) -> CurlResponse {
    var settings = CurlSettings()
    settings.connectTimeout = .seconds(timeoutSeconds)
    settings.timeout = nil
    settings.idleTimeout = .seconds(timeoutSeconds)
    settings.bodyLimit = Self.answerLimit + 1
    settings.certificateAuthority = url.certificateAuthority
    let address = "\(url.bare)/api/" + path.map(PercentEncoding.encode).joined(separator: "/")
    let headers = [
      (name: "Authorization", value: authorization),
      (name: "Content-Type", value: "application/json"),
    ]
    do throws(CurlError) {
      return try CurlClient(settings).send(method, address, headers: headers, body: Array(body))
    } catch {
      switch error.code {
      case .unreachable, .cutOff:
        throw .unreachable(endpoint: url.endpoint, reason: error.description)
      case .timedOut:
        throw .unreachable(
          endpoint: url.endpoint, reason: "no answer within \(timeoutSeconds) s")
      case .tlsRefused: throw .notTrusted(endpoint: url.endpoint, reason: error.description)
      case .unusable, .addressRefused:
        throw .malformed(operation: operation, reason: error.description)
      }
    }
  }
}
