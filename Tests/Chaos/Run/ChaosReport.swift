import Foundation

/// The outcome of a run.
package struct ChaosReport: Sendable, Encodable {
  /// The version of this document.
  package var schema = "cubist.chaos/1"
  /// The seed of the faults.
  package var seed: UInt64
  /// How long faults happened, in seconds.
  package var seconds = 0.0
  /// The players' load.
  package var load = Load()
  /// The injected faults, by kind.
  package var faults: [FaultRow] = []
  /// How often each role and each server was seen to be struck.
  package var strikes: [String: Int] = [:]
  /// The roles that were replaced by those of another build; nil in a run with faults.
  package var upgrades: Upgrades?
  /// The hostile players' attacks; nil where there were none.
  package var attacks: Attacks?
  /// How the check of the database by `cubistd check` ended.
  package var check = Check()
  /// Events that workers gave up on and kept; their senders were answered nevertheless.
  package var deadEvents = 0
  /// Messages that the broker gave up on and kept.
  package var deadLetters = 0
  /// Everything that is not as it must be; none in a good run.
  package var findings: [Finding] = []

  /// A report of a run that has yet to begin.
  package init(seed: UInt64) { self.seed = seed }

  /// How many promises were broken.
  package var lost: Int { findings.count { $0.kind == .lost } }
  /// How many things happened more often than asked for.
  package var doubled: Int { findings.count { $0.kind == .doubled } }
  /// Whether everything was as it must be.
  package var isGood: Bool { findings.isEmpty }

  /// The players' load.
  package struct Load: Sendable, Encodable {
    /// Players.
    package var players = 0
    /// Matches in the database.
    package var matches = 0
    /// Turns that were accepted.
    package var turns = 0
    /// Events that were sent.
    package var events = 0
    /// How often one was sent again.
    package var resends = 0
    /// How often a full queue refused one.
    package var queueFull = 0
    /// Push jobs that were handed over.
    package var pushes = 0
    /// How often one was handed over again.
    package var pushRepeats = 0
    /// Refusals by name.
    package var refusals: [String: Int] = [:]
    /// Accepted turns a second, outages included.
    package var turnsPerSecond = 0.0
  }

  /// Roles that were replaced by those of another build.
  package struct Upgrades: Sendable, Encodable {
    /// How often every role was replaced by the present build, and by the former one again.
    package var rounds = 0
    /// Processes that left and were followed by one of the other build.
    package var replaced = 0
    /// Running matches whose deadline was compared before and after a replacement, each time.
    package var comparedDeadlines = 0
    /// The most that a queue was credited while one process was replaced, in seconds.
    package var creditSeconds = 0.0
  }

  /// The hostile players' attacks.
  package struct Attacks: Sendable, Encodable {
    /// Accounts that they had.
    package var accounts: Int
    /// Messages that reached the broker.
    package var messages: Int
    /// How often each ``AttackKind`` did.
    package var kinds: [String: Int]
  }

  /// Faults of one kind.
  package struct FaultRow: Sendable, Encodable {
    /// A ``FaultKind``, or `several-at-once`.
    package var kind: String
    package var count: Int
    /// How often `cubistd status` was asked while it was held and named it.
    package var named: Int
    /// The median of the seconds until every queue answered turns again; nil where the kind never
    /// came alone.
    package var medianRecoverySeconds: Double?
    /// The longest of these recoveries.
    package var longestRecoverySeconds: Double?

    init(_ kind: String, count: Int, named: Int, recoveries: [Double]) {
      self.kind = kind
      self.count = count
      self.named = named
      let sorted = recoveries.sorted()
      medianRecoverySeconds = sorted.isEmpty ? nil : sorted[sorted.count / 2]
      longestRecoverySeconds = sorted.last
    }
  }

  /// The result of `cubistd check`.
  package struct Check: Sendable, Codable {
    /// Matches it looked at.
    package var matches = 0
    /// Entries it looked at.
    package var entries = 0
  }

  private enum CodingKeys: String, CodingKey {
    case schema, seed, seconds, load, faults, strikes, upgrades, attacks, check,
      deadEvents, deadLetters,
      lost,
      doubled,
      findings
  }

  /// Writes the document; `lost` and `doubled` are counted from the findings.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(schema, forKey: .schema)
    try container.encode(seed, forKey: .seed)
    try container.encode(seconds, forKey: .seconds)
    try container.encode(load, forKey: .load)
    try container.encode(faults, forKey: .faults)
    try container.encode(strikes, forKey: .strikes)
    try container.encodeIfPresent(upgrades, forKey: .upgrades)
    try container.encodeIfPresent(attacks, forKey: .attacks)
    try container.encode(check, forKey: .check)
    try container.encode(deadEvents, forKey: .deadEvents)
    try container.encode(deadLetters, forKey: .deadLetters)
    try container.encode(lost, forKey: .lost)
    try container.encode(doubled, forKey: .doubled)
    try container.encode(findings, forKey: .findings)
  }

  /// One JSON object on one line.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// Tables for a person.
  package var text: String {
    var lines: [String] = []
    if let upgrades {
      lines += [
        "seed \(seed): \(Int(seconds)) s, to this build and back \(upgrades.rounds) times",
        "\(upgrades.replaced) processes replaced, "
          + "\(upgrades.comparedDeadlines) deadlines compared, "
          + String(format: "at most %.1f s credited to a queue", upgrades.creditSeconds),
      ]
    } else {
      lines += ["seed \(seed): faults for \(Int(seconds)) s", ""]
      lines.append(ChaosReport.row("fault", "count", "recovery median", "longest"))
    }
    for fault in faults {
      lines.append(
        ChaosReport.row(
          fault.kind, "\(fault.count)", ChaosReport.duration(fault.medianRecoverySeconds),
          ChaosReport.duration(fault.longestRecoverySeconds)))
    }
    let struck = strikes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    if upgrades == nil {
      lines += ["", "struck: " + (struck.isEmpty ? "nothing" : struck.joined(separator: ", "))]
    }
    lines += [
      "",
      "\(load.players) players, \(load.matches) matches, \(load.turns) turns accepted "
        + String(format: "(%.0f a second, outages included)", load.turnsPerSecond),
      "\(load.events) events, sent again \(load.resends) times, "
        + "refused by full queues \(load.queueFull) times",
      "\(load.pushes) push jobs handed over, \(load.pushRepeats) of them again; "
        + "\(deadEvents) dead events, \(deadLetters) dead letters",
    ]
    if let attacks {
      let counts = attacks.kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      lines.append(
        "\(attacks.accounts) hostile accounts sent \(attacks.messages) messages: "
          + counts.joined(separator: ", "))
    }
    lines += [
      "cubistd check: \(check.matches) matches with \(check.entries) entries", "",
      "lost \(lost), doubled \(doubled)",
    ]
    lines += findings.prefix(50).map { "! \($0)" }
    if findings.count > 50 { lines.append("! … and \(findings.count - 50) more") }
    return lines.joined(separator: "\n")
  }

  private static func duration(_ seconds: Double?) -> String {
    seconds.map { String(format: "%.1f s", $0) } ?? "-"
  }

  private static func row(_ name: String, _ columns: String...) -> String {
    name.padding(toLength: 22, withPad: " ", startingAt: 0)
      + columns.map { String(repeating: " ", count: max(1, 17 - $0.count)) + $0 }.joined()
  }
}
