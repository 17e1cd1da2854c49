import CustomDump
import Foundation
import Testing

@Suite("Runbook")
struct RunbookTests {
  /// Metrics of other exporters: node_exporter, RabbitMQ's plugin rabbitmq_prometheus, Prometheus itself.
  private static let foreign: Set<String> = [
    "node_filesystem_avail_bytes", "node_filesystem_size_bytes",
    "rabbitmq_alarms_file_descriptor_limit", "rabbitmq_alarms_free_disk_space_watermark",
    "rabbitmq_alarms_memory_used_watermark", "up",
  ]

  private struct Dashboard: Decodable {
    struct Panel: Decodable {
      var title: String
      var targets: [Target]
    }

    struct Target: Decodable {
      var expr: String
    }

    var panels: [Panel]
  }

  private static func rules() throws -> [AlertRule] {
    AlertRule.rules(in: try Tree.text("deploy/observe/alerts.yml"))
  }

  private static func panels() throws -> [Dashboard.Panel] {
    let text = try Tree.text("deploy/observe/dashboard.json")
    return try JSONDecoder().decode(Dashboard.self, from: Data(text.utf8)).panels
  }

  /// The sections of the page by their headings.
  private static func sections() throws -> [String: String] {
    let parts = try Tree.text("docs/runbook.md").components(separatedBy: "\n## ").dropFirst()
    return Dictionary(
      uniqueKeysWithValues: parts.map { part in
        let end = part.firstIndex(of: "\n") ?? part.endIndex
        return (String(part[..<end]), String(part[end...]))
      })
  }

  @Test("Each alert leads to its own section, which says the same four things, and has a story")
  func alerts() throws {
    let (rules, sections) = (try Self.rules(), try Self.sections())
    #expect(rules.count > 20)
    expectNoDifference(Set(sections.keys), Set(rules.map(\.name)))
    let stories = try Tree.text("deploy/observe/alerts-test.yml")
    for rule in rules {
      let anchor = rule.name.lowercased()
      #expect(rule.text.contains("runbook: docs/runbook.md#\(anchor)\n"), "\(rule.name)")
      #expect(!rule.expression.isEmpty, "\(rule.name)")
      for key in ["severity: ", "summary: ", "description: "] {
        #expect(rule.text.contains(key), "\(rule.name) has no \(key)")
      }
      #expect(rule.text.contains(/severity: (critical|warning)\n/), "\(rule.name)")
      for part in ["Players.", "Be sure.", "Do.", "Do not:"] {
        #expect(sections[rule.name]?.contains("- **\(part)** ") == true, "\(rule.name): \(part)")
      }
      #expect(sections[rule.name]?.contains(/`[^`]+ [^`]+`/) == true, "\(rule.name): no command")
      #expect(stories.contains("- name: \"\(rule.name): "), "\(rule.name) has no story")
    }
  }

  @Test("Alerts and the dashboard name only metrics of docs/metrics.md or of known exporters")
  func metrics() throws {
    let page = try Tree.text("docs/metrics.md")
    let listed = Set(page.matches(of: /`([a-z_]+)[`{]/).map { String($0.1) })
    var wrong: [String] = []
    let panels = try Self.panels()
    #expect(panels.count > 15)
    let queries =
      try Self.rules().map { ($0.name, $0.expression) }
      + panels.flatMap { panel in panel.targets.map { (panel.title, $0.expr) } }
    for (name, query) in queries {
      let metrics = PrometheusQuery.metrics(in: query)
      #expect(!metrics.isEmpty, "\(name)")
      for metric in metrics where !Self.foreign.contains(metric) {
        if !listed.contains(PrometheusQuery.listed(metric)) && !listed.contains(metric) {
          wrong.append("\(name): \(metric)")
        }
      }
    }
    expectNoDifference(wrong, [])
  }

  @Test("Metrics are told from functions, labels and words of the query language")
  func queries() {
    let query = """
      sum by (le) (rate(a_bucket{job="c"}[5m] offset 1d)) / ignoring (x) group_left () b_total > 0.5
      unless on () c and time() - max(d_seconds) < 60 * 86400
      """
    #expect(PrometheusQuery.metrics(in: query) == ["a_bucket", "b_total", "c", "d_seconds"])
    #expect(PrometheusQuery.listed("a_bucket") == "a")
    #expect(PrometheusQuery.listed("a_total") == "a_total")
  }
}
