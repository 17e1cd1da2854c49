import CubistBasics
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// So many findings have room on one screen.
  private static let screenFindings = 6
  /// A cause has so many characters there: two lines of a narrow terminal.
  private static let screenCause = 140

  /// The report on one screen: figures, and the worst findings with their commands.
  func screen(names: Names = Names()) -> String {
    let findings = findings(names: names)
    var lines = headLines(names) + [roleLine, queueLine(names), ""]
    guard !findings.isEmpty else {
      return (lines + ["All is well."]).joined(separator: "\n") + "\n"
    }
    for finding in findings.prefix(Self.screenFindings) {
      let cause = PlainText.oneLine(finding.cause)
      let isLong = cause.count > Self.screenCause
      lines.append(
        "! \(finding.severity) [\(finding.name)] "
          + (isLong ? cause.prefix(Self.screenCause - 1) + "…" : cause[...]))
      lines.append("    \(finding.command)")
    }
    let rest = findings.count - Self.screenFindings
    lines.append(
      rest > 0
        ? "\(rest) more, and all details: cubistd status --all"
        : "All details: cubistd status --all")
    return lines.joined(separator: "\n") + "\n"
  }

  private var roleLine: String {
    guard let status, status.knows(.roles) else { return "roles     ?" }
    let counts = RoleName.signing.map { role in
      let count =
        role == .worker ? max(living(role).count, livingWorkers.count) : living(role).count
      return "\(count) \(count == 1 ? role.noun : role.plural)"
    }
    return "roles     \(counts.joined(separator: ", "))"
  }

  private func queueLine(_ names: Names) -> String {
    let rows = queueRows(names: names)
    let ready = rows.compactMap(\.ready)
    let lag = rows.compactMap(\.lagSeconds).max()
    var line = "queues    \(rows.count)"
    line +=
      ready.isEmpty ? ", messages ?" : ", \(PlainText.count(ready.reduce(0, +), "message")) waiting"
    if let longest = rows.max(by: { ($0.ready ?? 0) < ($1.ready ?? 0) }), let most = longest.ready,
      most > 0
    {
      line += ", most in \(longest.name): \(most)"
    }
    return line + (lag.map { "; the latest clock is \(PlainText.span($0)) behind" } ?? "")
  }
}
