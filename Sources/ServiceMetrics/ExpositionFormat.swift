/// A text format in which Prometheus reads metrics.
package enum ExpositionFormat: Hashable, Sendable, CaseIterable {
  /// Prometheus' own.
  /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
  case prometheus
  /// Source: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
  case openMetrics

  /// The one that a reader asks for by the values of `Accept`.
  package init(accepted: [String]) {
    let asked = accepted.flatMap { $0.split(separator: ",") }.contains { range in
      let parts = range.split(separator: ";").map {
        String($0.filter { $0 != " " && $0 != "\t" }).lowercased()
      }
      guard parts.first == "application/openmetrics-text" else { return false }
      return !parts.dropFirst().contains { $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0 }
    }
    self = asked ? .openMetrics : .prometheus
  }

  package var mediaType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }
}

extension MetricsRegistry {
  /// All metrics as text. The list of metrics and the limit of series bound its length.
  package func text(_ format: ExpositionFormat) -> [UInt8] {
    var text = ""
    for (metric, series) in snapshot {
      let name = metric.rawValue
      let isTotal = metric.kind == .counter && format == .openMetrics && name.hasSuffix("_total")
      let family = isTotal ? String(name.dropLast("_total".count)) : name
      text += "# HELP \(family) \(escaped(metric.help, quotes: format == .openMetrics))\n"
      text += "# TYPE \(family) \(metric.kind.name)\n"
      for (labels, value) in series {
        let pairs = zip(metric.labels, labels).compactMap { name, value in
          value.map { (name, $0) }
        }
        switch value {
        case .number(let number): line(name, pairs, number, &text)
        case .histogram(let bounds, let counts, let sum):
          var total: UInt64 = 0
          for (index, count) in counts.enumerated() {
            total &+= count
            let bound = index < bounds.count ? bounds[index] : .infinity
            line("\(name)_bucket", pairs + [("le", number(bound))], Double(total), &text)
          }
          line("\(name)_sum", pairs, sum, &text)
          line("\(name)_count", pairs, Double(total), &text)
        }
      }
    }
    if format == .openMetrics { text += "# EOF\n" }
    return Array(text.utf8)
  }

  private func line(
    _ name: String, _ labels: [(String, String)], _ value: Double, _ text: inout String
  ) {
    text += name
    if !labels.isEmpty {
      text += "{"
      text += labels.map { "\($0)=\"\(escaped($1, quotes: true))\"" }.joined(separator: ",")
      text += "}"
    }
    text += " \(number(value))\n"
  }
}

/// A number as both formats write it.
private func number(_ value: Double) -> String {
  if value.isNaN { return "NaN" }
  if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
  return "\(value)"
}

private func escaped(_ text: String, quotes: Bool) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\\": escaped += "\\\\"
    case "\n": escaped += "\\n"
    case "\"" where quotes: escaped += "\\\""
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}
