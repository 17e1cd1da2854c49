import Chaos
import Foundation
import LibPQ
import MatchCore
import MatchService
import MatchWire
import RawHTTP
import MatchInterfaces
import MatchStoreLive
import RealServers
import Testing

/// Debian's Prometheus in a folder of its own, which reads some ports of this machine.
private struct Prometheus {
  static let program = "/usr/bin/prometheus"

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
      global: {scrape_interval: 1s, scrape_timeout: 1s}
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

  /// The values of an expression, by all labels in one text.
  func ask(_ expression: String) throws -> [String: Double] {
    let query =
      expression.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? expression
    guard let client = try? RawClient(port: Int(port)) else { return [:] }
    let answer = try client.ask("GET", "/api/v1/query?query=\(query)")
    guard answer.status == 200 else { return [:] }
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

@Suite("Watched by Prometheus")
struct PrometheusTests {
  @Test(
    "Prometheus reads every process while a match is played, and knows what players feel",
    .enabled(if: FileManager.default.isExecutableFile(atPath: Prometheus.program)),
    .timeLimit(.minutes(15)))
  func watched() async throws {
    var options = ServiceLab.Options(workers: 0)
    options.roles = [.reader]
    try await ServiceLab.run(options) { lab in
      let connection = try lab.connection()
      defer { connection.close() }
      _ = try OperatorStore.live(connection).keepService(
        ServiceRow(
          service: lab.identity.service, rootKey: lab.identity.rootKey,
          certificates: lab.identity.certificates))
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      var ports: [Int] = []
      for role in ["worker", "scheduler"] {
        let port = Int(try FreePort.take())
        let process = try processes.start(role, ["CUBIST_HEALTH_LISTEN": "127.0.0.1:\(port)"])
        try waitUntil("\(role) is ready", found: process.logText) {
          guard let client = try? RawClient(port: port) else { return false }
          return try client.ask("GET", "/health/ready").status == 200
        }
        ports.append(port)
      }
      let prometheus = try Prometheus(reading: ports)
      defer { prometheus.end() }
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      for player in [ann, bob] {
        _ = try player.must(.turnPlayed(match, lab.turn(lab.match(match))))
      }
      func wait(for expression: String, _ isRight: ([String: Double]) -> Bool) throws {
        var last: [String: Double] = [:]
        try waitUntil("\(expression) is right", found: "\(last)") {
          last = try prometheus.ask(expression)
          return isRight(last)
        }
      }
      try wait(for: "sum(up)") { $0.values.first == 2 }
      try wait(for: #"cubist_events_total{result="accepted"}"#) { ($0.values.first ?? 0) >= 6 }
      for histogram in [
        "worker_batch_events", "worker_batch_seconds", "worker_commit_seconds",
        "worker_answer_seconds", "worker_queue_seconds", "store_statement_seconds",
      ] {
        try wait(for: "sum(cubist_\(histogram)_count)") { ($0.values.first ?? 0) > 0 }
      }
      try wait(for: "histogram_quantile(0.99, sum by (le) (cubist_worker_answer_seconds_bucket))") {
        ($0.values.first ?? 0) > 0
      }
      try wait(for: "min(cubist_role_up)") { $0.values.first == 1 }
      try wait(for: "cubist_build_info") { $0.count == 2 }
      try wait(for: "process_resident_memory_bytes > 1e6") { $0.count == 2 }
      // The leading steward tells of the whole service.
      try wait(for: "cubist_clock_lag_seconds") { $0.count == lab.layout.queueCount }
      try wait(for: "cubist_queue_consumers") { $0.count > lab.layout.queueCount }
      try wait(for: #"cubist_roles_absent{role="worker"}"#) { $0.values.first == 0 }
      try wait(for: #"cubist_roles_absent{role="rater"}"#) { $0.values.first == 1 }
      try wait(for: "cubist_key_end_timestamp_seconds > time()") { $0.count == 1 }
      try wait(for: "cubist_database_size_bytes") { ($0.values.first ?? 0) > 1e6 }
    }
  }
}
