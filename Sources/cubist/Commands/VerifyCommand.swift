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
        cubist verify game.json --receipts    compare it with the answers that you received, too

      Exit status: 0 if everything holds (vectors: were judged), 1 if something does not,
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
      return show(games, session) { VerifyText.vectors(games) }
    }
    let document = try read { () throws(RecordFileError) in try RecordDocument(bytes) }
    let pinned = pinnedKey(of: document, session)
    var report = RecordVerifier(lexicons: session.environment.lexicons, rootKey: pinned)
      .report(on: document)
    if receipts, report.isVerified { try compare(&report, session) }
    show([report.game], session) { VerifyText.record(report, isKeyPinned: pinned != nil) }
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
      switch error {
      case .malformed(let fault):
        throw CommandFailure(
          .unreadable, error.name, "\(name) is not a Cubist record: \(VerifyText.reason(fault)).")
      case .tooLarge, .unsupportedVersion:
        throw CommandFailure(.unreadable, error.name, "\(name): \(error.description)")
      }
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

  private func show(_ games: [GameReport], _ session: CommandSession, _ text: () -> String) {
    if options.json {
      session.console.raw(GameReport.encode(games, masks: masks) + [UInt8(ascii: "\n")])
    } else {
      session.console.raw(Array(text().utf8))
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

  static func record(_ report: RecordReport, isKeyPinned: Bool) -> String {
    let document = report.document
    var lines = [
      "Match \(document.match) of service \(document.service)",
      "Rules \(document.rules), word list \(document.lexicon), "
        + "\(Wording.count(document.entries.count, "entry", "entries")), "
        + Wording.count(report.game.moves.count, "move"),
    ]
    for (index, seat) in document.seats.enumerated() {
      let player = seat.player?.description ?? "nobody"
      let points = document.points.indices.contains(index) ? document.points[index] : 0
      lines.append("Seat \(index): \(player), \(Wording.count(points, "point"))")
    }
    lines.append("It ended: \(reason(document))")
    lines.append(
      isKeyPinned
        ? "The root key is the one that this profile knows."
        : "The root key is \(document.rootKey); this profile cannot say whose it is.")
    if let count = report.game.receipts { lines += receipts(count) }
    guard report.isVerified else {
      return text(lines + ["NOT VERIFIED."])
    }
    return text(
      lines + [
        "VERIFIED: rules, scores, turn order, deadlines, hash chain, signatures and outcome hold."
      ])
  }

  private static func reason(_ document: RecordDocument) -> String {
    let outcome = document.outcome
    let who = outcome.seat.map { "the player of seat \($0)" } ?? "a player"
    // The last entry says that the match has ended.
    if outcome.reason == .aborted, let cause = document.entries.dropLast().last,
      (try? PayloadCodec.forfeiter(by: cause.signed.payload)) != nil
    {
      return Wording.gaveUpAtOnce(who)
    }
    return Wording.reason(outcome.reason, who: who)
  }

  /// The fault of a file, in words; a mistake in JSON is told by its byte.
  static func reason(_ fault: String) -> String {
    guard fault.hasPrefix("byte ") else { return fault }
    let byte = fault.dropFirst(5).prefix { $0.isNumber }
    return byte == "0" ? "not JSON" : "not JSON from byte \(byte) on"
  }

  private static func receipts(_ count: GameReport.ReceiptCount) -> [String] {
    var lines = [
      count.compared == 0
        ? "The journal of this profile has no receipts of this match: nothing was compared."
        : "It was held against \(Wording.count(count.compared, "receipt")) of this profile's journal."
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
