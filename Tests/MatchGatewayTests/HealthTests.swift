import Logging
import MatchInterfaces
import MatchService
import RawHTTP
import RealServers
import Testing

@testable import MatchGateway

@Suite("Health by HTTP", .ownThreads, .timeLimit(.minutes(1)))
struct HealthTests {
  let log = Logger(label: "lab") { _ in SwiftLogNoOpLogHandler() }

  @Test("Health is told at its own address, and an address in use is named")
  func server() throws {
    let lab = try Lab()
    let process = ServiceProcess(runners: lab.runners, stop: lab.stop, clock: .live, log: log)
    let listen = ListenAddress(host: "127.0.0.1", port: 0)
    let health = try HealthServer(at: listen, of: process, clock: .live, log: log)
    defer { health.stop() }
    let client = try RawClient(port: health.port)
    let ready = try client.ask("GET", "/health/ready")
    #expect(ready.status == 200)
    #expect(
      ready.text
        == "{\"ready\":true,\"roles\":[{\"name\":\"gateway\",\"state\":\"working\"},"
        + "{\"name\":\"notices\",\"state\":\"working\"},{\"name\":\"http\",\"state\":\"working\"}]}"
    )
    #expect(try client.ask("HEAD", "/health/live").status == 200)
    #expect(try client.ask("GET", "/health").status == 404)
    #expect(try client.ask("POST", "/health/live", [], [1]).status == 405)
    lab.broker.goDown()
    try wait("it is not ready") { try client.ask("GET", "/health/ready").status == 503 }
    let reasons = try client.ask("GET", "/health/ready")
    #expect(reasons.text.contains("{\"name\":\"gateway\",\"state\":\"interrupted\""))
    #expect(try client.ask("GET", "/health/live").status == 200)
    lab.broker.comeBack()
    try wait("it is ready again") { try client.ask("GET", "/health/ready").status == 200 }
    let taken = ListenAddress(host: "127.0.0.1", port: health.port)
    #expect(throws: HealthFailure.self) {
      try HealthServer(at: taken, of: process, clock: .live, log: log)
    }
  }

  @Test("A gateway names the address that it cannot listen at, with its setting")
  func addressInUse() throws {
    let lab = try Lab()
    let listen = ListenAddress(host: "127.0.0.1", port: lab.portNumber)
    let gateway = Gateway(
      GatewaySettings(listen: listen), clock: .live, randomness: .live, log: log, wake: {})
    let failure = #expect(throws: Interruption.self) { try ListenerRole(gateway) }
    let text = "\(try #require(failure))"
    #expect(text.contains("\(listen): Address already in use"))
    #expect(text.contains("CUBIST_GATEWAY_LISTEN"))
  }
}
