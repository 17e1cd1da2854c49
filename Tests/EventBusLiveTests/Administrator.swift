import EventBusLive
import Foundation
import RealServers

/// The management API of the servers for tests.
enum Administrator {
  static func make() throws -> BrokerAdministration {
    // RealServers says what to do if there is no environment.
    _ = try RealServers.environment()
    let variables = ProcessInfo.processInfo.environment
    return try BrokerAdministration(url: variables["CUBIST_TEST_RABBITMQ_MANAGEMENT"] ?? "")
  }
}

extension BrokerAdministration {
  /// Makes a user who goes with the virtual host.
  /// - Returns: the user's URL.
  func addUser(_ suffix: String, _ rights: BrokerRights, to host: VirtualHost) throws -> String {
    let user = "\(host.name)-\(suffix)"
    try createUser(user, password: "a pass/word%:\(suffix)")
    try permit(user, rights, in: host.name)
    let url = host.url
    guard let at = url.lastIndex(of: "@") else { return url }
    return "amqp://\(user):a%20pass%2Fword%25%3A\(suffix)" + url[at...]
  }
}
