import MatchCore
import PlayerClient

/// The commands that help after a refusal.
enum NextStep {
  /// - Parameters:
  ///   - refusal: Where this build knows it.
  ///   - name: The refusal's stable name.
  ///   - match: The match that the command was about, as a short id.
  ///   - typed: The arguments of the command.
  static func commands(
    after refusal: Refusal?, named name: String, match: String?, typed: TypedArguments
  ) -> [String] {
    if let other = refusal?.otherMatch { return ["cubist show \(short(other))"] }
    switch refusal {
    case .rateLimited(.registrationsPerHour, _)?, .rateLimited(.reportsPerDay, _)?,
      .rateLimited(.recoveries, _)?, .rateLimited(.testsPerMinute, _)?,
      .rateLimited(.seatsLeft, _)?:
      return []
    case .rateLimited(.keys, _)?, .rateLimited(.keysPerDay, _)?, .rateLimited(.keysInAll, _)?,
      .rateLimited(.deviceInvitations, _)?, .rateLimited(.recoveryKeys, _)?:
      return ["cubist key list"]
    default: break
    }
    let show = match.map { "cubist show \($0)" } ?? "cubist games"
    let start = "cubist start" + (typed.start ?? "")
    switch name {
    case "codeRequired", "codeInvalid":
      return ["cubist register \(typed.name?.text ?? "NAME") --code CODE"]
    case "nameTaken":
      return ["cubist register OTHER-NAME" + (typed.code.map { " --code \($0)" } ?? "")]
    case "alreadyRegistered": return ["cubist whoami"]
    case "blockedByYou": return ["cubist unblock \(typed.name?.text ?? "NAME")"]
    case "rateLimited", "nothingToWithdraw", "unknownMatch", "matchGone", "matchDamaged",
      "invitationPending", "noOpponent":
      return ["cubist games"]
    case "unknownPlayer":
      return typed.start.map { ["cubist start --open\($0)", "cubist start\($0)"] } ?? []
    case "playerUnavailable", "notInvited", "leftByYou", "seatTaken", "invitationOver",
      "rematchNotPossible", "rematchDeclined":
      return [start]
    case "matchOver": return commands(after: refusal?.outcome, show: show, match: match)
    case "unknownTurn", "staleTurn", "wrongPrevious", "turnAlreadyPlayed", "illegalTurn",
      "matchNotOver", "turnNotLast", "alreadyReacted", "wordNotPlayed", "turnNotDue",
      "youAreToMove", "nudgeTooEarly":
      return [show]
    case "notYourTurn", "turnIsYourOwn", "alreadyNudged", "nudgesRefused":
      return [match.map { "cubist watch \($0)" } ?? "cubist games"]
    case "dailyNotDealt" where typed.day != nil:
      return ["cubist daily standings\(typed.mode)", "cubist daily history"]
    case "standingsGone":
      let day = typed.day.map { " --from \($0) --until \($0)" } ?? ""
      return ["cubist games --past --kind daily\(day)"]
    case "noRematchOffer", "dailyNotDealt", "dailyNotOver": return ["cubist home"]
    case "dailyOver": return ["cubist daily\(typed.mode)"]
    case "keyUnknown", "lastKey", "noRecovery", "alreadyObjected": return ["cubist key list"]
    case "recordFull": return match.map { ["cubist forfeit \($0)"] } ?? []
    default: return []
    }
  }

  /// After the end of a match. A match that was never played is on no list.
  private static func commands(
    after outcome: Outcome?, show: String, match: String?
  ) -> [String] {
    guard let outcome, outcome.wasPlayed else { return ["cubist games"] }
    guard let match, outcome.results.count > 1 else { return [show] }
    return [show, "cubist rematch \(match)"]
  }

  /// A match's last digits, as an id is shown that stands alone.
  static func short(_ match: MatchID) -> String {
    MatchIDResolver([match]).shortID(of: match)
  }
}

extension Refusal {
  /// The match that a refusal names.
  fileprivate var otherMatch: MatchID? {
    switch self {
    case .invitationPending(let match), .alreadyJoined(let match), .dailyAlreadyStarted(let match):
      match
    case .matchOver(let outcome): outcome.mergedInto
    default: nil
    }
  }

  /// How the match ended that is over.
  fileprivate var outcome: Outcome? {
    if case .matchOver(let outcome) = self { outcome } else { nil }
  }
}
