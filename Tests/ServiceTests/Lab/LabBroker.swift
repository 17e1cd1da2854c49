import BrokerManagement
import RealServers
import Testing

/// The RabbitMQ that the tests share.
enum LabBroker {
  static func administration() throws -> BrokerAdministration {
    try BrokerAdministration(url: RealServers.environment().managementURL)
  }

  /// Whether its version is below one such as 3.12.0.
  static func isBelow(_ version: String) throws -> Bool {
    let own = try administration().version()
    return try #require(own) < #require(BrokerVersion(version))
  }
}
