import Chaos
import CustomDump
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RawHTTP
import RealServers
import TestedService
import Testing

/// Debian's Prometheus in a folder of its own, which reads some ports of this machine and the
/// alert rules that operators get.
private struct Prometheus {
  static let program = "/usr/bin/prometheus"
  /// The sample of settings, rules and dashboard.
  static let observe = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/observe")

  /// An alert rule, after Prometheus has read the file.
  struct Rule: Decodable {
    var name: String
    var query: String
    /// `unknown` before the first evaluation, then `ok` or `err`.
    var health: String
    var lastError: String?
  }

  private struct Rules: Decodable {
    struct Content: Decodable { var groups: [Group] }
    struct Group: Decodable { var rules: [Rule] }
    var data: Content
  }

  private struct Names: Decodable {
    var data: Set<String>
  }

  private struct Answer: Decodable {
    struct Content: Decodable { var result: [Series] }
    struct Series: Decodable {
      var metric: [String: String]
      var value: [Value]
    }
    /// A time, or a number as text.
    enum Value: Decodable {
      case time(Double)
      case number(Double?)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let time = try? container.decode(Double.self) {
          self = .time(time)
        } else {
          self = .number(Double(try container.decode(String.self)))
        }
      }
    }
    var data: Content
  }

  private let folder: URL
  private let group: ProcessGroup
  private let port: UInt16

  init(reading ports: [Int]) throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "cubist-prometheus-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let targets = ports.map { "'127.0.0.1:\($0)'" }.joined(separator: ", ")
    let text = """
      global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
      rule_files: ["\(Self.observe.appending(path: "alerts.yml").path)"]
      scrape_configs:
        - job_name: cubist
          static_configs: [{targets: [\(targets)]}]
      """
    let file = folder.appending(path: "prometheus.yml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    group = try ProcessGroup()
    port = try FreePort.take()
    _ = try group.start(
      [
        Self.program, "--config.file=\(file.path)",
        "--storage.tsdb.path=\(folder.appending(path: "data").path)",
        "--web.listen-address=127.0.0.1:\(port)", "--log.level=warn",
      ], environment: [:], log: folder.appending(path: "log").path)
  }

  private func get(_ path: String) throws -> RawClient.Answer {
    try RawClient(port: Int(port)).ask("GET", "/api/v1/\(path)")
  }

  private func query(_ expression: String) throws -> RawClient.Answer {
    let text =
      expression.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? expression
    return try get("query?query=\(text)")
  }

  /// Prometheus' complaint about an expression; nil: it is answered.
  func complaint(about expression: String) throws -> String? {
    let answer = try query(expression)
    return answer.status == 200 ? nil : answer.text
  }

  /// The alert rules.
  func rules() throws -> [Rule] {
    let answer = try get("rules?type=alert")
    return try JSONDecoder().decode(Rules.self, from: Data(answer.body)).data.groups
      .flatMap(\.rules)
  }

  /// The metrics that it has read from any process.
  func metrics() throws -> Set<String> {
    let answer = try get("label/__name__/values")
    return try JSONDecoder().decode(Names.self, from: Data(answer.body)).data
  }

  /// The values of an expression, by all labels in one text.
  func ask(_ expression: String) throws -> [String: Double] {
    guard let answer = try? query(expression), answer.status == 200 else { return [:] }
    let found = try JSONDecoder().decode(Answer.self, from: Data(answer.body)).data.result
    var values: [String: Double] = [:]
    for series in found {
      guard case .number(let value?)? = series.value.last else { continue }
      let labels = series.metric.sorted { $0.key < $1.key }
      values[labels.map { "\($0.key)=\($0.value)" }.joined(separator: " ")] = value
    }
    return values
  }

  func end() {
    group.end()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// The dashboard for Grafana, as far as it asks Prometheus.
private struct Dashboard: Decodable {
  struct Panel: Decodable {
    struct Target: Decodable { var expr: String }
    var title: String
    var targets: [Target]
  }

  var panels: [Panel]

  static func read() throws -> Dashboard {
    try JSONDecoder().decode(
      Dashboard.self,
      from: Data(contentsOf: Prometheus.observe.appending(path: "dashboard.json")))
  }
}

@Suite("Watched by Prometheus")
struct PrometheusTests {
  /// Metrics that a match without a limit and without a standby gives no cause for.
  private static let quiet: Set<String> = [
    "cubist_gateway_limited_total", "cubist_standby_lag_bytes",
  ]

  /// The processes that Prometheus reads, each ready, and their ports.
  private static func start(
    _ processes: RoleProcesses, in lab: ServiceLab, pushingTo receiver: HTTPReceiver
  ) throws -> (ports: [Int], gateway: Int) {
    let gateway = Int(try FreePort.take())
    var ports: [Int] = []
    let started = try RoleName.named.map { role in
      let port = Int(try FreePort.take())
      var settings = ["CUBIST_HEALTH_LISTEN": "127.0.0.1:\(port)"]
      if role == .gateway {
        settings["CUBIST_GATEWAY_BROKER"] = try lab.gatewayURL()
        settings["CUBIST_GATEWAY_LISTEN"] = "127.0.0.1:\(gateway)"
      }
      if role == .push {
        settings["CUBIST_PUSH"] = "webhook"
        settings["CUBIST_PUSH_WEBHOOK_URL"] = receiver.url
        settings["CUBIST_PUSH_WEBHOOK_SECRET"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
      }
      return (process: try processes.start(role.rawValue, settings), port: port)
    }
    for (process, port) in started {
      try waitUntil("\(process.role) is ready", found: process.logText) {
        guard let client = try? RawClient(port: port) else { return false }
        return try client.ask("GET", "/health/ready").status == 200
      }
      ports.append(port)
    }
    return (ports, gateway)
  }

  /// Begins a match and plays two turns, the second one by HTTP.
  private static func play(in lab: ServiceLab, gateway port: Int) throws {
    let (ann, bob) = try lab.pair()
    let match = try lab.begin(ann, bob)
    _ = try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
    let second = try bob.sign(.turnPlayed(match, lab.turn(lab.match(match))))
    // Until a reader has told the gateway which service this is, the answer is 503.
    try waitUntil("the gateway passes the turn on") {
      let client = try RawClient(port: port)
      client.send(RawClient.request("POST", "/v1/events", [], second.envelope))
      return try client.answer(seconds: 60).status == 200
    }
  }

  @Test(
    """
    Prometheus reads every process while a match is played, knows what players feel, and answers \
    every query of the dashboard and the alert rules
    """,
    .enabled(if: FileManager.default.isExecutableFile(atPath: Prometheus.program)))
  func watched() async throws {
    var options = ServiceLab.Options(workers: 0)
    options.roles = []
    try await ServiceLab.run(options) { lab in
      let connection = try lab.connection()
      defer { connection.close() }
      _ = try OperatorStore.live(connection).keepService(
        ServiceRow(
          service: lab.identity.service, rootKey: lab.identity.rootKey,
          certificates: lab.identity.certificates))
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      let receiver = try HTTPReceiver { _, _ in .status(204) }
      defer { receiver.close() }
      let (ports, gateway) = try Self.start(processes, in: lab, pushingTo: receiver)
      let prometheus = try Prometheus(reading: ports)
      defer { prometheus.end() }
      try Self.play(in: lab, gateway: gateway)
      func wait(for expression: String, _ isRight: ([String: Double]) -> Bool) throws {
        var last: [String: Double] = [:]
        try waitUntil("\(expression) is right", found: "\(last)") {
          last = try prometheus.ask(expression)
          return isRight(last)
        }
      }
      let count = RoleName.named.count
      try wait(for: "sum(up)") { $0.values.first == Double(count) }
      try wait(for: #"cubist_events_total{result="accepted"}"#) { ($0.values.first ?? 0) >= 6 }
      for histogram in [
        "worker_batch_events", "worker_batch_seconds", "worker_commit_seconds",
        "worker_answer_seconds", "worker_queue_seconds", "worker_confirm_seconds",
        "store_statement_seconds", "gateway_request_seconds", "gateway_reply_seconds",
        "push_attempt_seconds", "push_lag_seconds",
      ] {
        try wait(for: "sum(cubist_\(histogram)_count)") { ($0.values.first ?? 0) > 0 }
      }
      try wait(for: "histogram_quantile(0.99, sum by (le) (cubist_worker_answer_seconds_bucket))") {
        ($0.values.first ?? 0) > 0
      }
      try wait(for: "min(cubist_role_up)") { $0.values.first == 1 }
      try wait(for: "cubist_gateway_connections") { $0.count == 1 }
      try wait(for: "cubist_build_info") { $0.count == count }
      // One build, so one release.
      try wait(for: "count(count by (release) (cubist_build_info == 1))") { $0.values.first == 1 }
      try wait(for: "process_resident_memory_bytes > 1e6") { $0.count == count }
      // The leading steward tells of the whole service.
      try wait(for: "cubist_clock_lag_seconds") { $0.count == lab.layout.queueCount }
      try wait(for: "cubist_queue_consumers") { $0.count > lab.layout.queueCount }
      try wait(for: "count(cubist_roles_absent == 0)") {
        $0.values.first == Double(RoleName.signing.count)
      }
      try wait(for: "cubist_key_end_timestamp_seconds > time()") { $0.count == 1 }
      try wait(for: "cubist_database_size_bytes") { ($0.values.first ?? 0) > 1e6 }
      try Self.expectAnswers(prometheus)
    }
  }

  /// Expects that Prometheus understands each query of the dashboard and of the alert rules, and
  /// knows the metrics in it. The answer may be empty: what it shows may not have happened.
  private static func expectAnswers(_ prometheus: Prometheus) throws {
    var rules: [Prometheus.Rule] = []
    try waitUntil("all rules are evaluated", found: "\(rules)") {
      rules = try prometheus.rules()
      return !rules.isEmpty && rules.allSatisfy { $0.health != "unknown" }
    }
    let file = try String(
      contentsOf: Prometheus.observe.appending(path: "alerts.yml"), encoding: .utf8)
    #expect(rules.count == file.ranges(of: "- alert: ").count)
    for rule in rules { #expect(rule.health == "ok", "\(rule.name): \(rule.lastError ?? "")") }
    let panels = try Dashboard.read().panels
    let queries =
      panels.flatMap { panel in panel.targets.map { (panel.title, $0.expr) } }
      + rules.map { ($0.name, $0.query) }
    for (name, query) in queries {
      // Neither has variables of Grafana, which Prometheus would not understand.
      let complaint = try prometheus.complaint(about: query)
      #expect(complaint == nil, "\(name): \(complaint ?? "")")
    }
    // `RunbookTests` knows those of other exporters.
    let named = queries.flatMap { _, query in
      query.matches(of: /\b(?:cubist|process)_[a-z_]+/).map { String($0.0) }
    }
    let unknown = Set(named).subtracting(try prometheus.metrics())
    expectNoDifference(unknown.subtracting(Self.quiet), [])
  }
}
