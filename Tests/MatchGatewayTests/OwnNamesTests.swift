import Logging
import MatchInterfaces
import MatchService
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("The names by which a gateway is asked", .ownThreads)
struct OwnNamesTests {
  /// The status of a request that comes by a name.
  func status(_ path: String, by host: String, at port: Int) throws -> Int {
    let client = try RawClient(port: port)
    client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    return try client.answer().status
  }

  // Failure: Problem.misdirected: A request came by another name, to a gateway that listens for its own
  //   machine. The name of `CUBIST_GATEWAY_URL` is known, and a believed proxy asks by any.
  @Test("A page of a stranger's domain that leads to this machine gets nothing, and sends nothing")
  func rebinding() throws {
    let lines = LogLines()
    let lab = try Lab(log: lines.logger()) { $0.publicAddress = "https://play.example" }
    let evil = "evil.example:\(lab.portNumber)"
    for path in ["/", "/v1/service", "/v1/ladder", "/v1/nothing"] {
      #expect(try status(path, by: evil, at: lab.portNumber) == 421)
    }
    let client = try lab.connect()
    // Nothing that a script of that page can write changes that.
    let body = try Actor(1).registration("Anna", id: 1)
    client.send(
      "POST /v1/events HTTP/1.1\r\nHost: \(evil)\r\nX-Forwarded-For: 127.0.0.1\r\n"
        + "Origin: http://\(evil)\r\nContent-Length: \(body.count)\r\n\r\n")
    client.send(body)
    let refused = try client.answer()
    #expect(refused.status == 421 && refused.text.contains("urn:cubist:problem:misdirected"))
    #expect(refused.text.contains("\"sent\":false") && lab.broker.messages.isEmpty)
    for host in ["127.0.0.1:\(lab.portNumber)", "localhost", "[::1]:80", "PLAY.example.:8443"] {
      #expect(try status("/v1/service", by: host, at: lab.portNumber) == 200, "\(host)")
    }
    let told = lines.all.filter { $0.contains("CUBIST_GATEWAY_URL") }
    #expect(told.count == 1 && told.first?.contains("evil.example") == true)
  }

  @Test("A proxy that is believed asks by any name, as nginx passes on the one of its client")
  func proxy() throws {
    let lab = try Lab { $0.proxies = [AddressRange("127.0.0.1")!] }
    #expect(try status("/v1/service", by: "play.example", at: lab.portNumber) == 200)
  }

  @Test("Metrics on a port of this machine are shown to no such page; health is told by any name")
  func metrics() throws {
    let lab = try Lab()
    let log = Logger(label: "lab") { _ in SwiftLogNoOpLogHandler() }
    let process = ServiceProcess(runners: lab.runners, stop: lab.stop, clock: .live, log: log)
    let health = try HealthServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), of: process, clock: .live, log: log)
    defer { health.stop() }
    #expect(try status("/metrics", by: "evil.example", at: health.port) == 421)
    #expect(try status("/metrics", by: "localhost:\(health.port)", at: health.port) == 200)
    #expect(try status("/health/live", by: "evil.example", at: health.port) == 200)
  }

  @Test(
    "Addresses and names of this machine are known, whatever the port, the letters and the last dot",
    arguments: [
      ("localhost", true), ("LOCALHOST.:80", true), ("play.localhost", true), ("127.0.0.1", true),
      ("192.0.2.1:8080", true), ("[::1]", true), ("[2001:db8::1]:80", true),
      ("play.example", true), ("play.example:443", true), ("www.play.example", false),
      ("localhost.example", false), ("evillocalhost", false), ("127.0.0.1.example", false),
      ("example", false), ("", false), (":80", false), ("[::1", false), ("localhost\u{301}", false),
    ])
  func names(_ host: String, _ isKnown: Bool) {
    for listen in ["127.0.0.1", "::1", "localhost", "127.1.2.3"] {
      let names = OwnNames(
        at: ListenAddress(host: listen, port: 80), origin: "https://play.example")
      #expect(names.contain(host) == isKnown, "\(listen)")
    }
    for listen in ["0.0.0.0", "::", "10.0.0.1", "gateway.example"] {
      #expect(OwnNames(at: ListenAddress(host: listen, port: 80)).contain(host), "\(listen)")
    }
  }

  @Test("The log names few names that anybody makes up")
  func told() {
    let (lines, names) = (LogLines(), OwnNames(at: ListenAddress(host: "127.0.0.1", port: 80)))
    for number in 1...100 {
      names.warn(of: "a\(number).\(String(repeating: "x", count: 9_000))", help: "", lines.logger())
    }
    #expect(lines.all.count == OwnNames.limit && lines.all.allSatisfy { $0.count < 300 })
  }
}
