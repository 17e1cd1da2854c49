import ArgumentParser
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

struct DeadLettersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead-letters",
    abstract: "Look at events that a known player signed and no worker could handle.",
    subcommands: [List.self, Show.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List them, the newest first.",
      discussion: """
        Examples:
          cubistd dead-letters list
          cubistd dead-letters list --limit 500 --json
        """)

    @Option(help: "How many to list, 1 to 10000.")
    var limit = 50
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
      guard 1...10_000 ~= limit else {
        throw ValidationError("--limit is \(limit), not 1 to 10000.")
      }
    }

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let settings = try ServiceSettings.load(needing: [.database])
        let store = try OperatorConnection.store(settings, as: "dead-letters")
        let rows = try onStore { () throws(StoreError) in try store.deadEvents(limit) }
        Output.out(try json ? DeadLetters.json(rows) : DeadLetters.list(rows))
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one of them with what it says.",
      discussion: """
        Examples:
          cubistd dead-letters show 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11
        """)

    @Argument(help: "The id that `list` shows.")
    var id: String
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        guard let wanted = DeadEventID(id) else {
          throw .unreadable("\"\(id)\" is no id; `cubistd dead-letters list` shows them")
        }
        let settings = try ServiceSettings.load(needing: [.database])
        let store = try OperatorConnection.store(settings, as: "dead-letters")
        let row = try onStore { () throws(StoreError) in try store.deadEvent(wanted) }
        guard let row else {
          throw .notFound("there is no dead event \(id); they are kept for 30 days")
        }
        Output.out(try json ? DeadLetters.json([row]) : DeadLetters.text(row))
      }
    }
  }
}

/// Dead events for a person and for a program.
enum DeadLetters {
  static func list(_ rows: [DeadEventRow]) -> String {
    guard !rows.isEmpty else { return "There are none." }
    return TextTable(
      header: ["id", "at", "queue", "player", "reason"],
      rows: rows.map { row in
        [
          "\(row.id)", "\(row.at)", "\(row.event.queue)",
          StatusReport.short(row.event.player.description), PlainText.oneLine(row.event.reason),
        ]
      },
      rightAligned: [2]
    ).lines.joined(separator: "\n")
  }

  static func text(_ row: DeadEventRow) -> String {
    """
    id       \(row.id)
    at       \(row.at)
    queue    \(row.event.queue)
    player   \(row.event.player)
    event    \(row.event.event)
    reason   \(PlainText.oneLine(row.event.reason))
    payload  \(payload(row))
    """
  }

  static func json(_ rows: [DeadEventRow]) throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Row: Encodable {
        var id, at, player, event, reason, payload: String
        var queue: Int
      }
      var schema = "cubistd.dead-letters/1"
      var deadLetters: [Row]
    }
    return try JSONText.encode(
      Document(
        deadLetters: rows.map {
          Document.Row(
            id: "\($0.id)", at: "\($0.at)", player: "\($0.event.player)",
            event: "\($0.event.event)", reason: $0.event.reason, payload: payload($0),
            queue: $0.event.queue)
        }))
  }

  /// What was signed, as text that a terminal can show.
  private static func payload(_ row: DeadEventRow) -> String {
    do throws(Refusal) {
      let signed = try Envelope.decode(row.event.body)
      return PlainText.oneLine(String(decoding: signed.payload, as: UTF8.self))
    } catch {
      return "\(row.event.body.count) bytes that are no envelope"
    }
  }
}

/// Text that somebody else wrote, as a terminal can show it.
enum PlainText {
  /// Without control characters, which could move the cursor or hide what follows.
  static func oneLine(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.value {
          case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: "\u{fffd}"
          default: scalar
          }
        }))
  }
}
