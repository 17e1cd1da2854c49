import Chaos
import TestedService
import GatewayLab
import PlayerClient

extension ServiceLab {
  /// Runs a body while a gateway serves that limits no address and no key.
  func withGateway<Value>(_ body: (RunningGateway) async throws -> Value) async throws -> Value {
    let gateway = try RunningGateway(context(gatewayURL()))
    defer { gateway.leave() }
    try waitUntil("the gateway serves") { gateway.isReady }
    return try await body(gateway)
  }
}
