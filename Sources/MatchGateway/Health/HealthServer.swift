import Hummingbird
import HummingbirdCore
package import Logging
package import MatchInterfaces
package import MatchService
import NIOCore
package import ServiceMetrics

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
/// It has no limits, and belongs on a port that strangers cannot reach.
package final class HealthServer: Sendable {
  /// How long a head may take, and how long a connection is kept.
  private static let idleTime: TimeAmount = .seconds(30)
  private static let endTime: Duration = .seconds(2)

  private let server: RunningServer<HTTP1Channel>
  /// The port that it listens at.
  package let port: Int

  /// Begins to listen.
  package init(
    at listen: ListenAddress, of process: ServiceProcess, clock: WallClock, log: Logger,
    metrics: @escaping @Sendable (ExpositionFormat) -> [UInt8] = { _ in [] }
  ) throws(HealthFailure) {
    var quiet = log
    quiet.logLevel = max(log.logLevel, .warning)
    let channel = HTTP1Channel(
      responder: { request, writer, _ in
        let report = HealthReport(of: process, at: clock.uptimeNanoseconds())
        try await HealthServer.answer(request, report, metrics, writer)
      },
      configuration: .init(idleTimeout: HealthServer.idleTime))
    server = RunningServer(
      channel, at: listen.host, port: listen.port, threads: 1, clock: clock, log: quiet)
    switch server.wait(RunningServer<HTTP1Channel>.bindTime, until: { $0 != .starting }) {
    case .listening(let port): self.port = port
    case .failed(let reason):
      server.stop()
      throw HealthFailure(listen: listen, reason: reason)
    case .starting, .ended, .closed:
      server.stop()
      throw HealthFailure(listen: listen, reason: "it takes too long")
    }
  }

  /// Listens no more.
  package func stop() {
    server.stop()
    server.wait(HealthServer.endTime) { $0 == .ended || $0 == .closed }
  }

  @concurrent
  private static func answer(
    _ request: Request, _ report: HealthReport,
    _ metrics: @Sendable (ExpositionFormat) -> [UInt8], _ writer: consuming ResponseWriter
  ) async throws {
    let path = (request.head.path ?? "").prefix { $0 != "?" }
    var response =
      switch path {
      case "/health/live": whole(report.isLive, report.body("live", report.isLive))
      case "/health/ready": whole(report.isReady, report.body("ready", report.isReady))
      case "/metrics": exposition(request, metrics)
      default: GatewayResponse(.notFound)
      }
    let isKnown = ["GET", "HEAD"].contains(request.head.method.rawValue)
    if !isKnown { response = GatewayResponse(.methodNotAllowed(["GET", "HEAD"])) }
    let head = response.head(with: [("Cache-Control", "no-store")], closing: false)
    if request.head.method.rawValue == "HEAD" {
      try await writer.writeResponse(head)
    } else {
      try await writer.write(
        response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }
  }

  private static func exposition(
    _ request: Request, _ metrics: @Sendable (ExpositionFormat) -> [UInt8]
  ) -> GatewayResponse {
    let format = ExpositionFormat(accepted: request.headers[values: .accept])
    return GatewayResponse(status: 200, body: metrics(format), mediaType: format.mediaType)
  }

  private static func whole(_ isWell: Bool, _ body: [UInt8]) -> GatewayResponse {
    GatewayResponse(status: isWell ? 200 : 503, body: body)
  }
}
