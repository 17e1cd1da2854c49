@testable import EventBusLive
import BrokerManagement
import CubistBasics
import Foundation
import RealServers

/// The management API of the servers for tests.
enum Administrator {
  static func make() throws -> BrokerAdministration {
    try BrokerAdministration(url: RealServers.environment().managementURL)
  }

  /// The same API for another user.
  static func with(user: String, password: String) throws -> BrokerAdministration {
    let secret = PercentEncoding.encode(password)
    return try BrokerAdministration(
      url: ServerEnvironment.url(
        RealServers.environment().managementURL, user: "\(user):\(secret)"))
  }

  /// The password of a user that a test makes.
  static func password(_ suffix: String) -> String { "a pass/word%:\(suffix)" }
}

extension BrokerAdministration {
  /// Makes a user that is deleted with the virtual host.
  /// - Returns: the user's URL.
  func addUser(_ suffix: String, _ rights: BrokerRights, to host: VirtualHost) throws -> String {
    let user = "\(host.name)-\(suffix)"
    try createUser(user, password: Administrator.password(suffix))
    try permit(user, rights, in: host.name)
    return try ServerEnvironment.url(host.url, user: "\(user):a%20pass%2Fword%25%3A\(suffix)")
  }
}
