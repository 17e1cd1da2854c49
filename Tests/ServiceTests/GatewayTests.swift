import Chaos
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RawHTTP
import RealServers
import Synchronization
import TestedService
import Testing

@testable import cubistd

@Suite("Playing by HTTP", .serialized, .sharedService())
struct GatewayTests {
  static let anna = DisplayName("Anna").map { SettingsChange.Name.set($0) }

  func accepted(_ answer: RawClient.Answer) throws -> Acceptance {
    guard case .accepted(let acceptance) = try ReplyCodec.decode(answer.body).reply else {
      throw LabFailure("refused: \(answer.text)")
    }
    #expect(answer.status == 200)
    return acceptance
  }

  @Test(
    "Two players register, meet and play through gateways; the same bytes get the same reply anywhere"
  )
  func playing() async throws {
    try await ServiceLab.shared { lab in
      var gateway = try LabGateway(in: lab)
      let (ann, bob) = try (
        LabPlayer(lab.freeName("Ann"), in: lab), LabPlayer(lab.freeName("Bob"), in: lab)
      )
      let registration = try ann.sign(.playerRegistered(name: ann.name, code: nil))
      let first = try gateway.post("/v1/events", registration.envelope)
      _ = try accepted(first)
      try bob.must(.playerRegistered(name: bob.name, code: nil))
      #expect(try gateway.post("/v1/events", registration.envelope).body == first.body)

      let asked = try ann.sign(
        .matchRequested(MatchRequest(opponent: .player(bob.id), turnLimitSeconds: 3_600)))
      _ = try accepted(try gateway.post("/v1/events", asked.envelope))
      let match = asked.newMatch
      _ = try accepted(
        try gateway.post(
          "/v1/events", try bob.sign(.invitationAccepted(match, code: nil)).envelope))

      // Bob's stream tells him of Ann's turn.
      let stream = try gateway.connect()
      stream.send(RawClient.request("POST", "/v1/changes", [], bob.query(.overview)))
      try stream.waitFor("event: overview\ndata: ", seconds: 60)
      #expect(stream.text.contains("{\"match\":\"\(match)\",\"version\":"))
      let turn = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      let played = try gateway.post("/v1/events", turn.envelope)
      let version = try lab.match(match).version
      guard case .turnAccepted = try accepted(played) else {
        throw LabFailure("no turn: \(played.text)")
      }
      try stream.waitFor(
        "event: match\ndata: {\"match\":\"\(match)\",\"version\":\(version)}\n\n", seconds: 60)

      // Another gateway knows nothing of the first, and gives the same bytes.
      try gateway.leave()
      try stream.waitFor("event: end\ndata: {\"reason\":\"leaving\"}\n\n")
      gateway = try LabGateway(in: lab)
      #expect(try gateway.post("/v1/events", turn.envelope).body == played.body)

      let view = try gateway.post(
        "/v1/queries", bob.query(.match(Query.Match(match))), ["Prefer: wait=20"])
      #expect(view.status == 200 && view.text.contains("\"ok\":"))
      #expect(view["cache-control"] == "no-store" && view["preference-applied"] == "wait=20")
      let stranger = try LabPlayer("Eve", in: lab)
      #expect(try gateway.post("/v1/queries", stranger.query(.matches)).status == 401)
      #expect(try gateway.post("/v1/changes", stranger.query(.overview)).status == 401)
      // Bob's overview signed by Eve's key.
      let id = EventID(at: WallClock.live.now(), random: 7)
      let forged = Envelope.encode(
        stranger.key.signer.sign(
          Query(service: lab.identity.service, id: id, player: bob.id, kind: .overview)))
      #expect([401, 403].contains(try gateway.post("/v1/changes", forged).status))

      let client = try gateway.connect()
      let ladder = try client.ask("GET", "/v1/ladder?limit=5")
      #expect(ladder.status == 200 && ladder["etag"] != nil)
      let board = try client.ask("GET", "/v1/boards/solo/timed/points/week")
      #expect(board.status == 200 && board.text.contains("\"rows\":[]"))
      #expect(try client.ask("GET", "/v1/games/ABCD2345").status == 404)
      #expect(try client.ask("GET", "/v1/dailies/2020-01-01/timed/en").status == 404)
      let info = try client.ask("GET", "/v1/service")
      #expect(info.text.contains("\"service\":\"\(lab.identity.service)\""))
    }
  }

  @Test("Without a worker an event is pending; the same bytes are answered once there is one again")
  func pending() async throws {
    try await ServiceLab.shared { lab in
      let gateway = try LabGateway(in: lab)
      let ann = try lab.player("Ann")
      try lab.stopWorkers()
      let event = try ann.sign(.settingsChanged(SettingsChange(displayName: Self.anna)))
      // A busy broker may need longer for its confirm.
      try waitUntil("the broker has it") {
        let pending = try gateway.post("/v1/events", event.envelope, ["Prefer: wait=1"])
        #expect(pending.status == 202, "\(pending.text)")
        return pending.text == "{\"pending\":\"confirmed\"}"
      }
      try lab.startWorker()
      var answer = try gateway.post("/v1/events", event.envelope)
      try waitUntil("it is answered", found: answer.text) {
        if answer.status == 202 { answer = try gateway.post("/v1/events", event.envelope) }
        return answer.status != 202
      }
      #expect(answer.status == 200)
      #expect(try gateway.post("/v1/events", event.envelope).body == answer.body)
    }
  }

  @Test("A gateway that is cut off from the broker says so, and goes on by itself")
  func cutOff() async throws {
    try await ServiceLab.shared { lab in
      let (proxy, url) = try TCPProxy.inFront(ofURL: lab.gatewayURL())
      defer { proxy.close() }
      let gateway = try LabGateway(in: lab, broker: url)
      let ann = try lab.player("Ann")
      proxy.refuse()
      proxy.cut()
      try waitUntil("it is not ready") {
        gateway.runners.contains { $0.name == "gateway" && $0.state != .working }
      }
      let event = try ann.sign(.settingsChanged(SettingsChange(displayName: Self.anna)))
      let answer = try gateway.post("/v1/events", event.envelope)
      #expect(answer.status == 503 && answer.text.contains("\"sent\":false"), "\(answer.text)")
      try proxy.resume()
      try waitUntil("it serves again") { try gateway.serves() }
      #expect(try gateway.post("/v1/events", event.envelope).status == 200)
    }
  }

  @Test("Half of all notices are lost: a stream learns every final version all the same")
  func lossy() async throws {
    try await ServiceLab.shared { lab in
      let count = Mutex(0)
      let gateway = try LabGateway(in: lab) { inner in
        inner.with { bus in
          bus.receive.answer { (limit: Int, wait: Duration) throws(BusError) in
            try inner.receive(limit, wait).filter { _ in
              count.withLock { count in
                count += 1
                return count % 2 == 0
              }
            }
          }
        }
      }
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      let stream = try gateway.connect()
      stream.send(RawClient.request("POST", "/v1/changes", [], bob.query(.overview)))
      try stream.waitFor("event: overview", seconds: 60)
      for number in 0..<5 {
        let player = number % 2 == 0 ? ann : bob
        try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
      }
      let version = try lab.match(match).version
      try stream.waitFor("\"match\":\"\(match)\",\"version\":\(version)}")
    }
  }

  @Test("`cubistd run gateway` needs a broker and an address only; killed, another one goes on")
  func processes() async throws {
    try await ServiceLab.shared { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let ann = try LabPlayer(lab.freeName("Ann"), in: lab)
      let registration = try ann.sign(.playerRegistered(name: ann.name, code: nil))
      let marks = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      var bodies: [[UInt8]] = []
      let url = try lab.gatewayURL()
      for _ in 0..<2 {
        let port = try HTTPPort.choose(asked: nil, last: nil)
        let health = try HTTPPort.choose(asked: nil, last: nil)
        let process = try processes.start(
          "gateway",
          [
            "CUBIST_DATABASE": "", "CUBIST_BROKER": "", "CUBIST_SERVICE_KEYS": "",
            "CUBIST_GATEWAY_BROKER": url, "CUBIST_GATEWAY_LISTEN": "127.0.0.1:\(port)",
            "CUBIST_HEALTH_LISTEN": "127.0.0.1:\(health)", "CUBIST_LOG_LEVEL": "debug",
          ].merging(LabUsers.environment("").mapValues { _ in "" }) { $1 })
        try waitUntil("it is ready", found: process.logText) {
          guard let client = try? RawClient(port: health) else { return false }
          return try client.ask("GET", "/health/ready").status == 200
        }
        try waitUntil("a reader has told it about the service", found: process.logText) {
          try RawClient(port: port).ask("GET", "/v1/service").status == 200
        }
        let answer = try RawClient(port: port).ask(
          "POST", "/v1/events",
          ["X-Request-Id: turn-7", "Traceparent: \(marks)", "Prefer: wait=25"],
          registration.envelope)
        #expect(answer.status == 200)
        bodies.append(answer.body)
        try waitUntil("the marks are in its log", found: process.logText) {
          let log = process.logText
          return log.contains("turn-7") && log.contains("0af7651916cd43dd8448eb211c80319c")
        }
        #expect(process.kill())
      }
      #expect(bodies[0] == bodies[1])
    }
  }

  @Test("The marks of a request are in the logs of gateway, worker and reader")
  func marks() async throws {
    try await ServiceLab.shared(workers: 0) { lab in
      try lab.stop(.reader)
      defer { #expect(throws: Never.self) { try lab.start(.reader) } }
      let processes = try RoleProcesses(of: lab, ["CUBIST_LOG_LEVEL": "debug"])
      defer { processes.end() }
      let worker = try processes.start("worker")
      let reader = try processes.start("reader")
      let gateway = try LabGateway(in: lab)
      let ann = try LabPlayer(lab.freeName("Ann"), in: lab)
      let fields = [
        "X-Request-Id: turn-9",
        "Traceparent: 00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "Prefer: wait=25",
      ]
      let event = try ann.sign(.playerRegistered(name: ann.name, code: nil))
      try waitUntil("she is registered") {
        try gateway.post("/v1/events", event.envelope, fields).status == 200
      }
      #expect(try gateway.post("/v1/queries", ann.query(.whoAmI), fields).status == 200)
      for (name, log) in [
        ("worker", { worker.logText }), ("reader", { reader.logText }),
        ("gateway", { gateway.lines.joined() }),
      ] as [(String, () -> String)] {
        try waitUntil("the marks are in the log of the \(name)", found: log()) {
          log().contains("turn-9") && log().contains("1af7651916cd43dd8448eb211c80319c")
        }
      }
    }
  }
}
