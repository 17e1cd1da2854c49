import CubistBasics
import MatchCore
import MatchInterfaces

/// Finds a push job by its id or the id's first digits.
struct PushExplainer {
  var store: OperatorStore

  /// So many digits at least, so that a slip of the finger does not find just any job.
  static let leastDigits = 4
  private static let listed = 10

  func explain(_ text: String) throws(OperatorFailure) -> PushStory {
    let range = try PushExplainer.range(text)
    let found = try onStore(try store.pushStories(range, PushExplainer.listed))
    guard let first = found.first else {
      throw .notFound(
        """
        The database knows no push job \(PlainText.oneLine(text)).
        It may be in the broker's queue, where nobody can look for it (`cubistd push status` \
        counts the jobs there), or it was dealt with more than 30 days ago.
        """)
    }
    guard found.count == 1 else {
      let ids = found.map { "\($0.id)" }.joined(separator: "\n")
      throw .unreadable("Several push jobs begin with \(PlainText.oneLine(text)):\n\(ids)")
    }
    return first
  }

  /// The ids that begin with some digits. Dashes do not count.
  static func range(_ text: String) throws(OperatorFailure) -> ClosedRange<PushJobID> {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard leastDigits...32 ~= digits.count else {
      throw .unreadable(
        "\"\(PlainText.oneLine(text))\" is no push job's id, nor its first digits "
          + "(\(leastDigits) to 32)")
    }
    var number: UInt128 = 0
    for digit in digits {
      guard let value = Hex.value(of: digit) else {
        throw .unreadable("\"\(PlainText.oneLine(text))\" is not hexadecimal")
      }
      number = number << 4 | UInt128(value)
    }
    let missing = UInt128(4 * (32 - digits.count))
    let lowest = number << missing
    let highest = lowest | ((UInt128(1) << missing) &- 1)
    return PushJobID(rawValue: lowest)...PushJobID(rawValue: highest)
  }
}

extension PushStory {
  /// Where the job is now, in one sentence.
  var place: String {
    if let end {
      let reason = end.reason.map { ": \(PushStory.meaning(of: $0))" } ?? ""
      return "\(end.fate) at \(end.at)\(reason)"
    }
    if let hold {
      let reason = HoldReason(rawValue: hold.reason)?.text ?? PlainText.oneLine(hold.reason)
      return "held until \(hold.until): \(reason)"
    }
    if let owedAt {
      return "in the outbox since \(owedAt), and in the broker's queue or on its way there"
    }
    return "nowhere in the database"
  }

  /// The story for a person.
  var text: String {
    var lines: [(String, String)] = [
      ("id", "\(id)"), ("kind", kind), ("player", "\(player)"),
    ]
    if let match { lines.append(("match", "\(match)")) }
    if let turn { lines.append(("turn", "\(turn)")) }
    if let day { lines.append(("day", "\(day)")) }
    lines.append(("now", place))
    if end != nil, let hold { lines.append(("held", "until \(hold.until), once more")) }
    if let seenAt = end?.seenAt { lines.append(("seen", "\(seenAt)")) }
    for letter in letters {
      lines.append(("dead letter", "\(letter.id) at \(letter.at): \(letter.reason)"))
    }
    for device in devices {
      let answer = device.answer.map { text in
        "; last answer \(device.answeredAt.map { "at \($0)" } ?? ""): \(text)"
      }
      let arrival = device.arrivedAt.map { "; something last arrived at \($0)" } ?? ""
      lines.append(
        (
          "device",
          "\(device.name) (\(device.service), \(device.permission))\(arrival)\(answer ?? "")"
        ))
    }
    if devices.isEmpty { lines.append(("device", "the player has none today")) }
    return LabeledLines.text(lines) + "\n"
  }

  /// The stored reason for a job's end, as a person reads it.
  static func meaning(of reason: String) -> String {
    PushReason(rawValue: reason)?.text ?? PlainText.oneLine(reason)
  }

  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Hold: Encodable {
        var since, until, reason: String
      }
      struct End: Encodable {
        var at, fate: String
        var reason, seenAt: String?
      }
      struct Letter: Encodable {
        var id, at, reason: String
      }
      struct Reached: Encodable {
        var name, service, permission: String
        var arrivedAt, answer, answeredAt: String?
      }
      var schema = "cubistd.push-job/1"
      var job, kind, player: String
      var match: String?
      var turn: Int?
      var day, owedAt: String?
      var held: Hold?
      var end: End?
      var deadLetters: [Letter]
      var devices: [Reached]
    }
    return try JSONText.encode(
      Document(
        job: "\(id)", kind: kind, player: "\(player)", match: match.map { "\($0)" }, turn: turn,
        day: day.map { "\($0)" }, owedAt: owedAt.map { "\($0)" },
        held: hold.map { .init(since: "\($0.since)", until: "\($0.until)", reason: $0.reason) },
        end: end.map {
          .init(at: "\($0.at)", fate: $0.fate, reason: $0.reason, seenAt: $0.seenAt.map { "\($0)" })
        },
        deadLetters: letters.map { .init(id: "\($0.id)", at: "\($0.at)", reason: $0.reason) },
        devices: devices.map {
          .init(
            name: $0.name, service: $0.service, permission: $0.permission,
            arrivedAt: $0.arrivedAt.map { "\($0)" }, answer: $0.answer,
            answeredAt: $0.answeredAt.map { "\($0)" })
        }))
  }
}

extension HoldReason {
  fileprivate var text: String {
    switch self {
    case .quietHours: "the player's quiet hours last until then (quietHours)"
    case .bundle: "the player was told of a match shortly before (bundle)"
    }
  }
}

extension PushReason {
  fileprivate var text: String {
    let meaning =
      switch self {
      case .muted: "the player has switched this kind off"
      case .blocked: "one of the two players has blocked the other"
      case .noPermission: "none of the player's devices allows notifications"
      case .noDevice: "the player has no device"
      case .noProvider: "no provider is set up for the player's devices"
      case .gone: "all of the player's devices are gone"
      case .answered: "the turn was answered before"
      case .matchOver: "the match was over before"
      case .dayOver: "the day was over before"
      case .expired: "its time had ended before it could be sent"
      case .quietHours: "it could not wait for the end of the quiet hours, and is not wanted there"
      case .bundled: "one notification told of it and of others"
      case .silent: "it came without a sound: in quiet hours, or beside another one"
      case .refused: "the providers refused it for good"
      case .exhausted: "the providers did not take it in any attempt"
      case .unreadable: "the store could not read what it is about"
      case .endedWorkers: "workers ended while they handed it over"
      }
    return "\(meaning) (\(rawValue))"
  }
}
