import CustomDump
import Testing

/// Whatever concerns players goes by the service's time, the view `service_clock`. The rest may
/// look at the database's clock itself, which can jump.
@Suite("The database's clock in SQL")
struct ServiceTimeTests {
  /// Statements of the sources, and parts of schema.sql, that look at the clock itself.
  static let exemptions: [(reason: String, names: [String])] = [
    ("they make the service's time", ["service_clock", "time"]),
    (
      "signs of life: the next one corrects what a jump makes of them",
      [
        "beat", "brokerClaim", "clampHeartbeats", "clampRoles", "finishClaim", "forgetRoles",
        "forgetWorkers", "formerRoles", "heartbeat", "livingWorkers", "renewClaim", "standing",
        "statusBase",
      ]
    ),
    ("problems, beside signs of life", ["cubist_note_problems", "noteDamaged", "problems"]),
    (
      "work that failed is tried again: a jump changes when, and no result",
      [
        "cubist_put_off_rank", "cubist_rank", "cubist_rank_next", "nextToRank", "ratingMeetings",
        "ratingWork", "setAside",
      ]
    ),
    (
      "the outbox: a job that is taken too early is sent once all the same",
      ["claimJobs", "insertJobs", "pushCounts", "stopRecovery"]
    ),
    ("the server's own times are compared", ["rowLocks"]),
    (
      "operators compare their acts with other logs",
      [
        "addCertificate", "createCode", "hidden_words", "hideWord",
        "insertService", "keepAct", "keepFormerRows", "keepPushKey", "keepRebuild",
        "removeDeadEvent", "removeDeadJob", "removePlayer", "revokeKey", "setRegistration",
        "showWord", "stopInvitations",
      ]
    ),
    ("rows of a new database", ["housekeeping", "schema_version"]),
  ]

  /// The names of what looks at the clock itself: each stands in front of its text.
  static func names(in lines: some Sequence<Substring>) -> Set<String> {
    let name = /SQL\("(\w+)"|^ *"(\w+)",|^CREATE \w+ (\w+)|^INSERT INTO (\w+)/
    let clock =
      /(?:statement|transaction|clock)_timestamp\(\)|\b(?:current|local)_?time|(?:^|[^.\w])now\(\)/
      .ignoresCase()
    let swift = /^ *(?:\/\/|--)|func now\(\)|try now\(\)/
    var (current, found) = ("", Set<String>())
    for line in lines {
      if let match = line.firstMatch(of: name) {
        current = String(match.1 ?? match.2 ?? match.3 ?? match.4 ?? "")
      }
      if line.contains(clock), !line.contains(swift) { found.insert(current) }
    }
    return found
  }

  @Test("No statement looks at the database's clock itself, except those that say why")
  func tree() throws {
    var found = Self.names(in: try Tree.text("schema.sql").split(separator: "\n"))
    for (path, source) in try SourceText.all.get() where path.hasPrefix("Sources/MatchStoreLive/") {
      found.formUnion(Self.names(in: source.lines))
    }
    expectNoDifference(found.sorted(), Self.exemptions.flatMap(\.names).sorted())
  }

  @Test(
    "A look at the clock is found, with the name of its statement",
    arguments: [
      "statement_timestamp()", "CLOCK_TIMESTAMP()", "now()", "current_timestamp", "localtime",
    ])
  func found(clock: String) {
    let lines = ["  static let late = SQL(", "    \"late\",", "    SELECT \(clock)"]
    #expect(Self.names(in: lines.map { $0[...] }) == ["late"])
    #expect(Self.names(in: ["CREATE FUNCTION late()", "  at > \(clock)"]) == ["late"])
    #expect(Self.names(in: ["  // as \(clock)", "  let now = try now()", "store.now()"]).isEmpty)
  }
}
