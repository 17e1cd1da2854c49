import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient

/// `cubist report`
struct ReportCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Report the opponent in a match to the operators.",
    usage: "cubist report <id> --because <reason> [--text <text>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist report 3fa2 --because conduct
        cubist report mallory --because name --text "the name insults my club"
        cubist block mallory           meet the player no more

      Reasons: name (the player's name), words (words played or reactions), cheating, conduct \
      (such as letting time run out again and again), other. The opponent is not told. Another \
      report about the same match takes the place of the first. A day has room for 20.
      """)

  @Argument(help: IDArgument.help, completion: Completion.games) var id: String

  @Option(
    name: .customLong("because"),
    help: .init(
      "The reason: \(Report.Reason.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "reason"),
    completion: .list(Report.Reason.allCases.map(\.rawValue)), transform: ReportCommand.reason)
  var reason: Report.Reason

  @Option(
    help: "More about it, in 1 to \(Report.Text.byteLimit) bytes.",
    transform: ReportCommand.text)
  var text: Report.Text?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func reason(_ text: String) throws -> Report.Reason {
    guard let reason = Report.Reason(rawValue: text) else {
      let known = Report.Reason.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("'\(text)' is no reason. There are \(known).")
    }
    return reason
  }

  private static func text(_ text: String) throws -> Report.Text {
    guard let valid = Report.Text(text) else {
      throw ValidationError(
        "--text has \(text.utf8.count) bytes or a character that cannot be shown. Give 1 to "
          + "\(Report.Text.byteLimit) bytes on one line, without spaces around them.")
    }
    return valid
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let reply = try session.resumed { action in
      guard case .reported(let earlier) = action else { return false }
      return try earlier.reason == reason && earlier.text == text
        && session.means(id, earlier.match, player)
    }
    if case .reported(let match) = try reply?.accepted() { return try report(match, session) }
    let match = try session.match(
      id, player, fitting: { $0.matches.filter { $0.opponent != nil }.map(\.id) },
      named: .runningOrPast,
      nothing: { _ in .nothing("You have no match with an opponent.", next: "cubist games") })
    try player.report(match, because: reason, text: text)
    try report(match, session)
  }

  private func report(_ match: MatchID, _ session: CommandSession) throws {
    let document = ReportDocument(match: match, reason: reason.rawValue, text: text?.text)
    try session.console.show(.report, document) {
      "The operators have your report about match \(NextStep.short(match)). Nobody else is told.\n"
    }
  }
}

/// A report that the operators have.
struct ReportDocument: Encodable {
  var match: MatchID
  var reason: String
  var text: String?
}
