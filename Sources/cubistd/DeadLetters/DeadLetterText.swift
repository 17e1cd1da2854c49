import CubistBasics
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Dead letters for a person and for a program.
enum DeadLetterText {
  typealias Letter = DeadLetterOperations.Letter
  typealias Finished = (id: DeadEventID, resolution: DeadLetterOperations.Resolution)

  static func list(_ letters: [Letter]) -> String {
    guard !letters.isEmpty else { return "There are none." }
    return TextTable(
      header: ["id", "at", "queue", "what", "player", "reason"],
      rows: letters.map { letter in
        [
          "\(letter.id)", letter.at.map { "\($0)" } ?? "-", PlainText.oneLine(letter.queue),
          letter.kind, letter.player.map { StatusReport.short($0.description) } ?? "-",
          PlainText.oneLine(letter.reason),
        ]
      }
    ).lines.joined(separator: "\n")
  }

  static func text(_ letter: Letter, _ facts: DeadLetterOperations.Facts) -> String {
    var lines: [(String, String)] = [
      ("id", "\(letter.id)"), ("at", letter.at.map { "\($0)" } ?? "unknown"),
      ("queue", letter.queue), ("what", letter.kind),
    ]
    if let player = letter.player { lines.append(("player", "\(player)")) }
    if let event = letter.event { lines.append(("event", "\(event)")) }
    lines.append(("reason", letter.reason))
    if case .message(let message) = letter {
      for death in message.deaths {
        let time = death.at.map { "\($0) " } ?? ""
        lines.append(
          (
            "death",
            "\(time)\(death.reason) in \(death.queue), \(PlainText.count(death.count, "time"))"
          ))
      }
    }
    if let reply = facts.reply { lines.append(("reply", reply)) }
    if let obstacle = facts.obstacle { lines.append(("note", obstacle)) }
    for act in facts.acts { lines.append(("tried", "\(act.at) \(act.act): \(act.detail)")) }
    lines.append(("payload", letter.payload))
    return LabeledLines.text(lines)
  }

  static func text(_ done: String, _ results: [Finished]) -> String {
    guard !results.isEmpty else { return "There are none." }
    return results.map { result in
      switch result.resolution {
      case .done: "\(done): \(result.id)"
      case .left(let reason): "! \(result.id) is left: \(reason)"
      }
    }.joined(separator: "\n")
  }

  static func json(
    _ letters: [Letter], _ facts: DeadLetterOperations.Facts? = nil
  ) throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Death: Encodable {
        var queue, reason: String
        var count: Int
        var at: String?
      }
      struct Act: Encodable {
        var at, act, detail: String
      }
      struct Row: Encodable {
        var id, kind, queue, reason, payload, body: String
        var at, player, event: String?
        var deaths: [Death]
      }
      var schema = "cubistd.dead-letters/2"
      var deadLetters: [Row]
      var reply, note: String?
      var tried: [Act]?
    }
    let rows = letters.map { letter in
      var deaths: [DeadLetter.Death] = []
      if case .message(let message) = letter { deaths = message.deaths }
      return Document.Row(
        id: "\(letter.id)", kind: letter.kind, queue: letter.queue, reason: letter.reason,
        payload: letter.payload, body: Hex.encode(letter.body),
        at: letter.at.map { "\($0)" }, player: letter.player.map { "\($0)" },
        event: letter.event.map { "\($0)" },
        deaths: deaths.map {
          Document.Death(
            queue: $0.queue, reason: $0.reason, count: $0.count, at: $0.at.map { "\($0)" })
        })
    }
    return try JSONText.encode(
      Document(
        deadLetters: rows, reply: facts?.reply, note: facts?.obstacle,
        tried: facts?.acts.map {
          Document.Act(at: "\($0.at)", act: $0.act, detail: $0.detail)
        }))
  }

  static func json(_ done: String, _ results: [Finished]) throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Left: Encodable {
        var id, reason: String
      }
      var schema = "cubistd.dead-letters-settled/1"
      var done: String
      var settled: [String]
      var left: [Left]
    }
    var document = Document(done: done, settled: [], left: [])
    for result in results {
      switch result.resolution {
      case .done: document.settled.append("\(result.id)")
      case .left(let reason): document.left.append(.init(id: "\(result.id)", reason: reason))
      }
    }
    return try JSONText.encode(document)
  }
}

extension DeadLetterOperations.Letter {
  /// Its kind, in a word.
  var kind: String {
    switch content {
    case .event(let event): event.action.typeName
    case .jobs(let jobs):
      jobs.count == 1
        ? "push job \(jobs[0].kind.rawValue)"
        : "\(jobs.count) push jobs: \(Set(jobs.map(\.kind.rawValue)).sorted().joined(separator: " "))"
    case .unknown: "unreadable"
    }
  }

  var player: PlayerID? {
    if case .event(let row) = self { return row.event.player }
    return switch content {
    case .event(let event): event.player
    case .jobs(let jobs): Set(jobs.map(\.player)).count == 1 ? jobs[0].player : nil
    case .unknown: nil
    }
  }

  fileprivate var event: EventID? {
    if case .event(let row) = self { return row.event.event }
    if case .event(let event) = content { return event.id }
    return nil
  }

  /// Its content: text that a terminal can show, or bytes where it is no text of ours.
  fileprivate var payload: String {
    let bytes: [UInt8]
    switch content {
    case .jobs: bytes = body
    case .event, .unknown:
      guard let signed = try? Envelope.decode(body) else {
        return body.count == 1
          ? "1 byte that is no envelope: \(hex(body))"
          : "\(body.count) bytes that are no envelope: \(hex(body))"
      }
      bytes = signed.payload
    }
    return String(validating: bytes, as: UTF8.self).map(PlainText.oneLine) ?? hex(bytes)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    Hex.encode(bytes.prefix(256)) + (bytes.count > 256 ? "…" : "")
  }
}

/// Text that somebody else wrote, as a terminal can show it.
enum PlainText {
  /// So many of something: `1 message`, `2 messages`.
  static func count(_ count: Int, _ thing: String, _ things: String? = nil) -> String {
    "\(count) \(count == 1 ? thing : things ?? thing + "s")"
  }

  /// A span of time in its two greatest units, rounded up: `90 s`, `12 h`, `1 day 3 h`.
  static func span(_ seconds: Int64) -> String {
    if seconds < 120 { return "\(seconds) s" }
    let minutes = up(seconds, 60)
    if minutes < 60 { return "\(minutes) min" }
    if minutes < 24 * 60 { return pair("\(minutes / 60) h", minutes % 60, "min") }
    let hours = up(minutes, 60)
    return pair("\(hours / 24) \(hours / 24 == 1 ? "day" : "days")", hours % 24, "h")
  }

  private static func pair(_ whole: String, _ rest: Int64, _ unit: String) -> String {
    rest == 0 ? whole : "\(whole) \(rest) \(unit)"
  }

  private static func up(_ count: Int64, _ unit: Int64) -> Int64 {
    count / unit + (count % unit == 0 ? 0 : 1)
  }

  /// Without characters that could move the cursor, break the line, hide the rest or turn its
  /// direction.
  static func oneLine(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            "\u{fffd}"
          default: scalar
          }
        }))
  }
}
