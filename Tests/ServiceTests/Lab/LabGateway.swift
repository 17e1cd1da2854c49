import BrokerManagement
import Chaos
import EventBusLive
import InMemoryLogging
import Logging
import MatchCore
import MatchGateway
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RawHTTP
import RealServers
import SystemCalls
import TestedService

@testable import cubistd

/// A gateway of a lab, with the rights of a gateway's user at the broker.
final class LabGateway: Sendable {
  let port: Int
  let runners: [RoleRunner]
  private let stop = StopSignal()
  private let log = InMemoryLogHandler()

  /// - Parameters:
  ///   - broker: The URL, if a proxy is in front.
  ///   - change: Changes what comes from the notices' bus.
  init(
    in lab: ServiceLab, broker: String? = nil,
    _ change: @escaping @Sendable (NoticeBus) -> NoticeBus = { $0 }
  ) throws {
    port = try HTTPPort.choose(asked: nil, last: nil)
    var settings = GatewaySettings(listen: ListenAddress(host: "127.0.0.1", port: port))
    settings.requestsPerKey = nil
    let wakeup = try Wakeup()
    let bus = try lab.context(broker ?? lab.gatewayURL())
    var detailed = Logger(label: "gateway") { [log] _ in log }
    detailed.logLevel = .debug
    let logger = detailed
    let gateway = Gateway(
      settings, clock: .live, randomness: .live, log: logger, wake: { wakeup.wake() })
    let stop = stop
    let runner = {
      (name: String, make: @escaping @Sendable () throws(Interruption) -> any Role) in
      RoleRunner(
        name: name, stop: stop, clock: .live, randomness: .live, log: ServiceLab.log, make: make)
    }
    runners = [
      runner(
        "gateway",
        { () throws(Interruption) in
          GatewayRole(
            bus: try interruptingBus(try GatewayBus.live(bus, wakeup: wakeup)), desk: gateway.desk,
            service: gateway.service, life: gateway.life, clock: .live, log: logger)
        }),
      runner(
        "notices",
        { () throws(Interruption) in
          NoticeRole(
            bus: change(try interruptingBus(try NoticeBus.live(bus))), changes: gateway.changes)
        }),
      runner("http", { () throws(Interruption) in try ListenerRole(gateway) }),
    ]
    for runner in runners { try runner.start() }
    try waitUntil("the gateway serves") { try serves() }
  }

  deinit { stop.ask() }

  /// Whether it works and knows its service.
  func serves() throws -> Bool {
    guard runners.allSatisfy({ $0.state == .working }) else { return false }
    return try connect().ask("GET", "/v1/service").status == 200
  }

  func leave() throws {
    stop.ask()
    try waitUntil("the gateway has left") { runners.allSatisfy { $0.state == .stopped } }
  }

  func connect() throws -> RawClient { try RawClient(port: port) }

  /// Posts an envelope on a connection of its own. The gateway is to wait for the answer as long as it
  /// can.
  func post(
    _ path: String, _ body: [UInt8], _ fields: [String] = ["Prefer: wait=25"]
  ) throws -> RawClient.Answer {
    let client = try connect()
    client.send(RawClient.request("POST", path, fields, body))
    return try client.answer(seconds: 60)
  }

  /// The lines of its log.
  var lines: [String] { log.entries.map { "\($0.message) \($0.metadata)" } }
}

extension ServiceLab {
  /// The URL that gateways connect with.
  func gatewayURL() throws -> String {
    try host.addUser("gateway", .gateway())
  }
}

extension LabPlayer {
  /// A signed query of now.
  func query(_ kind: Query.Kind) -> [UInt8] {
    let id = EventID(at: WallClock.live.now(), random: Randomness.live.next128())
    return Envelope.encode(
      key.signer.sign(Query(service: service, id: id, player: self.id, kind: kind)))
  }
}
