import Glibc
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
  private static let bindTime: Duration = .seconds(10)
  /// How long connections get to close after the last answers.
  private static let closeTime: Duration = .seconds(4)

  private let gateway: Gateway
  private let group: MultiThreadedEventLoopGroup
  private let server: Server<GatewayChild>
  private let outcome = Outcome()
  private let ticks: RepeatedTask
  private var measuredAt: UInt64 = 0

  /// Begins to listen.
  /// - Parameter bound: Told the port.
  /// - Throws: `Interruption.listener` if it cannot listen there.
  package init(
    _ gateway: Gateway, threads: Int = System.coreCount, bound: (Int) -> Void = { _ in }
  ) throws(Interruption) {
    self.gateway = gateway
    group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, min(threads, 8)))
    let listen = gateway.settings.listen
    let outcome = outcome
    server = Server(
      childChannelSetup: GatewayChild(gateway: gateway, date: HTTPDate(clock: gateway.clock)),
      configuration: ServerConfiguration(
        address: .hostname(listen.host, port: listen.port), backlog: 1_024),
      onServerRunning: { channel in
        // An error of one accepted connection, such as too many open files, must not end all.
        try? await channel.pipeline.addHandler(AcceptErrors(gateway.log), position: .first)
        outcome.set(.listening(port: channel.localAddress?.port ?? listen.port))
      },
      eventLoopGroup: group, logger: gateway.log)
    ticks = group.next().scheduleRepeatedTask(
      initialDelay: ListenerRole.tick, delay: ListenerRole.tick
    ) { _ in gateway.tick() }
    let server = server
    Task {
      do {
        try await server.run()
        outcome.set(.ended)
      } catch {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
        outcome.set(.failed(reason ?? "\(error)"))
      }
    }
    switch wait(ListenerRole.bindTime, while: { $0 == .starting }) {
    case .listening(let port):
      gateway.changes.serve()
      gateway.life.serve()
      bound(port)
      gateway.log.info("listening", metadata: ["address": "\(listen.host)", "port": "\(port)"])
    case .failed(let reason):
      stop()
      throw .listener(ListenerRole.text(listen, reason))
    case .starting, .ended:
      stop()
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
      gateway.meters.open(
        connections: gateway.wall.count(of: .connection), streams: gateway.changes.count,
        waits: gateway.wall.count(of: .wait))
    }
    switch outcome.get() {
    case .listening: gateway.clock.sleep(ListenerRole.pause)
    default: throw .listener("the listener has ended")
    }
    return 0
  }

  /// Takes nothing new, lets what is open end, and closes.
  package func leave() {
    gateway.life.leave(at: gateway.clock.uptimeNanoseconds())
    gateway.changes.leave()
    let (server, outcome) = (server, outcome)
    Task {
      try? await server.shutdownGracefully()
      outcome.set(.ended)
    }
    _ = wait(GatewayLife.drainTime, while: { $0 != .ended })
    gateway.desk.cancelAll()
    _ = wait(ListenerRole.closeTime, while: { $0 != .ended })
    gateway.life.close()
    stop()
  }

  private func stop() {
    ticks.cancel()
    // Closes every connection that is left.
    try? group.syncShutdownGracefully()
  }

  private func wait(
    _ limit: Duration, while isGoing: (Outcome.Value) -> Bool
  ) -> Outcome.Value {
    let end = gateway.clock.uptimeNanoseconds() &+ UInt64(limit / .nanoseconds(1))
    while isGoing(outcome.get()), gateway.clock.uptimeNanoseconds() < end {
      gateway.clock.sleep(.milliseconds(10))
    }
    return outcome.get()
  }

  /// How far the listener has come.
  private final class Outcome: Sendable {
    enum Value: Hashable, Sendable {
      case starting
      case listening(port: Int)
      case failed(String)
      case ended
    }

    private let value = Mutex(Value.starting)

    func set(_ new: Value) { value.withLock { $0 = new } }
    func get() -> Value { value.withLock { $0 } }
  }
}

/// Swallows the errors of accepting: the connections that there are go on.
private final class AcceptErrors: ChannelInboundHandler, Sendable {
  typealias InboundIn = any Channel

  private let log: Logger

  init(_ log: Logger) { self.log = log }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    log.warning("a connection was not accepted", metadata: ["reason": "\(error)"])
  }
}
