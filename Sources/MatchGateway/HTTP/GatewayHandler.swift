import HTTPServer
import Logging
import MatchInterfaces
import MatchService
import Synchronization
import SystemCalls

/// What a gateway does with connections and requests.
struct GatewayHandler: HTTPHandler {
  let gateway: Gateway
  let dates: HTTPDate
  let refused: RefusedConnections

  func admit(_ client: ClientConnection) -> HTTPResponse? {
    do throws(Wall.Refusal) {
      try gateway.wall.enter(.connection, counted(client))
      return nil
    } catch {
      gateway.meters.limited(error.limit)
      let problem = Problem(error)
      gateway.meters.problem(problem)
      return HTTPResponse(problem)
    }
  }

  func left(_ client: ClientConnection) { gateway.wall.leave(.connection, counted(client)) }

  func respond(to request: HTTPRequest, from client: ClientConnection) async -> HTTPAnswer {
    await Responder(gateway: gateway).respond(request, client)
  }

  /// Counts a request that never reaches the responder, which counts all others.
  func explain(_ refusal: HTTPRefusal, to client: ClientConnection) -> HTTPResponse {
    if let limit = Limit(refusal) { gateway.meters.limited(limit) }
    var problem = Problem(refusal, bodyLimit: gateway.settings.bodyBytes)
    do throws(Wall.Refusal) { try gateway.wall.request(from: counted(client)) } catch {
      gateway.meters.limited(error.limit)
      problem = Problem(error)
    }
    gateway.meters.problem(problem)
    return HTTPResponse(problem)
  }

  func gaveUp(_ client: ClientConnection, _ why: ConnectionTimes.Expiry) {
    switch why {
    case .idle: gateway.meters.limited(.idleTime)
    case .slowReader: gateway.meters.limited(.slowReader)
    case .head, .body, .closing: break
    }
  }

  func failed(_ error: SystemError) { refused.note(error) }

  func tick() { gateway.tick() }

  func date() -> String { dates.text }

  /// The address whose limits count; nil for a proxy's.
  private func counted(_ client: ClientConnection) -> InternetAddress? {
    gateway.wall.isProxy(client.address) ? nil : client.address
  }
}

extension ClientConnection {
  /// The address at its other end.
  var address: InternetAddress? { peer.map { InternetAddress(bits: $0) } }
}

extension Limit {
  /// The limit that was reached; nil: none was.
  fileprivate init?(_ refusal: HTTPRefusal) {
    switch refusal {
    case .headTooLarge: self = .headerSize
    case .bodyTooLarge: self = .bodySize
    case .headTimeout: self = .headTime
    case .bodyTimeout: self = .bodyTime
    case .pipelining: self = .pipelining
    case .malformed, .versionNotSupported, .codingNotImplemented, .expectationFailed: return nil
    }
  }
}

/// The connections that the system did not accept, as the log tells them.
final class RefusedConnections: Sendable {
  /// A minute without one ends the incident.
  private let incident = Mutex(
    Incident(
      Incident.Messages(
        began: "a connection was not accepted", lasts: "connections are still not accepted",
        ended: "connections are accepted again"), calm: .seconds(60)))
  private let clock: WallClock
  private let log: Logger

  init(clock: WallClock, log: Logger) { (self.clock, self.log) = (clock, log) }

  func note(_ error: SystemError) {
    log.write(
      incident.withLock { $0.failed(at: clock.uptimeNanoseconds()) },
      metadata: ["reason": "\(error)"])
  }

  /// Called once a second.
  func look() {
    log.write(incident.withLock { $0.wentWell(at: clock.uptimeNanoseconds()) })
  }
}
