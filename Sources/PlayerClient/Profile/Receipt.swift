public import MatchCore
public import MatchWire

/// The service's statement about a match when it accepted an event: enough to check the match's
/// record against it later.
public struct Receipt: Hashable, Sendable, Codable {
  public var match: MatchID
  /// Its stored version after the event.
  public var version: Int64
  /// The number of the turn that was played.
  public var turn: Int?
  /// The hash of the turn's entry; with a seat, the hash of the entry that the next turn has to
  /// name.
  public var hash: Hash?
  /// The points of each seat.
  public var points: [Int]?
  /// How the match ended, where the event ended it.
  public var outcome: Outcome?

  public init(
    match: MatchID, version: Int64, turn: Int? = nil, hash: Hash? = nil, points: [Int]? = nil,
    outcome: Outcome? = nil
  ) {
    self.match = match
    self.version = version
    self.turn = turn
    self.hash = hash
    self.points = points
    self.outcome = outcome
  }

  /// The receipt of an acceptance; nil where that says nothing about a record.
  init?(_ acceptance: Acceptance) {
    switch acceptance {
    case .turnAccepted(let receipt):
      self.init(
        match: receipt.match, version: receipt.version, turn: receipt.turn, hash: receipt.hash,
        points: receipt.points, outcome: receipt.outcome)
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket),
      .rematchStarted(let ticket):
      self.init(match: ticket.match, version: ticket.version, hash: ticket.previous)
    case .matchEnded(let match, let outcome, let points, let version):
      self.init(match: match, version: version, points: points, outcome: outcome)
    case .done(let step, let match, let version) where step.isRecorded:
      self.init(match: match, version: version)
    case .done, .registered, .gameShared, .noted, .deviceInvited, .keyAdded, .keyRemoved,
      .recoverySet, .playerBlocked, .playerUnblocked, .reported:
      return nil
    }
  }
}

extension Journal {
  /// The accepted events, each once, in their order. An event that was sent again is accepted again,
  /// the last time perhaps by a newer program.
  public var accepted: [JournalLine] {
    Dictionary(lines.filter { $0.what == .accepted }.map { ($0.event, $0) }) {
      $1.receipt == nil ? $0 : $1
    }.values.sorted { $0.event < $1.event }
  }

  /// Compares a record that is valid by itself with the statements that the player got about its
  /// match.
  public func compare(
    with report: RecordReport, of player: PlayerID
  ) -> (count: GameReport.ReceiptCount, fault: GameReport.Fault?) {
    var places: [EventID: Int] = [:]
    for entry in report.document.entries {
      guard case .event(let event)? = try? PayloadCodec.decodeContent(entry.signed.payload),
        event.player == player
      else { continue }
      places[event.id] = entry.position
    }
    var count = GameReport.ReceiptCount(damaged: damagedCount)
    var fault: GameReport.Fault?
    for line in accepted {
      guard let receipt = line.receipt else {
        // An event in the record was not cut. For any other, nobody can say whether it belongs
        // here.
        if line.isAboutMatch, places[line.event] == nil { count.missing += 1 }
        continue
      }
      guard receipt.match == report.document.match else { continue }
      count.compared += 1
      fault = fault ?? line.fault(receipt, at: places[line.event], in: report)
    }
    return (count, fault)
  }
}

extension RecordDocument {
  /// Whether the entry after a player's event says that the player left the seat.
  fileprivate func isSeatLeft(after place: Int) -> Bool {
    guard entries.indices.contains(place + 1),
      case .statement(let stated)? = try? PayloadCodec.decodeContent(
        entries[place + 1].signed.payload),
      case .seatLeft = stated.statement
    else { return false }
    return true
  }
}

extension JournalLine {
  /// Whether such an event stands in a record.
  fileprivate var isAboutMatch: Bool {
    [
      "matchRequested", "dailyStarted", "invitationAccepted", "invitationDeclined",
      "requestWithdrawn", "turnPlayed", "reacted", "matchForfeited",
    ].contains(type)
  }

  /// The first point in which a record lacks the service's statements, or contradicts them.
  fileprivate func fault(
    _ receipt: Receipt, at place: Int?, in report: RecordReport
  ) -> GameReport.Fault? {
    let what = receipt.turn.map { "turn \($0)" } ?? type
    // A request for a rematch that exists is answered with it, and its event stands nowhere.
    if place == nil, isAboutMatch {
      return GameReport.Fault(
        reason: "it lacks event \(event) (\(what)), which the service accepted at \(at)")
    }
    if let hash = receipt.hash {
      let isThere =
        receipt.turn == nil
        ? report.document.entries.contains { $0.hash == hash }
        : place.map { report.document.entries[$0].hash == hash } ?? false
      guard isThere else {
        return GameReport.Fault(
          entry: receipt.turn == nil ? nil : place,
          reason: "the service told of the hash \(hash) when it accepted \(what)")
      }
    }
    guard let place else { return nil }
    // For a player who left a seat the match was over, and went on with somebody else.
    if receipt.outcome != nil, report.document.isSeatLeft(after: place) { return nil }
    let after = report.standings.dropFirst(place)
    // The end is the service's statement after the event.
    let standing = receipt.outcome == nil ? after.first : after.first { $0.outcome != nil }
    if let points = receipt.points, points != standing?.points {
      return GameReport.Fault(
        entry: place, reason: "the service told of the points \(points) when it accepted \(what)")
    }
    if let outcome = receipt.outcome, outcome != standing?.outcome {
      return GameReport.Fault(
        entry: place,
        reason: "the service told of the outcome \(outcome.reason.rawValue) when it accepted "
          + what)
    }
    return nil
  }
}
