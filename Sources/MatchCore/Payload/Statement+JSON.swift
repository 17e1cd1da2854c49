import CubeRules

extension Statement {
  private var typeName: String {
    switch self {
    case .matchDealt: "matchDealt"
    case .seatFilled: "seatFilled"
    case .seatLeft: "seatLeft"
    case .deadlinePassed: "deadlinePassed"
    case .ruled: "ruled"
    case .playerGone: "playerGone"
    case .matchEnded: "matchEnded"
    }
  }

  private var fields: [(String, JSON?)] {
    switch self {
    case .matchDealt(let deal):
      deal.terms.fields + [
        ("rules", .string(deal.rules)), ("lexicon", .string(deal.lexicon)),
        ("letters", .string(deal.letters)),
        ("seats", .array(deal.seats.map { $0.map { .text($0) } ?? .null })),
        ("predecessor", deal.predecessor.map { .text($0) }),
      ]
    case .seatFilled(let seat, let player, let why):
      [("seat", .number(seat)), ("player", .text(player)), ("why", why?.json)]
    case .seatLeft(let seat, let player, let letters):
      [
        ("seat", .number(seat)), ("player", .text(player)),
        ("letters", letters.map { .string($0) }),
      ]
    case .deadlinePassed(let turn, let deadline, let queueTime, let credit):
      [
        ("turn", .number(turn)), ("deadlineAt", .number(deadline.microseconds)),
        ("queueTime", .number(queueTime.microseconds)), ("credit", .number(credit)),
      ]
    case .ruled(let ruling): ruling.fields
    case .playerGone(let player): [("player", .text(player))]
    case .matchEnded(let outcome, let points, let head):
      [("outcome", outcome.json), ("points", .numbers(points)), ("head", .text(head))]
    }
  }

  package func json(service: ServiceID, match: MatchID) -> JSON {
    .object(
      [
        ("v", .integer(1)), ("service", .text(service)), ("type", .string(typeName)),
        ("match", .text(match)),
      ] + fields)
  }

  package init(_ object: JSONObject) throws(WireFault) {
    let type = try object.string("type")
    switch type {
    case "matchDealt": self = .matchDealt(try Deal(object))
    case "seatFilled":
      self = .seatFilled(
        seat: try object.smallInteger("seat", in: 0...WireLimits.lastSeat),
        player: try object.id("player"), why: try MeetingReason(in: object))
    case "seatLeft":
      self = .seatLeft(
        seat: try object.smallInteger("seat", in: 0...WireLimits.lastSeat),
        player: try object.id("player"),
        letters: try object.optional("letters").map { _ throws(WireFault) in
          try object.string("letters", limit: 81)
        })
    case "deadlinePassed":
      // A credit is never negative: it can only delay a deadline.
      self = .deadlinePassed(
        turn: try object.smallInteger("turn", in: WireLimits.turnNumbers),
        deadline: try object.instant("deadlineAt"), queueTime: try object.instant("queueTime"),
        creditMicroseconds: try object.integer("credit"))
    case "ruled": self = .ruled(try Ruling(object))
    case "playerGone": self = .playerGone(try object.id("player"))
    case "matchEnded":
      self = .matchEnded(
        try Outcome(object.object("outcome")),
        points: try object.integers("points", count: WireLimits.seatCount),
        head: try object.hash("head"))
    default: throw .malformed("type \(excerpt(type)) is not known")
    }
  }
}

/// It names no match, so it can be read as no entry of a record.
extension RecoveryStatement {
  private static let typeName = "recovered"

  func json(service: ServiceID) -> JSON {
    .object([
      ("v", .integer(1)), ("service", .text(service)),
      ("type", .string(RecoveryStatement.typeName)),
      ("player", .text(player)), ("key", .text(key)), ("recovery", .text(recovery)),
      ("begunAt", .number(begunAt.microseconds)), ("queueTime", .number(queueTime.microseconds)),
      ("credit", .number(creditMicroseconds)), ("statedAt", .number(statedAt.microseconds)),
    ])
  }

  init(_ object: JSONObject) throws(WireFault) {
    let type = try object.string("type")
    guard type == RecoveryStatement.typeName else {
      throw .malformed("type \(excerpt(type)) is not known")
    }
    self.init(
      player: try object.id("player"), key: try object.publicKey("key"),
      recovery: try object.id("recovery"), begunAt: try object.instant("begunAt"),
      queueTime: try object.instant("queueTime"), creditMicroseconds: try object.integer("credit"),
      statedAt: try object.instant("statedAt"))
  }
}

extension Ruling {
  package var fields: [(String, JSON?)] {
    [("verdict", .string(verdict.rawValue)), ("reason", .string(reason.rawValue))]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      try object.value("verdict", "a verdict") { Verdict(rawValue: $0) },
      for: try object.value("reason", "a reason of a ruling") { Reason(rawValue: $0) })
  }
}

extension Deal {
  fileprivate init(_ object: JSONObject) throws(WireFault) {
    var seats: [PlayerID?] = []
    for seat in try object.array("seats", limit: WireLimits.seatCount) {
      switch seat {
      case .null: seats.append(nil)
      case .string(let text):
        guard let player = PlayerID(text), player.description == text else {
          throw .malformed("seats: not an id")
        }
        seats.append(player)
      default: throw .malformed("seats: an id or null is due")
      }
    }
    self.init(
      terms: try Terms(object), rules: try object.string("rules"),
      lexicon: try object.string("lexicon"), letters: try object.string("letters", limit: 81),
      seats: seats, predecessor: try object.optionalID("predecessor"))
  }
}
