import BrokerManagement
import Chaos
import GatewayLab
import PlayerClient

extension ServiceLab {
  /// Runs a body while a gateway with its own user of the broker serves.
  func withGateway<Value>(_ body: (RunningGateway) async throws -> Value) async throws -> Value {
    let rights = BrokerRights.gateway()
    let user = try host.addUser(
      "gateway", configure: rights.configure, write: rights.write, read: rights.read)
    let gateway = try RunningGateway(context(user.url))
    defer { gateway.leave() }
    try waitUntil("the gateway serves") { gateway.isReady }
    return try await body(gateway)
  }
}
