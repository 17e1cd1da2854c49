import ServiceNews
import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient
import TerminalScreen

/// `cubist verify`
struct Verify: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Verify a record offline, or judge a file of test vectors.",
    usage: "cubist verify <file> [--masks] [--receipts] [<options>]",
    discussion: """
      EXAMPLES:
        cubist verify game.json
        cubist verify game.json --json --masks
        cubist export 3fa2 | cubist verify -
        cubist verify game.json --receipts    compare it with the answers that you got

      Exit status: 0 if everything holds (vectors: were judged), 1 if something does not, \
      2 if the file cannot be read. docs/protocol.md lists the limits of a record.
      """)

  @Argument(help: "The file, or - for the standard input.", completion: .file())
  var file: String

  @Flag(help: "With --json, add the playable faces after each move.")
  var masks = false

  @Flag(help: "Compare the record with the answers that this profile received.")
  var receipts = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let bytes = try session.environment.readFile(file)
    if VectorFile.isVectorFile(bytes) {
      guard !receipts else {
        throw CommandFailure(
          .usage, "noRecord", "\(file) holds test vectors, and --receipts is for records.")
      }
      let games = try read { () throws(RecordFileError) in try VectorFile.judge(bytes) }
      return try show(games, session) { VerifyText.vectors(games) }
    }
    let document = try read { () throws(RecordFileError) in try RecordDocument(bytes) }
    let pinned = pinnedKey(of: document, session)
    var report = RecordVerifier(lexicons: session.environment.lexicons, rootKey: pinned)
      .report(on: document)
    if receipts, report.isVerified { try compare(&report, session) }
    try show([report.game], session) {
      VerifyText.record(report, isKeyKnown: pinned == document.rootKey)
    }
    if let fault = report.game.fault {
      throw CommandFailure(.refused, "doesNotHold", fault.description)
    }
  }

  /// Reads the file. The error names it if its content is wrong.
  private func read<Value>(
    _ body: () throws(RecordFileError) -> Value
  ) throws(CommandFailure) -> Value {
    do throws(RecordFileError) {
      return try body()
    } catch {
      let name = file == "-" ? "The standard input" : file
      throw CommandFailure(.unreadable, error.name, RecordText.refusal(error, of: name))
    }
  }

  /// Holds a record against the journal of the profile.
  private func compare(_ report: inout RecordReport, _ session: CommandSession) throws {
    let store = try session.store()
    let profile = try store.loadProfile()
    guard let player = profile.player else { throw ClientError.notRegistered }
    guard profile.service == report.document.service else {
      throw CommandFailure(
        .usage, "otherService",
        "The record is of service \(report.document.service), this profile plays on "
          + "\(profile.service.map { "\($0)" } ?? "none"), and has no receipts of it. "
          + "Choose another profile.",
        next: ["cubist --profile OTHER verify \(ShellWord.quoted(file)) --receipts"])
    }
    let (count, fault) = try store.loadJournal().compare(with: report, of: player)
    report.game.receipts = count
    report.game.fault = fault
  }

  private func show(
    _ games: [GameReport], _ session: CommandSession, _ text: () -> String
  ) throws(OutputFailure) {
    if options.json {
      try session.console.raw(GameReport.encode(games, masks: masks) + [UInt8(ascii: "\n")])
    } else {
      try session.console.raw(Array(text().utf8))
    }
  }

  /// The root key that the profile knows the record's service by.
  private func pinnedKey(of document: RecordDocument, _ session: CommandSession) -> PublicKey? {
    // A record can be verified without any profile; the report says that no key was compared.
    guard let profile = try? session.store().loadProfile(), profile.service == document.service
    else { return nil }
    return profile.rootKey
  }
}

/// The report of a verification, for a person.
enum VerifyText {
  static func vectors(_ games: [GameReport]) -> String {
    let moves = games.reduce(0) { $0 + $1.moves.count }
    let accepted = games.reduce(0) { $0 + $1.moves.count { $0.score != nil } }
    let total = games.reduce(0) { $0 + $1.total }
    return "\(Wording.count(games.count, "game")) of test vectors "
      + "\(games.count == 1 ? "was" : "were") judged: \(Wording.count(moves, "move")), "
      + "\(accepted) accepted, \(Wording.count(total, "point")).\n"
  }

  static func record(_ report: RecordReport, isKeyKnown: Bool) -> String {
    var lines = RecordText.facts(
      report.document, moveCount: report.game.moves.count, isKeyKnown: isKeyKnown, to: .profile)
    if let count = report.game.receipts { lines += receipts(count) }
    return text(lines + [RecordText.verdict(report)])
  }

  private static func receipts(_ count: GameReport.ReceiptCount) -> [String] {
    var lines = [
      count.compared == 0
        ? "The journal of this profile has no receipts of this match: nothing was compared."
        : "It was compared with \(Wording.count(count.compared, "receipt")) of this profile's journal."
    ]
    if count.missing > 0 {
      let isOne = count.missing == 1
      lines.append(
        "\(Wording.count(count.missing, "accepted event")) of an older program \(isOne ? "has" : "have")"
          + " no receipt and \(isOne ? "was" : "were") not compared.")
    }
    if count.damaged > 0 {
      lines.append("\(Wording.count(count.damaged, "line")) of the journal cannot be read.")
    }
    return lines
  }

  private static func text(_ lines: [String]) -> String {
    lines.map { TerminalText.safe($0) + "\n" }.joined()
  }
}
