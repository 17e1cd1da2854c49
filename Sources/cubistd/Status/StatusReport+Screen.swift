import CubistBasics
import MatchInterfaces
import MatchService
import MatchWire

extension StatusReport {
  /// So many findings are shown at most.
  private static let screenFindings = 6
  /// The room of a small terminal. The first finding is shown whole, whatever its length.
  private static let room = (rows: 40, columns: 80)

  /// The report on one screen: figures, and the worst findings with their commands.
  func screen(names: Names = Names()) -> String {
    let findings = findings(names: names)
    var lines = headLines(names) + [roleLine, queueLine(names), ""]
    guard !findings.isEmpty else {
      return (lines + ["All is well."]).joined(separator: "\n") + "\n"
    }
    var shown = 0
    // The last line needs a row too.
    var rows = lines.reduce(1) { $0 + Self.rows($1) }
    for finding in findings.prefix(Self.screenFindings) {
      let own = [
        "! \(finding.severity) [\(finding.name)] \(PlainText.oneLine(finding.cause))",
        "    \(finding.command)",
      ]
      rows += own.reduce(0) { $0 + Self.rows($1) }
      guard shown == 0 || rows <= Self.room.rows else { break }
      lines += own
      shown += 1
    }
    let rest = findings.count - shown
    lines.append(
      rest > 0
        ? "\(rest) more, and all details: cubistd status --all"
        : "All details: cubistd status --all")
    return lines.joined(separator: "\n") + "\n"
  }

  /// A long line is folded by the terminal.
  private static func rows(_ line: String) -> Int {
    max(1, (line.count + room.columns - 1) / room.columns)
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
