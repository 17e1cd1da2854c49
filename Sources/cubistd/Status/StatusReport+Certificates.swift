import EventBusLive
import LibCurl
import MatchCore
import MatchInterfaces
import MatchService

/// The certificate of a server that the settings name.
struct ServerCertificate: Equatable, Sendable {
  /// From so many days before the end on there is a finding.
  static let warningDays: Int64 = 14
  /// From so many days before the end on it is critical.
  static let criticalDays: Int64 = 3

  /// The server's name for a person.
  var server: String
  /// Host and port.
  var endpoint: String
  /// The protocol that begins before TLS, as `openssl s_client -starttls` names it.
  var startsWith: String?
  var end: Instant

  /// Prints the end of what a server shows, who has signed it, and the hosts that it is for.
  static func command(endpoint: String, startsWith: String?) -> String {
    let way = startsWith.map { " -starttls \($0)" } ?? ""
    return "openssl s_client\(way) -connect \(endpoint) </dev/null 2>/dev/null "
      + "| openssl x509 -noout -enddate -issuer -ext subjectAltName"
  }

  /// Whole days until a certificate ends; negative: it ended on an earlier day.
  static func days(from now: Instant, until end: Instant) -> Int64 {
    let day: Int64 = 86_400_000_000
    let left = end.microseconds(since: now)
    return left / day - (left % day < 0 ? 1 : 0)
  }

  /// Nil as long as there is time.
  func finding(at now: Instant) -> Finding? {
    let days = Self.days(from: now, until: end)
    guard days < Self.warningDays else { return nil }
    let when =
      days < 0
      ? "ended at \(end), and clients refuse it"
      : "ends in \(PlainText.count(Int(clamping: days), "day")), at \(end); then clients refuse it"
    return Finding(
      "certificateEnds", "the certificate of \(server) at \(endpoint) \(when)",
      "renew it and let the server read it; docs/runbook.md says how its end is printed",
      command: Self.command(endpoint: endpoint, startsWith: startsWith),
      severity: days < Self.criticalDays ? .critical : nil)
  }
}

extension StatusReport {
  /// How long a look at one certificate may take, and where a server did not answer before.
  private static let lookTimes = (usual: Duration.seconds(2), short: Duration.milliseconds(500))

  /// Certificates that end soon.
  func certificateFindings() -> [Finding] {
    guard let now = status?.now ?? lookedAt else { return [] }
    return certificates.compactMap { $0.finding(at: now) }
  }

  /// Looks at the certificates of the broker, of its management API and of the page. One that cannot
  /// be seen is left out: a server that is away has a finding of its own.
  mutating func lookAtCertificates(
    broker: [String], management: String?, page: String?
  ) {
    let servers =
      broker.map { ("RabbitMQ", $0) }
      + [("RabbitMQ's management API", management), ("the page", page)].compactMap { server in
        server.1.map { (server.0, $0) }
      }
    var settings = CurlSettings()
    let time = failures.isEmpty ? Self.lookTimes.usual : Self.lookTimes.short
    (settings.connectTimeout, settings.timeout) = (time, time)
    for (server, endpoint) in servers {
      guard let client = try? CurlClient(settings),
        let end = try? client.certificateEnd(of: endpoint)
      else { continue }
      note(ServerCertificate(server: server, endpoint: endpoint, end: Instant(seconds: end)))
    }
  }

  /// Keeps a certificate instead of what the same server showed before.
  mutating func note(_ certificate: ServerCertificate) {
    certificates.removeAll {
      $0.server == certificate.server && $0.endpoint == certificate.endpoint
    }
    certificates.append(certificate)
  }

  /// Host and port of an HTTPS origin; nil of any other.
  static func secureEndpoint(ofOrigin origin: String) -> String? {
    guard origin.lowercased().hasPrefix("https://") else { return nil }
    let place = origin.dropFirst("https://".count)
    let afterAddress = place.lastIndex(of: "]").map { place[$0...] } ?? place
    return afterAddress.contains(":") ? String(place) : "\(place):443"
  }
}

extension Instant {
  /// Of seconds since 1970; saturates.
  init(seconds: Int64) { self = Instant(microseconds: 0).adding(seconds: seconds) }
}
