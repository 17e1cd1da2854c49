import CubeRules
import MatchCore

extension Refusal {
  /// The refusal's particular values, for programs.
  var values: JSON {
    switch self {
    case .malformed(let text): .object([("text", .string(text))])
    case .unsupportedVersion(let version): .object([("version", .number(version))])
    case .wrongService(let service): .object([("service", .text(service))])
    case .wrongSlot(let slot): .object([("expected", .number(slot))])
    case .eventTooOld(let time), .clockAhead(let time):
      .object([("serviceTime", .number(time.microseconds))])
    case .alreadyRegistered(let name), .nameTaken(let name): .object([("name", .string(name))])
    case .turnLimitInvalid(let seconds):
      .object([("turnLimit", seconds.map { .number($0) })])
    case .unknownPlayer(let player), .playerUnavailable(let player), .blockedByYou(let player),
      .nudgesRefused(let player):
      .object([("player", .text(player))])
    case .invitationPending(let match), .alreadyJoined(let match),
      .dailyAlreadyStarted(let match):
      .object([("match", .text(match))])
    case .matchOver(let outcome): .object([("outcome", outcome.json)])
    case .unknownTurn(let current): .object([("current", .number(current))])
    case .turnAlreadyPlayed(let turn), .alreadyReacted(let turn), .alreadyNudged(let turn):
      .object([("turn", .number(turn))])
    case .turnNotLast(let last): .object([("last", .number(last))])
    case .turnNotDue(let due): .object([("due", .number(due))])
    case .nudgeTooEarly(let from): .object([("from", .number(from.microseconds))])
    case .wordNotPlayed(let word): .object([("word", .string(word))])
    case .staleTurn(let current, let previous):
      .object([("current", .number(current)), ("previous", .text(previous))])
    case .notYourTurn(let whose): .object([("whose", whose.map { .text($0) })])
    case .wrongPrevious(let expected): .object([("expected", .text(expected))])
    case .illegalTurn(let refusal):
      .object([
        ("moveIndex", .number(refusal.moveIndex)), ("rule", .string(refusal.reason.name)),
        ("arguments", .array(refusal.reason.arguments.map { .string($0) })),
      ])
    case .rateLimited(let key, let seconds):
      .object([
        ("key", .string(key.rawValue)), ("retryAfter", seconds.map { .number($0) }),
      ])
    case .recordFull(let limit): .object([("limit", .number(limit))])
    case .recoveryPending(let until): .object([("until", .number(until.microseconds))])
    case .rematchDeclined(let retryAt): .object([("retryAt", .number(retryAt.microseconds))])
    case .dailyNotDealt(let day), .dailyOver(let day), .dailyNotOver(let day):
      .object([("day", .text(day))])
    default: .object(JSONObject())
    }
  }

  /// The refusal with a name and its values. Nil for a name or values that this build does not
  /// know.
  init?(name: String, values: JSONObject) {
    // A newer service's other values are told by its message. That is not a fault of the reply.
    if let refusal = Refusal.withoutValues(name) {
      self = refusal
      return
    }
    guard let refusal = try? Refusal.read(name, values) else { return nil }
    self = refusal
  }

  private static func withoutValues(_ name: String) -> Refusal? {
    let simple: [Refusal] = [
      .badSignature, .idempotencyMismatch, .notRegistered, .keyRevoked, .notPermitted,
      .unavailable, .codeRequired, .codeInvalid, .deviceCodeInvalid, .keyUnknown, .lastKey,
      .notRecoverable, .noRecovery, .alreadyObjected, .opponentIsYourself, .notInvited,
      .codeUnknown, .leftByYou, .seatTaken, .nothingToWithdraw, .playerIsYourself, .unknownMatch,
      .matchNotOver,
      .rematchNotPossible, .noRematchOffer, .botForGood, .turnIsYourOwn, .noOpponent,
      .youAreToMove,
    ]
    return simple.first { $0.name == name }
  }

  private static func read(_ name: String, _ values: JSONObject) throws(WireFault) -> Refusal? {
    let all = -JSONReader.largestInteger...JSONReader.largestInteger
    func integer(_ key: String) throws(WireFault) -> Int {
      try values.smallInteger(key, in: all)
    }
    switch name {
    case "malformed": return .malformed(try values.string("text", limit: 1_024))
    case "unsupportedVersion": return .unsupportedVersion(try integer("version"))
    case "wrongService": return .wrongService(try values.id("service"))
    case "wrongSlot": return .wrongSlot(expected: try integer("expected"))
    case "eventTooOld": return .eventTooOld(serviceTime: try values.instant("serviceTime"))
    case "clockAhead": return .clockAhead(serviceTime: try values.instant("serviceTime"))
    case "alreadyRegistered": return .alreadyRegistered(name: try values.string("name"))
    case "nameTaken": return .nameTaken(try values.string("name"))
    case "turnLimitInvalid":
      return .turnLimitInvalid(try values.optionalInteger("turnLimit", in: all))
    case "unknownPlayer": return .unknownPlayer(try values.id("player"))
    case "playerUnavailable": return .playerUnavailable(try values.id("player"))
    case "blockedByYou": return .blockedByYou(try values.id("player"))
    case "rateLimited":
      return .rateLimited(
        try values.value("key", "a limit") { PlayerLimits.Key(rawValue: $0) },
        retryAfterSeconds: try values.optionalInteger("retryAfter"))
    case "invitationPending": return .invitationPending(try values.id("match"))
    case "alreadyJoined": return .alreadyJoined(try values.id("match"))
    case "matchOver": return .matchOver(try Outcome(values.object("outcome")))
    case "unknownTurn": return .unknownTurn(current: try integer("current"))
    case "turnAlreadyPlayed": return .turnAlreadyPlayed(turn: try integer("turn"))
    case "turnNotLast": return .turnNotLast(last: try integer("last"))
    case "alreadyReacted": return .alreadyReacted(turn: try integer("turn"))
    case "turnNotDue": return .turnNotDue(due: try integer("due"))
    case "nudgeTooEarly": return .nudgeTooEarly(from: try values.instant("from"))
    case "alreadyNudged": return .alreadyNudged(turn: try integer("turn"))
    case "nudgesRefused": return .nudgesRefused(try values.id("player"))
    case "wordNotPlayed":
      return .wordNotPlayed(try values.string("word", limit: Spelling.countLimit))
    case "staleTurn":
      return .staleTurn(current: try integer("current"), previous: try values.hash("previous"))
    case "notYourTurn": return .notYourTurn(whose: try values.optionalID("whose"))
    case "wrongPrevious": return .wrongPrevious(expected: try values.hash("expected"))
    case "illegalTurn":
      let reason = RuleRefusal(
        name: try values.string("rule"),
        arguments: try values.strings("arguments", count: 4, limit: 256))
      let index = try integer("moveIndex")
      return reason.map { .illegalTurn(TurnRefusal(moveIndex: index, reason: $0)) }
    case "recordFull": return .recordFull(limit: try integer("limit"))
    case "recoveryPending": return .recoveryPending(until: try values.instant("until"))
    case "rematchDeclined": return .rematchDeclined(retryAt: try values.instant("retryAt"))
    case "dailyNotDealt": return .dailyNotDealt(try values.value("day", "a day") { Day($0) })
    case "dailyNotOver": return .dailyNotOver(try values.value("day", "a day") { Day($0) })
    case "dailyOver": return .dailyOver(try values.value("day", "a day") { Day($0) })
    case "dailyAlreadyStarted": return .dailyAlreadyStarted(try values.id("match"))
    default: return nil
    }
  }
}
