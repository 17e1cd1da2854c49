import HTTPServer
package import Logging
package import MatchInterfaces
package import MatchService
package import ServiceMetrics
import SystemCalls

/// Why health cannot be told.
package struct HealthFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var listen: ListenAddress
  package var reason: String

  /// The text for a person.
  package var description: String {
    "cannot listen at \(listen) for questions about health: \(reason); correct "
      + SettingName.healthListen.rawValue
  }
}

/// Tells operators' programs how the roles of this process are, by `/health/live` and `/health/ready`,
/// and its metrics, by `/metrics`.
/// It has no limits, and belongs on a port that strangers cannot reach. On a loopback port it refuses
/// requests for metrics whose `Host` is another machine's. It tells health whatever `Host` says: load
/// balancers write anything there.
package final class HealthServer: Sendable {
  private static let endTime: Duration = .seconds(2)

  private let server: HTTPServer
  private let clock: WallClock
  /// The port that it listens at.
  package var port: Int { server.port }

  /// Begins to listen.
  package init(
    at listen: ListenAddress, of process: ServiceProcess, clock: WallClock, log: Logger,
    metrics: @escaping @Sendable (ExpositionFormat) -> [UInt8] = { _ in [] }
  ) throws(HealthFailure) {
    self.clock = clock
    let handler = HealthHandler(
      process: process, metrics: metrics, names: OwnNames(at: listen), clock: clock,
      dates: HTTPDate(clock: clock), log: log, refused: RefusedConnections(clock: clock, log: log))
    do throws(SystemError) {
      server = try HTTPServer.listening(at: listen, HealthHandler.settings, handler)
    } catch {
      throw HealthFailure(listen: listen, reason: "\(error)")
    }
  }

  /// Listens no more.
  package func stop() {
    server.stop()
    server.wait(HealthServer.endTime, clock)
  }
}

private struct HealthHandler: HTTPHandler {
  /// How long a part of a request may take, and how long a connection is kept.
  private static let time: Duration = .seconds(30)

  static var settings: HTTPServer.Settings {
    HTTPServer.Settings(
      request: RequestReader.Limits(headBytes: 16_384, fieldCount: 100, bodyBytes: 65_536),
      times: ConnectionTimes.Limits(idle: time, head: time, body: time, write: time))
  }

  let process: ServiceProcess
  let metrics: @Sendable (ExpositionFormat) -> [UInt8]
  let names: OwnNames
  let clock: WallClock
  let dates: HTTPDate
  let log: Logger
  let refused: RefusedConnections

  func respond(to request: HTTPRequest, from _: ClientConnection) async -> HTTPAnswer {
    .whole(response(to: request))
  }

  private func response(to request: HTTPRequest) -> HTTPResponse {
    guard ["GET", "HEAD"].contains(request.method) else {
      return HTTPResponse(.methodNotAllowed(["GET", "HEAD"]))
    }
    let report = HealthReport(of: process, at: clock.uptimeNanoseconds())
    switch request.target.prefix(while: { $0 != "?" }) {
    case "/health/live": return whole(report.body("live", report.isLive), isWell: report.isLive)
    case "/health/ready": return whole(report.body("ready", report.isReady), isWell: report.isReady)
    case "/metrics":
      let host = request.fields.values("host").first ?? ""
      guard names.contain(host) else {
        names.warn(of: host, help: "ask for metrics by an address, or by localhost", log)
        return HTTPResponse(.misdirected)
      }
      let format = ExpositionFormat(accepted: request.fields.values("accept"))
      return whole(metrics(format), mediaType: format.mediaType)
    default: return HTTPResponse(.notFound)
    }
  }

  private func whole(
    _ body: [UInt8], mediaType: String = "application/json", isWell: Bool = true
  ) -> HTTPResponse {
    var response = HTTPResponse(status: isWell ? 200 : 503, body: body, mediaType: mediaType)
    response.fields = [("Cache-Control", "no-store")]
    return response
  }

  func explain(_ refusal: HTTPRefusal, to _: ClientConnection) -> HTTPResponse {
    HTTPResponse(Problem(refusal, bodyLimit: HealthHandler.settings.request.bodyBytes))
  }

  func failed(_ error: SystemError) { refused.note(error) }

  func tick() { refused.look() }

  func date() -> String { dates.text }

  func admit(_: ClientConnection) -> HTTPResponse? { nil }
  func left(_: ClientConnection) {}
  func gaveUp(_: ClientConnection, _: ConnectionTimes.Expiry) {}
}
