import Foundation

/// The alerts of deploy/observe/alerts.yml, as far as tests compare them with pages.
struct AlertRule {
  var name: String
  var expression: String
  var text: String

  /// The rules in the layout that the file keeps: a rule begins with `- alert:`, and its expression ends
  /// with the next key.
  static func rules(in yaml: String) -> [AlertRule] {
    yaml.components(separatedBy: "      - alert: ").dropFirst().map { part in
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
      var (expression, isInside) = ([Substring](), false)
      for line in lines.dropFirst() {
        if line.hasPrefix("        expr: ") {
          isInside = true
          expression.append(line.dropFirst("        expr: ".count))
        } else if isInside, line.hasPrefix("          ") {
          expression.append(line)
        } else if isInside {
          break
        }
      }
      return AlertRule(
        name: String(lines.first ?? ""), expression: expression.joined(separator: "\n"), text: part)
    }
  }
}

/// A query of Prometheus.
enum PrometheusQuery {
  /// Words of the query language that are neither metrics nor functions.
  private static let words: Set<String> = ["and", "or", "unless", "offset", "bool", "by"]

  /// The metrics that a query names.
  static func metrics(in query: String) -> Set<String> {
    let bare =
      query
      .replacing(/"[^"]*"/, with: "").replacing(/\{[^}]*\}/, with: "")
      .replacing(/\[[^\]]*\]/, with: "")
      .replacing(/\b(?:by|without|on|ignoring|group_left|group_right) *\([^)]*\)/, with: "")
      .replacing(/\boffset +\w+/, with: "")
    return Set(
      bare.matches(of: /\b([a-z_:][a-z0-9_:]*)\b(?! *\()/).map { String($0.1) }
    ).subtracting(words)
  }

  /// The name under which docs/metrics.md lists it: a histogram has one row.
  static func listed(_ metric: String) -> String {
    for ending in ["_bucket", "_count", "_sum"] where metric.hasSuffix(ending) {
      return String(metric.dropLast(ending.count))
    }
    return metric
  }
}
