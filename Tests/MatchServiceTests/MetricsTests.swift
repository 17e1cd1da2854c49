import MatchCore
import MatchInterfaces
import MatchWire
import Metrics
import MetricsTestKit
import Testing

@testable import MatchService

@Suite("Metrics")
struct MetricsTests {
  /// One for the whole test process: metrics have one home. Other tests count there, too.
  static let metrics: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  func total(_ label: String, _ dimensions: (String, String)...) -> Int64 {
    Self.metrics.counterTotal(label: label, dimensions: dimensions)
  }

  @Test("A stranger's message is counted by the name of its refusal, with any content")
  func garbage() throws {
    let before = total("cubist_events_total", ("result", "refused"), ("refusal", "malformed"))
    let lab = WorkerLab(.lookUp, .abandon, .acknowledge, .heartbeats)
    try lab.settleIn()
    lab.arriving = (0..<3).map { _ in lab.delivery([], queue: 0) }
    try lab.step()
    let after = total("cubist_events_total", ("result", "refused"), ("refusal", "malformed"))
    #expect(after >= before + 3)
  }

  @Test("Accepted and repeated events, and the batch that they came in, are counted")
  func events() throws {
    let before = (
      total("cubist_events_total", ("result", "accepted")),
      total("cubist_events_total", ("result", "repeated")), total("cubist_worker_batches_total")
    )
    let given = Given.playing
    let lab = WorkerLab(.lookUp, .commit, .acknowledge, .publish, .heartbeats)
    lab.know(given.match)
    try lab.settleIn()
    let event = TestPlayer.ann.event(given.turn())
    lab.deliver(event, by: .ann)
    lab.deliver(event, by: .ann)
    try lab.step()
    #expect(total("cubist_events_total", ("result", "accepted")) >= before.0 + 1)
    #expect(total("cubist_events_total", ("result", "repeated")) >= before.1 + 1)
    #expect(total("cubist_worker_batches_total") >= before.2 + 1)
  }

  @Test("Queries are counted by kind and answer")
  func queries() throws {
    let before = total("cubist_queries_total", ("query", "whoAmI"), ("result", "expired"))
    let lab = ReaderLab()
    lab.expectOwner()
    lab.ask(.whoAmI, at: .noon.adding(seconds: -61))
    try lab.step()
    let after = total("cubist_queries_total", ("query", "whoAmI"), ("result", "expired"))
    #expect(after >= before + 1)
  }
}
