import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import RealServers
import Synchronization
import SystemCalls
import Testing

@testable import MatchGateway

@Suite("Health by HTTP", .ownThreads)
struct HealthTests {
  let log = Logger(label: "lab") { _ in SwiftLogNoOpLogHandler() }

  // Failure: HealthFailure: Nobody can listen at the address for questions about health. The
  //   process does not start.
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
    // The roles notice it one after another.
    try wait("it is not ready, and says who waits") {
      let answer = try client.ask("GET", "/health/ready")
      return answer.status == 503
        && answer.text.contains("{\"name\":\"gateway\",\"state\":\"interrupted\"")
    }
    #expect(try client.ask("GET", "/health/live").status == 200)
    lab.broker.comeBack()
    try wait("it is ready again") { try client.ask("GET", "/health/ready").status == 200 }
    let taken = ListenAddress(host: "127.0.0.1", port: health.port)
    #expect(throws: HealthFailure.self) {
      try HealthServer(at: taken, of: process, clock: .live, log: log)
    }
  }

  @Test("Metrics are served beside health, in the format that the reader asks for")
  func metrics() throws {
    let lab = try Lab()
    let process = ServiceProcess(runners: lab.runners, stop: lab.stop, clock: .live, log: log)
    let health = try HealthServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), of: process, clock: .live, log: log,
      metrics: { format in Array("\(format)".utf8) })
    defer { health.stop() }
    let client = try RawClient(port: health.port)
    let plain = try client.ask("GET", "/metrics")
    #expect(plain.status == 200 && plain.text == "prometheus")
    let type = plain.fields.first { $0.name.lowercased() == "content-type" }?.value
    #expect(type == "text/plain; version=0.0.4; charset=utf-8")
    let open = try client.ask("GET", "/metrics", ["Accept: application/openmetrics-text"])
    #expect(open.text == "openMetrics")
    #expect(try client.ask("POST", "/metrics", [], [1]).status == 405)
  }

  @Test("A gateway that was asked to end is not ready from then on, while open requests end")
  func ending() throws {
    let lab = try Lab(clock: HandClock().clock)
    let process = ServiceProcess(runners: lab.runners, stop: lab.stop, clock: .live, log: log)
    let health = try HealthServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), of: process, clock: .live, log: log)
    defer { health.stop() }
    let open = try lab.connect()
    open.send(RawClient.request("POST", "/v1/queries", [], try Actor(1).query(.whoAmI)))
    try wait("a request is open") { lab.broker.messages.count == 1 }
    let client = try RawClient(port: health.port)
    #expect(try client.ask("GET", "/health/ready").status == 200)
    lab.stop.ask()
    let ready = try client.ask("GET", "/health/ready")
    #expect(ready.status == 503 && ready.text.hasPrefix("{\"ready\":false,\"ending\":true,"))
    #expect(try client.ask("GET", "/health/live").status == 200)
    #expect(lab.gateway.desk.openCount >= 1)
    lab.broker.deliver([
      .reply(lab.broker.messages[0].number, AnswerCodec.encode(refusal: .unavailable, query: nil))
    ])
    #expect(try open.answer().status == 503)
    try lab.leave()
  }

  @Test("That no reader answers is logged once, and once that readers answer again")
  func troubleIsLogged() throws {
    let lines = LogLines()
    let uptime = Mutex<UInt64>(1)
    let broker = FakeBroker(try Wakeup()) { _ in [] }
    let clock = WallClock(
      now: WallClock.live.now, uptimeNanoseconds: { uptime.withLock { $0 } },
      sleep: WallClock.live.sleep)
    let gateway = Gateway(
      GatewaySettings(listen: ListenAddress(host: "127.0.0.1", port: 0)), clock: clock,
      randomness: .live, log: lines.logger(), wake: {})
    let role = GatewayRole(
      bus: broker.bus, desk: gateway.desk, service: gateway.service, life: gateway.life,
      clock: clock, log: lines.logger())
    func steps() throws {
      for _ in 0..<4 {
        uptime.withLock { $0 += 4_000_000_000 }
        _ = try role.step()
      }
    }
    try steps()
    #expect(lines.all.isEmpty)
    broker.fallMute()
    for _ in 0..<3 { try steps() }
    #expect(lines.all.count == 1 && lines.all[0].hasPrefix("warning no reader answers"))
    #expect(lines.all[0].contains("cubistd run reader"))
    broker.fallMute(false)
    for _ in 0..<3 { try steps() }
    // How often nobody answered, and for how many seconds.
    #expect(lines.all.dropFirst() == ["notice readers answer again 11 44"])
  }

  @Test("That it listens is logged once, by the gateway")
  func listening() throws {
    let lines = LogLines()
    let lab = try Lab(log: lines.logger())
    #expect(
      lines.all.filter { $0.lowercased().contains("listening") }
        == ["info listening 127.0.0.1 \(lab.portNumber)"])
  }

  // Failure: Interruption.listener: A gateway cannot listen at its address. It keeps trying, and
  //   the log names the setting.
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
