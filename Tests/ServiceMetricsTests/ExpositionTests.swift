import Foundation
import Metrics
import Testing

@testable import ServiceMetrics

@Suite("Metrics as text for Prometheus")
struct ExpositionTests {
  private func text(_ registry: MetricsRegistry, _ format: ExpositionFormat = .prometheus) -> String
  {
    String(decoding: registry.text(format), as: UTF8.self)
  }

  @Test("A counter has its help, its type and a line for each of its label values")
  func counters() {
    let registry = MetricsRegistry()
    let name = Metric.pushAnswers.rawValue
    let labels = [("provider", "webPush"), ("answer", "taken")]
    registry.makeCounter(label: name, dimensions: labels).increment(by: 3)
    registry.makeCounter(label: name, dimensions: labels.reversed()).increment(by: 1)
    #expect(
      text(registry) == """
        # HELP cubist_push_answers_total Answers of push services.
        # TYPE cubist_push_answers_total counter
        cubist_push_answers_total{provider="webPush",answer="taken"} 4.0

        """)
    #expect(
      text(registry, .openMetrics) == """
        # HELP cubist_push_answers Answers of push services.
        # TYPE cubist_push_answers counter
        cubist_push_answers_total{provider="webPush",answer="taken"} 4.0
        # EOF

        """)
  }

  @Test("The buckets of a histogram add up, and times are in seconds")
  func histograms() {
    let registry = MetricsRegistry()
    let timer = registry.makeTimer(label: Metric.workerCommitSeconds.rawValue, dimensions: [])
    for milliseconds in [1, 3, 3, 60_000] {
      timer.recordNanoseconds(Int64(milliseconds) * 1_000_000)
    }
    let lines = text(registry).split(separator: "\n").map(String.init)
    func bucket(_ bound: String) -> String? {
      lines.first { $0.contains("le=\"\(bound)\"") }?.split(separator: " ").last.map(String.init)
    }
    #expect(bucket("0.001") == "1.0" && bucket("0.0025") == "1.0" && bucket("0.005") == "3.0")
    #expect(bucket("30.0") == "3.0" && bucket("+Inf") == "4.0")
    #expect(lines.contains("cubist_worker_commit_seconds_count 4.0"))
    #expect(lines.contains { $0.hasPrefix("cubist_worker_commit_seconds_sum 60.007") })
  }

  @Test("Any text is a label's value, and any number a gauge's")
  func escaping() {
    let registry = MetricsRegistry()
    registry.set(.buildInfo, [("release", "a\"b\\c\nd ü"), ("player", "eve")], to: 1)
    registry.set(.processMemory, to: .infinity)
    let page = text(registry)
    #expect(page.contains(#"cubist_build_info{release="a\"b\\c\nd ü"} 1.0"#))
    #expect(page.contains("process_resident_memory_bytes +Inf\n"))
  }

  @Test("A name that is not on the list is not kept")
  func closed() {
    let registry = MetricsRegistry()
    registry.makeCounter(label: "something", dimensions: []).increment(by: 1)
    #expect(text(registry) == "")
  }

  @Test("Series beyond the limit count as one")
  func overflow() {
    let registry = MetricsRegistry()
    let count = MetricsRegistry.seriesLimit + 100
    for number in 0..<count {
      registry.makeCounter(
        label: Metric.slowStatements.rawValue, dimensions: [("statement", "s\(number)")]
      ).increment(by: 1)
    }
    let lines = text(registry).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == MetricsRegistry.seriesLimit)
    #expect(lines.contains("cubist_store_slow_statements_total{statement=\"other\"} 101.0"))
  }

  @Test("A gauge that is destroyed is gone, and a new one begins anew")
  func destroyed() {
    let registry = MetricsRegistry()
    let name = Metric.queueMessages.rawValue
    let gauge = registry.makeRecorder(label: name, dimensions: [("queue", "q")], aggregate: false)
    gauge.record(Double(3))
    #expect(text(registry).contains("cubist_queue_messages{queue=\"q\"} 3.0"))
    registry.destroyRecorder(gauge)
    #expect(text(registry) == "")
  }

  @Test("Counting by many threads at once loses nothing")
  func threads() {
    let registry = MetricsRegistry()
    let timer = registry.makeTimer(label: Metric.workerBatchSeconds.rawValue, dimensions: [])
    let counter = registry.makeCounter(label: Metric.workerBatches.rawValue, dimensions: [])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1_000 {
        counter.increment(by: 1)
        timer.recordNanoseconds(2_000_000_000)
      }
    }
    #expect(text(registry).contains("cubist_worker_batches_total 8000.0\n"))
    #expect(text(registry).contains("cubist_worker_batch_seconds_sum 16000.0\n"))
  }

  @Test(
    "A reader gets the format that it asks for",
    arguments: [
      (["text/plain"], ExpositionFormat.prometheus), ([], .prometheus), (["*/*"], .prometheus),
      (["application/openmetrics-text;version=1.0.0,text/plain;q=0.5"], .openMetrics),
      (["text/plain;q=0.5, application/openmetrics-text; version=1.0.0; q=0.9"], .openMetrics),
      (["application/openmetrics-text;q=0"], .prometheus),
    ])
  func formats(accepted: [String], expected: ExpositionFormat) {
    #expect(ExpositionFormat(accepted: accepted) == expected)
  }

  /// A registry with values from a seed for every metric.
  private func filled(seed: UInt64) -> MetricsRegistry {
    let registry = MetricsRegistry()
    var state = seed
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let texts = ["", "a", "b \"c\"", "\\", "line\nline", "ü😀"]
    for metric in Metric.allCases {
      for _ in 0...next() % 3 {
        let labels = metric.labels.map { ($0, texts[Int(next() % UInt64(texts.count))]) }
        switch metric.kind {
        case .counter:
          registry.makeCounter(label: metric.rawValue, dimensions: labels)
            .increment(by: Int64(next() % 1_000))
        case .gauge: registry.set(metric, labels, to: Double(next()) / 7)
        case .histogram:
          registry.makeTimer(label: metric.rawValue, dimensions: labels)
            .recordNanoseconds(Int64(next() % 100_000_000_000))
        }
      }
    }
    return registry
  }

  @Test("Every line of any page has one of the three forms", arguments: 0..<UInt64(20))
  func forms(seed: UInt64) {
    let registry = filled(seed: seed)
    let sample =
      /[a-z_]+(\{[a-z]+="([^"\\\n]|\\.)*"(,[a-z]+="([^"\\\n]|\\.)*")*\})? [-+0-9.e]+(Inf)?/
    for format in ExpositionFormat.allCases {
      for line in text(registry, format).split(separator: "\n") where !line.hasPrefix("# ") {
        #expect(line.wholeMatch(of: sample) != nil, "\(line)")
      }
    }
  }

  private static let promtool = "/usr/bin/promtool"

  @Test(
    "Prometheus' own parser reads every metric",
    .enabled(if: FileManager.default.isExecutableFile(atPath: promtool)))
  func parser() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.promtool)
    process.arguments = ["check", "metrics"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardError) = (input, output)
    try process.run()
    input.fileHandleForWriting.write(Data(filled(seed: 7).text(.prometheus)))
    try input.fileHandleForWriting.close()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(said)")
  }
}
