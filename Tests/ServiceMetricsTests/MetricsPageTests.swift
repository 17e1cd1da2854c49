import Foundation
import Testing

@testable import ServiceMetrics

@Suite("The page about metrics")
struct MetricsPageTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A row of a table: name, kind, labels.
  private struct Row: Hashable {
    var name: String
    var kind: String
    var labels: [String]
  }

  @Test("deploy/make-pages writes every metric with its kind and its labels, and no other")
  func page() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/metrics.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").compactMap { line -> Row? in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 6, cells[1].hasPrefix("`") else { return nil }
      let name = cells[1].trimmingCharacters(in: ["`"])
      let labels = cells[3].matches(of: /`([a-z]+)`/).map { String($0.1) }
      let kind = String(cells[2].prefix { $0 != "," })
      return Row(name: name, kind: kind, labels: labels)
    }
    let known = Metric.allCases.map {
      Row(name: $0.rawValue, kind: $0.kind.name, labels: $0.labels)
    }
    #expect(Set(rows).subtracting(known).map(\.name).sorted() == [])
    #expect(Set(known).subtracting(rows).map(\.name).sorted() == [])
    #expect(rows.count == known.count)
  }

  @Test("Names keep the conventions of Prometheus")
  func names() {
    for metric in Metric.allCases {
      let name = metric.rawValue
      #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil)
      #expect(name.hasSuffix("_total") == (metric.kind == .counter), "\(name)")
      #expect(name.hasPrefix("cubist_") || name.hasPrefix("process_"))
      #expect(metric.help.hasSuffix("."))
    }
  }
}
