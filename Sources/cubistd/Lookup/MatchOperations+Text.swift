import MatchCore
import MatchInterfaces
import MatchWire

extension MatchOperations.Found {
  /// The match for a person.
  var text: String {
    var lines: [(String, String)] = [
      ("match", "\(match.id)"), ("kind", kind), ("began", "\(match.dealtAt)"),
      ("stage", stage),
      ("record", "\(PlainText.count(entryCount, "entry", "entries")), version \(match.version)"),
    ]
    if let damage {
      lines.append(
        ("damaged", isAnnulledDamaged ? "annulled for that, and kept as it is: \(damage)" : damage))
    }
    if isStateWrong {
      let command = "`cubistd rebuild --match \(match.id)`"
      lines.append(("damaged", "its state is not as its record gives it: \(command)"))
    }
    for (number, seat) in match.seats.enumerated() {
      lines.append(("seat \(number)", self.seat(seat)))
    }
    if let outcome = match.outcome {
      let who = outcome.seat.map(player)
      let reason =
        gaveUp == nil
        ? OutcomeText.reason(outcome.reason, who: who)
        : "\(who ?? "a player") gave up before the first move"
      lines.append(("outcome", "\(reason): \(results(outcome))"))
    }
    if let other = match.outcome?.mergedInto { lines.append(("goes on as", "\(other)")) }
    if let ruling {
      lines.append(("ruling", OutcomeText.ruling(ruling)))
    }
    lines.append(("rating", ratingText))
    if let successor = match.rematch.successor { lines.append(("rematch", "\(successor)")) }
    return LabeledLines.text(lines)
  }

  private var kind: String {
    let pace = match.terms.turnLimitSeconds.map { ", \(PlainText.span($0)) a turn" } ?? ""
    return match.terms.kind.name.rawValue + pace + (match.terms.isCasual ? ", casual" : "")
  }

  private var stage: String {
    switch match.stage {
    case .waiting: "waits for a player"
    case .playing:
      "turn \(match.turnNumber), of \(player(match.seatToPlay))"
        + (match.deadline.map { ", until \($0.at) at least" } ?? "")
    case .ended(_, let at): "over since \(at)"
    }
  }

  private func seat(_ seat: Match.Seat) -> String {
    guard let player = seat.playerOrInvited else { return "free" }
    let name = names[player]?.text ?? "?"
    let invited = seat.player == nil ? ", invited" : ""
    let points = PlainText.count(seat.points, "point")
    return "\(name) \(player)\(invited), \(points) in \(PlainText.count(seat.turnCount, "turn"))"
  }

  /// The player at a seat: the name where it is known.
  private func player(_ seat: Int) -> String {
    guard match.seats.indices.contains(seat), let id = match.seats[seat].playerOrInvited else {
      return "seat \(seat)"
    }
    return names[id]?.text ?? "seat \(seat)"
  }

  /// The result of each player, such as `ada won, ben lost`.
  private func results(_ outcome: Outcome) -> String {
    guard Set(outcome.results).count > 1 else {
      return outcome.results.first.map(OutcomeText.result) ?? "not counted"
    }
    return outcome.results.enumerated().map { seat, result in
      "\(player(seat)) \(OutcomeText.result(result))"
    }.joined(separator: ", ")
  }

  private var ratingText: String {
    if !rating.results.isEmpty {
      let changes = rating.results.map { row in
        let name = names[row.result.player]?.text ?? "\(row.result.player)"
        let (before, after) = (row.result.before.rating.points, row.result.after.rating.points)
        return "\(name) \(before) to \(after)"
      }
      let stays = match.outcome?.reason == .annulled ? "; annulled afterwards, these stay" : ""
      return changes.joined(separator: ", ") + stays
    }
    return rating.waiting == nil ? "none" : "waits to be rated"
  }

  /// The match for a program: the fields of docs/operating.md, keys sorted.
  func json() throws(OperatorFailure) -> String { try JSONText.encode(document) }

  private var document: Document {
    Document(
      match: "\(match.id)", version: match.version, kind: match.terms.kind.name.rawValue,
      casual: match.terms.isCasual, turnLimit: match.terms.turnLimitSeconds,
      startedAt: "\(match.dealtAt)", stage: match.stage.name.rawValue,
      turn: match.turnNumber, seatToPlay: match.seatToPlay,
      deadline: match.deadline.map { "\($0.at)" }, endedAt: match.endedAt.map { "\($0)" },
      damaged: damage, outcome: match.outcome?.reason.rawValue,
      results: match.outcome?.results.map(\.rawValue),
      ruling: ruling.map { Document.RulingRow($0) },
      entries: entryCount,
      seats: match.seats.map { seat in
        Document.Seat(
          player: seat.playerOrInvited.map { "\($0)" },
          name: seat.playerOrInvited.flatMap { names[$0]?.text }, points: seat.points,
          turns: seat.turnCount)
      },
      waitsToBeRated: rating.waiting != nil,
      ratings: rating.results.map { row in
        Document.RatingRow(
          number: row.result.number, player: "\(row.result.player)",
          before: row.result.before.rating.points, after: row.result.after.rating.points)
      },
      mergedInto: match.outcome?.mergedInto.map { "\($0)" },
      successor: match.rematch.successor.map { "\($0)" })
  }

  private struct Document: Encodable {
    struct RulingRow: Encodable {
      var verdict, reason: String

      init(_ ruling: Ruling) {
        (verdict, reason) = (ruling.verdict.rawValue, ruling.reason.rawValue)
      }
    }

    struct Seat: Encodable {
      var player, name: String?
      var points, turns: Int
    }

    struct RatingRow: Encodable {
      var number: Int64
      var player: String
      var before, after: Int
    }

    var schema = "cubistd.match/1"
    var match: String
    var version: Int64
    var kind: String
    var casual: Bool
    var turnLimit: Int64?
    var startedAt, stage: String
    var turn, seatToPlay: Int
    var deadline, endedAt, damaged, outcome: String?
    var results: [String]?
    var ruling: RulingRow?
    var entries: Int
    var seats: [Seat]
    var waitsToBeRated: Bool
    var ratings: [RatingRow]
    var mergedInto, successor: String?
  }
}

/// Lines that begin with a label.
enum LabeledLines {
  /// One line each, the values below one another.
  static func text(_ lines: [(String, String)]) -> String {
    let width = (lines.map(\.0.count).max() ?? 0) + 2
    return lines.map { name, value in
      name + String(repeating: " ", count: width - name.count) + PlainText.oneLine(value)
    }.joined(separator: "\n")
  }
}
