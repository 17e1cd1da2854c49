import CubistBasics
import MatchCore
import MatchInterfaces

/// A report with the names of both players.
struct ReportRow: Hashable {
  var report: Report
  /// The name of the player who reports, or the id of one without a name.
  var player: String
  /// The reported player's.
  var other: String
  /// The different players who have reported the same player.
  var reporterCount: Int
}

extension PlayerLookup {
  /// The newest reports about a player, a few at most by each other one, or the newest one about
  /// each player.
  func reports(
    about player: PlayerID?, limit: Int
  ) throws(OperatorFailure) -> [ReportRow] {
    try onStore { () throws(StoreError) in
      let reports = try store.reports(player, limit)
      let known = Set(reports.flatMap { [$0.report.player, $0.report.other] })
      let names = known.isEmpty ? [:] : try reader.players(known.sorted()).mapValues(\.name)
      func name(_ id: PlayerID) -> String { names[id]?.text ?? "\(id)" }
      return reports.map { kept in
        ReportRow(
          report: kept.report, player: name(kept.report.player), other: name(kept.report.other),
          reporterCount: kept.reporterCount)
      }
    }
  }
}

extension [ReportRow] {
  /// The reports for a person. A text is the player's: it comes last, on its line, in quotation
  /// marks.
  var text: String {
    guard !isEmpty else { return "Nobody is reported." }
    return TextTable(
      header: ["reported", "player", "reporters", "by", "match", "reason", "text"],
      rows: map { row in
        [
          "\(row.report.at)", row.other, "\(row.reporterCount)", row.player, "\(row.report.match)",
          row.report.reason.rawValue, row.report.text?.quoted ?? "-",
        ]
      }, rightAligned: [2]
    ).lines.joined(separator: "\n")
  }

  /// The reports for a program.
  func json() throws(OperatorFailure) -> String {
    try JSONText.encode(ReportsDocument(reports: map(ReportDocument.init)))
  }
}

extension Report.Text {
  /// The text in quotation marks, with single spaces and without further quotation marks. So no
  /// text looks like another column or another row, wherever a terminal breaks the line.
  fileprivate var quoted: String {
    let words = PlainText.oneLine(text).split(whereSeparator: \.isWhitespace)
    // By scalars: a quotation mark with an accent is one, too.
    let scalars = words.joined(separator: " ").unicodeScalars.map { scalar -> Unicode.Scalar in
      scalar == "\"" ? "'" : scalar
    }
    return "\"\(String(String.UnicodeScalarView(scalars)))\""
  }
}

private struct ReportsDocument: Encodable {
  var schema = "cubistd.reports/1"
  var reports: [ReportDocument]
}

struct ReportDocument: Encodable {
  var at, match, reason, player, playerName, by, byName: String
  var reporters: Int
  var text: String?

  init(_ row: ReportRow) {
    let report = row.report
    (at, match, reason) = ("\(report.at)", "\(report.match)", report.reason.rawValue)
    (player, playerName) = ("\(report.other)", row.other)
    (by, byName) = ("\(report.player)", row.player)
    reporters = row.reporterCount
    text = report.text?.text
  }
}
