public import MatchCore

/// The reason that a query was not answered.
public enum QueryRefusal: Error, Hashable, Sendable {
  /// The bytes do not decode as the form that they claim to have. The text says where and why.
  case malformed(String)
  /// A payload version that this service does not speak.
  case unsupportedVersion(Int)
  /// Meant for another deployment. The value is this one.
  case wrongService(ServiceID)
  /// Asked more than 60 s ago, or ahead of the service by more than 5 minutes.
  case expired(serviceTime: Instant)
  /// The key is not registered.
  case notRegistered
  /// The key spoke for a player, and was removed by the player or revoked.
  case keyRevoked
  /// The player is not the key's.
  case notPermitted
  /// No such match, or the asker may not see it.
  case unknownMatch
  /// The same of a match of so long ago that it would not be kept if it had been over for as long.
  case matchGone
  /// No player of that name or id.
  case unknownPlayer
  /// No invitation and no shared game has the code.
  case codeUnknown
  /// Somebody else has joined with the code.
  case seatTaken
  /// The invitation with the code is over, and so is its match, in which the asker perhaps has a seat.
  case invitationOver(Outcome.Reason, isOwn: Bool = false)
  /// The match is not over, so its record is not handed out.
  case matchNotOver
  /// The match cannot be read: its rows in the database are damaged. The service's other matches can.
  case matchDamaged
  /// That day's challenge is not dealt.
  case dailyNotDealt(Day)
  /// The standings of that day are no longer kept.
  case standingsGone(Day)
  /// The service cannot answer now; ask again.
  case unavailable
  /// The player has asked too much within a minute. The value is the seconds until the query can be
  /// asked again.
  case rateLimited(retryAfterSeconds: Int64)

  init(_ fault: WireFault) {
    switch fault {
    case .malformed(let text): self = .malformed(text)
    case .unsupportedVersion(let version): self = .unsupportedVersion(version)
    }
  }
}

extension QueryRefusal {
  /// The stable name of the refusal: the name of its case.
  public var name: String {
    switch self {
    case .malformed: "malformed"
    case .unsupportedVersion: "unsupportedVersion"
    case .wrongService: "wrongService"
    case .expired: "expired"
    case .notRegistered: "notRegistered"
    case .keyRevoked: "keyRevoked"
    case .notPermitted: "notPermitted"
    case .unknownMatch: "unknownMatch"
    case .matchGone: "matchGone"
    case .unknownPlayer: "unknownPlayer"
    case .codeUnknown: "codeUnknown"
    case .seatTaken: "seatTaken"
    case .invitationOver: "invitationOver"
    case .matchNotOver: "matchNotOver"
    case .matchDamaged: "matchDamaged"
    case .dailyNotDealt: "dailyNotDealt"
    case .standingsGone: "standingsGone"
    case .unavailable: "unavailable"
    case .rateLimited: "rateLimited"
    }
  }

  /// A sentence for a person: the mistake, the value, and the remedy.
  public var message: String {
    switch self {
    case .malformed(let what):
      "The query cannot be read: \(what). Update the program that sent it."
    case .unsupportedVersion(let version):
      "The service does not speak version \(version). Use a program of the service's version."
    case .wrongService(let service):
      "This is the service \(service), not the one that was asked. Connect to it anew."
    case .expired(let time):
      "The query came too late or too early; the service's time is \(time). Set your clock."
    case .notRegistered: "The key is not registered here. Register a name first."
    case .keyRevoked:
      "The key was removed or revoked. Add this device anew, or ask who runs the service."
    case .notPermitted: "The key does not belong to the player. Use the player's own key."
    case .unknownMatch: "There is no such match among yours. Look at your matches."
    case .matchGone:
      "There is no such match any more: the service does not keep games for ever. Or it never was "
        + "yours. Look at your matches."
    case .unknownPlayer: "There is no such player. Check the name."
    case .codeUnknown:
      "No invitation and no shared game has that code. Check it with its sender."
    case .seatTaken:
      "Somebody else has joined with that code. Ask its sender for another one, or start a match of "
        + "your own."
    case .invitationOver(.withdrawn, isOwn: true):
      "You withdrew the invitation with that code. Make another one."
    case .invitationOver(.expired, isOwn: true):
      "Your invitation with that code ran out: nobody joined within seven days. Make another one."
    case .invitationOver(_, isOwn: true):
      "Your match with that code is over. Start another one."
    case .invitationOver(.withdrawn, isOwn: false):
      "The invitation with that code was withdrawn. Ask its sender for another one."
    case .invitationOver(.expired, isOwn: false):
      "The invitation with that code ran out: nobody joined within seven days. Ask its sender for "
        + "another one."
    case .invitationOver:
      "The match with that code is over. Ask its sender for another one, or start a match of your "
        + "own."
    case .matchNotOver: "The match is not over. Its record can be had when it is."
    case .matchDamaged:
      "This match cannot be shown at the moment. The operator has been told."
    case .dailyNotDealt(let day): "The challenge of \(day) is not dealt. Try again later."
    case .standingsGone(let day):
      "Standings are kept for \(Standings.dayCount) days, those of \(day) are gone. "
        + "Look at your past games."
    case .unavailable: "The service cannot say now. Try again in a moment."
    case .rateLimited(let seconds):
      "You have asked too much within a minute. Try again in \(seconds) s."
    }
  }

  var values: JSON {
    switch self {
    case .malformed(let text): .object([("text", .string(text))])
    case .unsupportedVersion(let version): .object([("version", .number(version))])
    case .wrongService(let service): .object([("service", .text(service))])
    case .expired(let time): .object([("serviceTime", .number(time.microseconds))])
    case .invitationOver(let reason, let isOwn):
      .object([("reason", .string(reason.rawValue)), ("own", isOwn ? .bool(true) : nil)])
    case .dailyNotDealt(let day), .standingsGone(let day): .object([("day", .text(day))])
    case .rateLimited(let seconds): .object([("retryAfter", .number(seconds))])
    default: .object(JSONObject())
    }
  }

  /// The refusal with a name and its values. Nil for a name or values that this build does not
  /// know.
  init?(name: String, values: JSONObject) {
    // A newer service's other values are told by its message. That is not a fault of the answer.
    guard let refusal = try? QueryRefusal.read(name, values) else { return nil }
    self = refusal
  }

  private static func read(
    _ name: String, _ values: JSONObject
  ) throws(WireFault) -> QueryRefusal? {
    switch name {
    case "malformed": return .malformed(try values.string("text", limit: 1_024))
    case "unsupportedVersion":
      return .unsupportedVersion(try values.smallInteger("version", in: 0...(1 << 53)))
    case "wrongService": return .wrongService(try values.id("service"))
    case "expired": return .expired(serviceTime: try values.instant("serviceTime"))
    case "invitationOver":
      return .invitationOver(
        try values.value("reason", "the end of a match") { Outcome.Reason(rawValue: $0) },
        isOwn: try values.flag("own"))
    case "rateLimited":
      return try values.optionalInteger("retryAfter").map { .rateLimited(retryAfterSeconds: $0) }
    case "dailyNotDealt": return .dailyNotDealt(try values.value("day", "a day") { Day($0) })
    case "standingsGone": return .standingsGone(try values.value("day", "a day") { Day($0) })
    default:
      let simple: [QueryRefusal] = [
        .notRegistered, .keyRevoked, .notPermitted, .unknownMatch, .matchGone, .unknownPlayer,
        .codeUnknown, .seatTaken, .matchNotOver, .matchDamaged, .unavailable,
      ]
      return simple.first { $0.name == name }
    }
  }
}
