import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire

/// Looks players up, and their matches.
struct PlayerLookup {
  struct Found {
    var row: ReaderStore.PlayerRow
    var account: AccountRow
    var matchCount: Int
    /// The newest reports about the player.
    var reports: [ReportRow] = []
  }

  /// A match as one of its players finds it.
  struct Row {
    var match: MatchID
    var stage: String
    var since: Instant
    var opponent: String
    /// Its end; nil while it is not over.
    var end: (result: Outcome.Result, reason: Outcome.Reason)?
  }

  let reader: ReaderStore
  let store: OperatorStore

  /// A player by name or id.
  func player(_ text: String) throws(OperatorFailure) -> ReaderStore.PlayerRow {
    let found = try onStore { () throws(StoreError) -> ReaderStore.PlayerRow? in
      if let id = PlayerID(text) { return try reader.players([id])[id] }
      guard let name = PlayerName(text) else { return nil }
      return try reader.player(name)
    }
    guard let found else {
      throw .notFound("there is no player \(PlainText.oneLine(text)), neither as name nor as id")
    }
    return found
  }

  /// A player with keys, matches, the last sign of life and so many reports.
  func find(_ text: String, reports limit: Int = 20) throws(OperatorFailure) -> Found {
    let row = try player(text)
    let reports = try reports(about: row.id, limit: limit)
    return try onStore { () throws(StoreError) in
      Found(
        row: row, account: try store.account(row.id),
        matchCount: try reader.currentMatches(row.id, 0, 0).count, reports: reports)
    }
  }

  /// How many running and how many past matches a short id is looked for among.
  private static let recent = 1_000

  /// A match by its id, or by the end of it that one of its players sees.
  func match(_ text: String, of player: String?) throws(OperatorFailure) -> MatchID {
    if let id = MatchID(text) { return id }
    let end = text.lowercased()
    guard !end.isEmpty, end.allSatisfy({ $0.isHexDigit && $0.isASCII || $0 == "-" }) else {
      throw .unreadable("\"\(PlainText.oneLine(text))\" is no match's id")
    }
    guard let player else {
      throw .unreadable(
        "\"\(text)\" is only the end of a match's id, as players see it: say whose match it is, "
          + "with --player NAME")
    }
    let owner = try self.player(player)
    let rows = try matches(of: owner.id, limit: PlayerLookup.recent)
    let found = rows.map(\.match).filter { "\($0)".hasSuffix(end) }
    guard let match = found.first else {
      throw .notFound(
        "no match of \(owner.name) that is running or recent ends with \(text); `cubistd matches "
          + "--player \(owner.name)` lists them")
    }
    guard found.count == 1 else {
      throw .unreadable(
        "several matches of \(owner.name) end with \(text): "
          + found.map { "\($0)" }.joined(separator: ", "))
    }
    return match
  }

  /// The same, where the match may be damaged. With a player it has to be that player's by the rows
  /// that it is found by.
  func match(_ text: String, amongThoseOf player: String?) throws(OperatorFailure) -> MatchID {
    let match = try match(text, of: player)
    guard let player else { return match }
    let owner = try self.player(player)
    let rows = try matches(of: owner.id, limit: PlayerLookup.recent)
    guard rows.contains(where: { $0.match == match }) else {
      throw .notFound(
        "\(owner.name) does not play match \(match); `cubistd matches --player \(owner.name)` lists "
          + "that player's")
    }
    return match
  }

  /// A player's matches: damaged ones, others that are not over, then past games, each the newest
  /// first.
  func matches(of player: PlayerID, limit: Int) throws(OperatorFailure) -> [Row] {
    try onStore { () throws(StoreError) in
      let found = try reader.currentMatches(player, limit, limit)
      let current = found.matches + found.invitations
      let past = try reader.pastGames(
        .init(player: player, opponent: nil, before: nil, limit: limit))
      let others = current.map { $0.seats.compactMap(\.playerOrInvited).first { $0 != player } }
      let known = Set(others.compactMap { $0 } + past.compactMap(\.game.opponent))
      let names = known.isEmpty ? [:] : try reader.players(known.sorted()).mapValues(\.name)
      func name(_ id: PlayerID?) -> String { id.map { names[$0]?.text ?? "\($0)" } ?? "-" }
      let running = zip(current, others).prefix(limit).map { match, other in
        Row(
          match: match.id, stage: match.stage.name.rawValue, since: match.dealtAt,
          opponent: name(other))
      }
      let damaged = found.damaged.map {
        Row(match: $0, stage: "damaged", since: $0.time, opponent: "-")
      }
      let over = past.map { row in
        Row(
          match: row.match, stage: "ended", since: row.game.endedAt,
          opponent: name(row.game.opponent),
          end: (row.game.result, row.game.reason))
      }
      return damaged + running + over
    }
  }
}

extension PlayerLookup.Found {
  /// The player for a person.
  var text: String {
    var lines: [(String, String)] = [
      ("player", "\(row.id)"), ("name", row.name.text), ("since", "\(row.registeredAt)"),
      ("seen", account.lastSeenAt.map { "\($0)" } ?? "not within 8 days"),
      ("matches", "\(matchCount) not over"), ("rating", rating),
      ("reports", reportCounts),
    ]
    if let end = account.goneAt {
      lines.append(("ended", "\(end); `cubistd acts` says if an operator did it"))
    } else if let end = account.leavesAt {
      lines.append(("ends", "at \(end) or later: the player has asked for that"))
    }
    for key in account.keys {
      lines.append(("key", key.text))
    }
    for invitation in account.invitations {
      lines.append(
        ("invitation", "of a device until \(invitation.until), by \(invitation.inviter)"))
    }
    if let recovery = account.recovery { lines += PlayerLookup.lines(of: recovery) }
    let text = LabeledLines.text(lines)
    return reports.isEmpty ? text : text + "\n\n" + reports.text
  }

  /// A player who sends many reports is one player.
  private var reportCounts: String {
    let late = PlainText.count(account.lateReporterCount, "player")
    let all = PlainText.count(account.reporterCount, "player")
    return "by \(late) in 30 days, by \(all) in all, \(account.reportCount) kept"
  }

  private var rating: String {
    let standing = row.rating
    guard standing.matchCount > 0 else { return "no rated match yet" }
    let view = (standing.rating.points, standing.rating.deviationPoints)
    return "\(view.0) ± \(view.1) after "
      + PlainText.count(standing.matchCount, "match", "matches")
  }

  /// The player for a program.
  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      struct Key: Encodable {
        var key, addedAt, origin: String
        var inviter, revokedAt, remover: String?
      }
      struct Invitation: Encodable { var inviter, until: String }
      struct Rating: Encodable { var rating, deviation, matches: Int }
      struct Reports: Encodable {
        var in30Days, kept, players, playersIn30Days: Int
        var newest: [ReportDocument]
      }
      var schema = "cubistd.player/1"
      var player, name, registeredAt: String
      var lastSeenAt, leavesAt, goneAt: String?
      var currentMatches: Int
      var rating: Rating?
      var keys: [Key]
      var invitations: [Invitation]
      var recovery: RecoveryDocument?
      var reports: Reports
    }
    let standing = row.rating
    return try JSONText.encode(
      Document(
        player: "\(row.id)", name: row.name.text, registeredAt: "\(row.registeredAt)",
        lastSeenAt: account.lastSeenAt.map { "\($0)" },
        leavesAt: account.leavesAt.map { "\($0)" }, goneAt: account.goneAt.map { "\($0)" },
        currentMatches: matchCount,
        rating: standing.matchCount == 0
          ? nil
          : Document.Rating(
            rating: standing.rating.points, deviation: standing.rating.deviationPoints,
            matches: standing.matchCount),
        keys: account.keys.map {
          Document.Key(
            key: "\($0.key)", addedAt: "\($0.addedAt)", origin: $0.origin.name,
            inviter: $0.origin.inviter.map { "\($0)" }, revokedAt: $0.revokedAt.map { "\($0)" },
            remover: $0.remover.map { "\($0)" })
        },
        invitations: account.invitations.map {
          Document.Invitation(inviter: "\($0.inviter)", until: "\($0.until)")
        },
        recovery: account.recovery.map(RecoveryDocument.init),
        reports: Document.Reports(
          in30Days: account.lateReportCount, kept: account.reportCount,
          players: account.reporterCount, playersIn30Days: account.lateReporterCount,
          newest: reports.map(ReportDocument.init))))
  }
}

extension [PlayerLookup.Row] {
  /// The matches for a person.
  var text: String {
    guard !isEmpty else { return "There are none." }
    return TextTable(
      header: ["match", "stage", "since", "opponent", "result"],
      rows: map { row in
        let result = row.end.map { end in
          "\(OutcomeText.result(end.result)), \(OutcomeText.reason(end.reason))"
        }
        return ["\(row.match)", row.stage, "\(row.since)", row.opponent, result ?? "-"]
      }
    ).lines.joined(separator: "\n")
  }

  /// The matches for a program.
  func json() throws(OperatorFailure) -> String {
    try JSONText.encode(
      MatchesDocument(
        matches: map {
          MatchesDocument.Row(
            match: "\($0.match)", stage: $0.stage, since: "\($0.since)", opponent: $0.opponent,
            result: $0.end.map { "\($0.result.rawValue), \($0.reason.rawValue)" } ?? "-")
        }))
  }
}

private struct MatchesDocument: Encodable {
  struct Row: Encodable { var match, stage, since, opponent, result: String }
  var schema = "cubistd.matches/1"
  var matches: [Row]
}
