import Glibc
import HTTPServer
import Logging
import MatchInterfaces
package import MatchService
import SystemCalls

/// Listens for clients of a gateway, as long as the role lives.
package final class ListenerRole: Role {
  private static let pause: Duration = .milliseconds(50)
  /// How long connections get to close after the last answers, and once they are closed.
  private static let closeTime: Duration = .seconds(4)
  private static let endTime: Duration = .seconds(2)

  /// The processors of this machine.
  package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  private let gateway: Gateway
  private let server: HTTPServer
  private let refused: RefusedConnections
  private var measuredAt: UInt64 = 0

  /// Begins to listen.
  /// - Parameter bound: Told the port.
  /// - Throws: `Interruption.listener` if it cannot listen there.
  package init(
    _ gateway: Gateway, threads: Int = ListenerRole.coreCount, bound: (Int) -> Void = { _ in }
  ) throws(Interruption) {
    self.gateway = gateway
    refused = RefusedConnections(clock: gateway.clock, log: gateway.log)
    _ = WebPage.shared
    let handler = GatewayHandler(
      gateway: gateway, dates: HTTPDate(clock: gateway.clock), refused: refused)
    var settings = HTTPServer.Settings(gateway.settings)
    settings.threads = max(1, min(threads, 8))
    let listen = gateway.settings.listen
    do throws(SystemError) {
      server = try HTTPServer.listening(at: listen, settings, handler)
    } catch {
      throw .listener(
        "cannot listen at \(listen): \(error); correct \(SettingName.gatewayListen.rawValue)")
    }
    gateway.changes.serve()
    gateway.life.serve()
    bound(server.port)
    gateway.log.info(
      "listening",
      metadata: ["address": "\(listen.host)", "port": .stringConvertible(server.port)])
  }

  /// Counts and logs.
  package func step() -> Int {
    let now = gateway.clock.uptimeNanoseconds()
    if now &- measuredAt >= 1_000_000_000 {
      measuredAt = now
      gateway.meters.logLimits(gateway.log, at: now)
      refused.look()
      gateway.meters.open(
        connections: gateway.wall.count(of: .connection), streams: gateway.changes.count,
        waits: gateway.wall.count(of: .wait))
    }
    gateway.clock.sleep(ListenerRole.pause)
    return 0
  }

  /// Takes nothing new, lets what is open end, and closes.
  package func leave() {
    gateway.life.leave(at: gateway.clock.uptimeNanoseconds())
    gateway.changes.leave()
    server.stop()
    wait(GatewayLife.drainTime)
    gateway.desk.cancelAll()
    wait(ListenerRole.closeTime)
    server.closeAll()
    wait(ListenerRole.endTime)
    gateway.life.close()
  }

  /// Waits until the server is over, for a while at most.
  private func wait(_ limit: Duration) { server.wait(limit, gateway.clock) }
}

extension HTTPServer.Settings {
  fileprivate init(_ settings: GatewaySettings) {
    self.init(
      request: RequestReader.Limits(
        headBytes: settings.headerBytes, fieldCount: settings.headerCount,
        bodyBytes: settings.bodyBytes),
      times: ConnectionTimes.Limits(
        idle: settings.idleTime, head: settings.headTime, body: settings.bodyTime,
        write: settings.writeTime))
    backlog = 1_024
  }
}

extension HTTPServer {
  static func listening(
    at listen: ListenAddress, _ settings: Settings, _ handler: any HTTPHandler
  ) throws(SystemError) -> HTTPServer {
    try HTTPServer(at: listen.host, port: listen.port, settings, handler) {
      body throws(SystemError) in
      do throws(ThreadFailure) { try WorkThread.start(body) } catch {
        throw SystemError(code: error.code)
      }
    }
  }

  /// Waits until it is over, for a while at most.
  func wait(_ limit: Duration, _ clock: WallClock) {
    let end = clock.uptimeNanoseconds() &+ UInt64(limit / .nanoseconds(1))
    while !isOver, clock.uptimeNanoseconds() < end { clock.sleep(.milliseconds(5)) }
  }
}
