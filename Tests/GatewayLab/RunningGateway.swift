package import EventBusLive
package import MatchGateway
import MatchInterfaces
package import MatchService
import Synchronization
import SystemCalls

/// A gateway that listens on a free port of this machine, in front of a real broker.
package final class RunningGateway: Sendable {
  package let gateway: Gateway
  private let stop = StopSignal()
  private let runners: [RoleRunner]
  private let port: Port

  /// - Parameters:
  ///   - bus: The broker, as the gateway's user.
  ///   - change: Changes the settings. All limits of an address and a key are off: the players of a
  ///     test share an address.
  package init(
    _ bus: BusContext, _ change: (inout GatewaySettings) -> Void = { _ in }
  ) throws {
    var settings = GatewaySettings(listen: ListenAddress(host: "127.0.0.1", port: 0))
    settings.connectionsPerAddress = nil
    settings.requestsPerAddress = nil
    settings.requestsPerKey = nil
    settings.registrationsPerAddress = nil
    settings.streamsPerAddress = nil
    settings.waitsPerAddress = nil
    change(&settings)
    let wakeup = try Wakeup()
    let gateway = Gateway(
      settings, clock: bus.clock, randomness: bus.randomness, log: bus.log,
      wake: { wakeup.wake() })
    let (port, stop) = (Port(), stop)
    func runner(
      _ name: String, _ make: @escaping @Sendable () throws(Interruption) -> any Role
    ) -> RoleRunner {
      RoleRunner(
        name: name, stop: stop, clock: bus.clock, randomness: bus.randomness, log: bus.log,
        make: make)
    }
    runners = [
      runner("gateway") { () throws(Interruption) in
        GatewayRole(
          bus: try RunningGateway.interrupting { () throws(BusError) in
            try GatewayBus.live(bus, wakeup: wakeup)
          }, desk: gateway.desk, service: gateway.service, life: gateway.life, clock: bus.clock,
          log: bus.log)
      },
      runner("notices") { () throws(Interruption) in
        NoticeRole(
          bus: try RunningGateway.interrupting { () throws(BusError) in try NoticeBus.live(bus) },
          changes: gateway.changes)
      },
      runner("http") { () throws(Interruption) in
        try ListenerRole(gateway, threads: 2) { bound in port.number.withLock { $0 = bound } }
      },
    ]
    (self.gateway, self.port) = (gateway, port)
    for runner in runners { try runner.start() }
  }

  private static func interrupting<Value>(
    _ body: () throws(BusError) -> Value
  ) throws(Interruption) -> Value {
    do throws(BusError) { return try body() } catch { throw .bus(error) }
  }

  /// Whether it serves: a reader has told it which service this is.
  package var isReady: Bool {
    runners.allSatisfy { $0.state == .working } && gateway.service.service != nil
  }

  package var url: String { "http://127.0.0.1:\(port.number.withLock { $0 })" }

  package func leave() { stop.ask() }

  package var hasLeft: Bool { runners.allSatisfy { $0.state == .stopped } }

  private final class Port: Sendable {
    let number = Mutex(0)
  }
}
