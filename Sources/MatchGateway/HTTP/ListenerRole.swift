import HummingbirdCore
import Logging
import MatchInterfaces
package import MatchService
import NIOCore
import NIOPosix
import Synchronization

/// Listens for clients of a gateway, as long as the role lives.
package final class ListenerRole: Role {
  private static let tick: TimeAmount = .milliseconds(100)
  private static let pause: Duration = .milliseconds(50)
  /// How long connections get to close after the last answers, and once they are closed.
  private static let closeTime: Duration = .seconds(4)
  private static let endTime: Duration = .seconds(2)

  private let gateway: Gateway
  private let connections: OpenConnections
  private let server: RunningServer<GatewayChild>
  private let refused: RefusedConnections
  private var measuredAt: UInt64 = 0

  /// Begins to listen.
  /// - Parameter bound: Told the port.
  /// - Throws: `Interruption.listener` if it cannot listen there.
  package init(
    _ gateway: Gateway, threads: Int = System.coreCount, bound: (Int) -> Void = { _ in }
  ) throws(Interruption) {
    self.gateway = gateway
    let (listen, connections) = (gateway.settings.listen, OpenConnections())
    self.connections = connections
    let refused = RefusedConnections(clock: gateway.clock, log: gateway.log)
    self.refused = refused
    _ = WebPage.shared
    server = RunningServer(
      GatewayChild(
        gateway: gateway, date: HTTPDate(clock: gateway.clock), connections: connections),
      at: listen.host, port: listen.port, backlog: 1_024, threads: max(1, min(threads, 8)),
      clock: gateway.clock, log: gateway.log
    ) { channel in
      // An error of one accepted connection, such as too many open files, must not end all.
      try? await channel.pipeline.addHandler(AcceptErrors(refused), position: .first)
    }
    // It ends with its loop.
    server.group.next().scheduleRepeatedTask(
      initialDelay: ListenerRole.tick, delay: ListenerRole.tick
    ) { _ in gateway.tick() }
    switch server.wait(RunningServer<GatewayChild>.bindTime, until: { $0 != .starting }) {
    case .listening(let port):
      gateway.changes.serve()
      gateway.life.serve()
      bound(port)
      gateway.log.info(
        "listening", metadata: ["address": "\(listen.host)", "port": .stringConvertible(port)])
    case .failed(let reason):
      server.stop()
      throw .listener(ListenerRole.text(listen, reason))
    case .starting, .ended, .closed:
      server.stop()
      throw .listener(ListenerRole.text(listen, "the system does not answer"))
    }
  }

  private static func text(_ listen: ListenAddress, _ reason: String) -> String {
    "cannot listen at \(listen): \(reason); correct \(SettingName.gatewayListen.rawValue)"
  }

  /// Looks whether it still listens.
  package func step() throws(Interruption) -> Int {
    let now = gateway.clock.uptimeNanoseconds()
    if now &- measuredAt >= 1_000_000_000 {
      measuredAt = now
      gateway.meters.logLimits(gateway.log, at: now)
      refused.look()
      gateway.meters.open(
        connections: gateway.wall.count(of: .connection), streams: gateway.changes.count,
        waits: gateway.wall.count(of: .wait))
    }
    guard case .listening = server.state else { throw .listener("the listener has ended") }
    gateway.clock.sleep(ListenerRole.pause)
    return 0
  }

  /// Takes nothing new, lets what is open end, and closes.
  package func leave() {
    gateway.life.leave(at: gateway.clock.uptimeNanoseconds())
    gateway.changes.leave()
    server.stop()
    server.wait(GatewayLife.drainTime, until: ListenerRole.isOver)
    gateway.desk.cancelAll()
    server.wait(ListenerRole.closeTime, until: ListenerRole.isOver)
    connections.closeAll()
    server.wait(ListenerRole.endTime, until: ListenerRole.isOver)
    gateway.life.close()
  }

  private static func isOver(_ state: RunningServer<GatewayChild>.State) -> Bool {
    state == .ended || state == .closed
  }
}

/// Swallows the errors of accepting: the connections that there are go on.
private final class AcceptErrors: ChannelInboundHandler, Sendable {
  typealias InboundIn = any Channel

  private let refused: RefusedConnections

  init(_ refused: RefusedConnections) { self.refused = refused }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { refused.note(error) }
}

/// The connections that the system did not accept, as the log tells them.
private final class RefusedConnections: Sendable {
  /// A minute without one ends the incident.
  private let incident = Mutex(
    Incident(
      Incident.Messages(
        began: "a connection was not accepted", lasts: "connections are still not accepted",
        ended: "connections are accepted again"), calm: .seconds(60)))
  private let clock: WallClock
  private let log: Logger

  init(clock: WallClock, log: Logger) { (self.clock, self.log) = (clock, log) }

  func note(_ error: any Error) {
    log.write(
      incident.withLock { $0.failed(at: clock.uptimeNanoseconds()) },
      metadata: ["reason": "\(error)"])
  }

  /// Called once a second.
  func look() {
    log.write(incident.withLock { $0.wentWell(at: clock.uptimeNanoseconds()) })
  }
}
