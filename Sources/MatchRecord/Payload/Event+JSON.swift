import CubeRules
public import MatchCore

extension Event.Action {
  /// The stable name under which the action travels: the name of its case.
  public var typeName: String {
    switch self {
    case .playerRegistered: "playerRegistered"
    case .matchRequested: "matchRequested"
    case .dailyStarted: "dailyStarted"
    case .invitationAccepted: "invitationAccepted"
    case .invitationDeclined: "invitationDeclined"
    case .requestWithdrawn: "requestWithdrawn"
    case .turnPlayed: "turnPlayed"
    case .matchForfeited: "matchForfeited"
    case .rematchRequested: "rematchRequested"
    case .rematchDeclined: "rematchDeclined"
    case .gameShared: "gameShared"
    case .settingsChanged: "settingsChanged"
    case .deviceRegistered: "deviceRegistered"
    case .deviceRemoved: "deviceRemoved"
    case .inboxSeen: "inboxSeen"
    case .playerBlocked: "playerBlocked"
    case .playerUnblocked: "playerUnblocked"
    case .ticked: "ticked"
    case .mergeProposed: "mergeProposed"
    case .deadlinePassed: "deadlinePassed"
    case .ruled: "ruled"
    }
  }

  fileprivate var fields: [(String, JSON?)] {
    switch self {
    case .playerRegistered(let name, let code):
      [("name", .text(name)), ("code", code.map { .text($0) })]
    case .matchRequested(let request): request.fields
    case .dailyStarted(let key): [("daily", key.json)]
    case .invitationAccepted(let match, let code):
      [("match", .text(match)), ("code", code.map { .text($0) })]
    case .invitationDeclined(let match), .requestWithdrawn(let match), .matchForfeited(let match),
      .rematchRequested(let match), .rematchDeclined(let match), .gameShared(let match):
      [("match", .text(match))]
    case .turnPlayed(let match, let turn):
      [
        ("match", .text(match)), ("turn", .number(turn.number)),
        ("previous", .text(turn.previous)),
        ("moves", .array(turn.moves.map { .text($0) })),
      ]
    case .settingsChanged(let change): change.fields
    case .deviceRegistered(let device): device.fields
    case .deviceRemoved(let name): [("device", .text(name))]
    case .inboxSeen(.one(let job)): [("job", .text(job))]
    case .inboxSeen(.all): []
    case .playerBlocked(let other), .playerUnblocked(let other): [("other", .text(other))]
    case .ticked(let queue, let time, let since):
      [
        ("queue", .number(queue)), ("time", .number(time.microseconds)),
        ("since", since.map { .number($0.microseconds) }),
      ]
    case .mergeProposed(let merger):
      [
        ("match", .text(merger.kept)), ("merged", .text(merger.merged)),
        ("why", merger.reason.json),
      ]
    case .deadlinePassed(let match, let turn, let deadline):
      [
        ("match", .text(match)), ("turn", .number(turn)),
        ("deadlineAt", .number(deadline.microseconds)),
      ]
    case .ruled(let match, let ruling): [("match", .text(match))] + ruling.fields
    }
  }

  fileprivate init(_ object: JSONObject) throws(WireFault) {
    let type = try object.string("type")
    switch type {
    case "playerRegistered":
      self = .playerRegistered(
        name: try object.value("name", "3 to 16 of A-Z a-z 0-9 _ -") { PlayerName($0) },
        code: try object.code())
    case "matchRequested": self = .matchRequested(try MatchRequest(object))
    case "dailyStarted": self = .dailyStarted(try DailyKey(object.object("daily")))
    case "invitationAccepted":
      self = .invitationAccepted(try object.id("match"), code: try object.code())
    case "invitationDeclined": self = .invitationDeclined(try object.id("match"))
    case "requestWithdrawn": self = .requestWithdrawn(try object.id("match"))
    case "turnPlayed":
      let turn = Turn(
        number: try object.smallInteger("turn", in: WireLimits.turnNumbers),
        previous: try object.hash("previous"), moves: try Move.list(object))
      self = .turnPlayed(try object.id("match"), turn)
    case "matchForfeited": self = .matchForfeited(try object.id("match"))
    case "rematchRequested": self = .rematchRequested(try object.id("match"))
    case "rematchDeclined": self = .rematchDeclined(try object.id("match"))
    case "gameShared": self = .gameShared(try object.id("match"))
    case "settingsChanged": self = .settingsChanged(try SettingsChange(object))
    case "deviceRegistered": self = .deviceRegistered(try Device(object))
    case "inboxSeen": self = .inboxSeen(try object.optionalID("job").map { .one($0) } ?? .all)
    case "deviceRemoved": self = .deviceRemoved(try object.deviceName())
    case "playerBlocked": self = .playerBlocked(try object.id("other"))
    case "playerUnblocked": self = .playerUnblocked(try object.id("other"))
    case "ticked":
      self = .ticked(
        queue: try object.smallInteger("queue", in: 0...Int64(WireLimits.slotCount - 1)),
        time: try object.instant("time"), since: try object.optionalInstant("since"))
    case "mergeProposed":
      guard let reason = try MeetingReason(in: object) else { throw .malformed("why is missing") }
      self = .mergeProposed(
        Merger(
          kept: try object.id("match"), merged: try object.id("merged"), reason: reason))
    case "deadlinePassed":
      self = .deadlinePassed(
        try object.id("match"), turn: try object.smallInteger("turn", in: WireLimits.turnNumbers),
        deadline: try object.instant("deadlineAt"))
    case "ruled": self = .ruled(try object.id("match"), try Ruling(object))
    default: throw .malformed("type \(excerpt(type)) is not known")
    }
  }
}

extension Event {
  package var json: JSON {
    .object(
      [
        ("v", .integer(1)), ("service", .text(service)), ("id", .text(id)),
        ("type", .string(action.typeName)), ("player", .text(player)),
      ] + action.fields)
  }

  package init(_ object: JSONObject) throws(WireFault) {
    try object.checkVersion()
    self.init(
      service: try object.id("service"), id: try object.id("id"), player: try object.id("player"),
      action: try Action(object))
  }
}

extension MatchRequest {
  fileprivate var fields: [(String, JSON?)] {
    let (name, with): (String, PlayerID?) =
      switch opponent {
      case .random: ("random", nil)
      case .player(let player): ("player", player)
      case .open: ("open", nil)
      case .nobody: ("nobody", nil)
      case .clock: ("clock", nil)
      }
    return [
      ("opponent", .string(name)), ("with", with.map { .text($0) }),
      ("turnLimit", turnLimitSeconds.map { .number($0) }),
      ("language", .string(language.rawValue)), ("casual", isCasual ? .bool(true) : nil),
    ]
  }

  fileprivate init(_ object: JSONObject) throws(WireFault) {
    let opponent: Opponent
    switch try object.string("opponent") {
    case "random": opponent = .random
    case "player": opponent = .player(try object.id("with"))
    case "open": opponent = .open
    case "nobody": opponent = .nobody
    case "clock": opponent = .clock
    default: throw .malformed("opponent is not one of random, player, open, nobody, clock")
    }
    // What is out of bounds here is for the judge to refuse, with the limits that hold.
    let all = -JSONReader.largestInteger...JSONReader.largestInteger
    self.init(
      opponent: opponent, turnLimitSeconds: try object.optionalInteger("turnLimit", in: all),
      language: try object.value("language", "a language") { Language(rawValue: $0) },
      isCasual: try object.flag("casual"))
  }
}

extension JSONObject {
  package func code() throws(WireFault) -> ShareCode? {
    try optionalValue("code", "4 to 16 of A-Z and 0-9") { ShareCode($0) }
  }
}
