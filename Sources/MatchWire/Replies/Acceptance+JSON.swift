import MatchCore

extension Acceptance {
  var json: JSON {
    switch self {
    case .registered(let player, let name):
      .object([("type", "registered"), ("player", .text(player)), ("name", .text(name))])
    case .matchStarted(let ticket): ticket.json(type: "matchStarted")
    case .matchJoined(let ticket): ticket.json(type: "matchJoined")
    case .dailyStarted(let ticket): ticket.json(type: "dailyStarted")
    case .rematchStarted(let ticket): ticket.json(type: "rematchStarted")
    case .done(let step, let match, let version):
      .object([
        ("type", .string(step.rawValue)), ("match", .text(match)), ("version", .number(version)),
      ])
    case .gameShared(let match, let code):
      .object([("type", "gameShared"), ("match", .text(match)), ("code", .text(code))])
    case .noted: .object([("type", "noted")])
    case .deviceInvited(let until):
      .object([("type", "deviceInvited"), ("until", .number(until.microseconds))])
    case .keyAdded(let player, let name):
      .object([("type", "keyAdded"), ("player", .text(player)), ("name", .text(name))])
    case .keyRemoved(let key): .object([("type", "keyRemoved"), ("key", .text(key))])
    case .recoverySet(let at):
      .object([("type", "recoverySet"), ("at", .number(at.microseconds))])
    case .turnAccepted(let receipt): receipt.json
    case .playerBlocked(let other):
      .object([("type", "playerBlocked"), ("other", .text(other))])
    case .playerUnblocked(let other):
      .object([("type", "playerUnblocked"), ("other", .text(other))])
    case .reported(let match): .object([("type", "reported"), ("match", .text(match))])
    case .matchEnded(let match, let outcome, let points, let version):
      .object([
        ("type", "matchEnded"), ("match", .text(match)), ("version", .number(version)),
        ("outcome", outcome.json), ("points", .numbers(points)),
      ])
    }
  }

  init(_ object: JSONObject) throws(WireFault) {
    let type = try object.string("type")
    switch type {
    case "registered":
      self = .registered(
        try object.id("player"), try object.value("name", "a name") { PlayerName($0) })
    case "matchStarted": self = .matchStarted(try MatchTicket(object))
    case "matchJoined": self = .matchJoined(try MatchTicket(object))
    case "dailyStarted": self = .dailyStarted(try MatchTicket(object))
    case "rematchStarted": self = .rematchStarted(try MatchTicket(object))
    case "gameShared":
      guard let code = try object.code() else { throw .malformed("code is missing") }
      self = .gameShared(try object.id("match"), code: code)
    case "noted": self = .noted
    case "deviceInvited": self = .deviceInvited(until: try object.instant("until"))
    case "keyAdded":
      self = .keyAdded(
        try object.id("player"), try object.value("name", "a name") { PlayerName($0) })
    case "keyRemoved": self = .keyRemoved(try object.publicKey("key"))
    case "recoverySet": self = .recoverySet(at: try object.instant("at"))
    case "playerBlocked": self = .playerBlocked(try object.id("other"))
    case "playerUnblocked": self = .playerUnblocked(try object.id("other"))
    case "reported": self = .reported(try object.id("match"))
    case "turnAccepted": self = .turnAccepted(try TurnReceipt(object))
    case "matchEnded":
      self = .matchEnded(
        try object.id("match"), try Outcome(object.object("outcome")),
        points: try object.integers("points", count: WireLimits.seatCount),
        version: try object.integer("version"))
    default:
      guard let step = MatchStep(rawValue: type) else {
        throw .malformed("type \(excerpt(type)) is not known")
      }
      self = .done(step, try object.id("match"), version: try object.integer("version"))
    }
  }
}

extension MatchTicket {
  fileprivate func json(type: String) -> JSON {
    .object([
      ("type", .string(type)), ("match", .text(match)), ("version", .number(version)),
      ("seat", .number(seat)), ("letters", .string(letters)), ("previous", .text(previous)),
      ("code", code.map { .text($0) }),
    ])
  }

  fileprivate init(_ object: JSONObject) throws(WireFault) {
    self.init(
      match: try object.id("match"), version: try object.integer("version"),
      seat: try object.smallInteger("seat", in: 0...WireLimits.lastSeat),
      letters: try object.string("letters", limit: 81), previous: try object.hash("previous"),
      code: try object.code())
  }
}

extension TurnReceipt {
  fileprivate var json: JSON {
    .object([
      ("type", "turnAccepted"), ("match", .text(match)), ("version", .number(version)),
      ("turn", .number(turn)), ("scores", .numbers(scores)), ("points", .numbers(points)),
      ("hash", .text(hash)), ("seatToPlay", .number(seatToPlay)), ("outcome", outcome?.json),
    ])
  }

  fileprivate init(_ object: JSONObject) throws(WireFault) {
    var outcome: Outcome?
    if object.optional("outcome") != nil { outcome = try Outcome(object.object("outcome")) }
    self.init(
      match: try object.id("match"), version: try object.integer("version"),
      turn: try object.smallInteger("turn", in: WireLimits.turnNumbers),
      scores: try object.integers("scores", count: WireLimits.movesPerTurn),
      points: try object.integers("points", count: WireLimits.seatCount),
      hash: try object.hash("hash"),
      seatToPlay: try object.smallInteger("seatToPlay", in: 0...WireLimits.lastSeat),
      outcome: outcome)
  }
}
