import MatchCore
import PlayerClient

/// The commands that help after a refusal.
enum NextStep {
  /// - Parameters:
  ///   - refusal: Where this build knows it.
  ///   - name: The refusal's stable name.
  ///   - match: The match that the command was about, as a short id.
  static func commands(after refusal: Refusal?, named name: String, match: String?) -> [String] {
    if let other = refusal?.otherMatch { return ["cubist show \(short(other))"] }
    if case .rateLimited(.registrationsPerHour, _)? = refusal { return [] }
    let id = match.map { " \($0)" } ?? ""
    switch name {
    case "codeRequired", "codeInvalid": return ["cubist register NAME --code CODE"]
    case "nameTaken": return ["cubist register OTHER-NAME"]
    case "alreadyRegistered": return ["cubist whoami"]
    case "playerUnavailable": return ["cubist start"]
    case "blockedByYou": return ["cubist unblock NAME"]
    case "rateLimited": return ["cubist games"]
    case "unknownPlayer": return ["cubist start --open", "cubist start"]
    case "notInvited", "codeUnknown", "seatTaken", "rematchNotPossible", "rematchDeclined":
      return ["cubist start"]
    case "nothingToWithdraw", "unknownMatch": return ["cubist games"]
    case "matchOver": return ["cubist show\(id)", "cubist rematch\(id)"]
    case "unknownTurn", "staleTurn", "wrongPrevious", "turnAlreadyPlayed", "illegalTurn",
      "matchNotOver":
      return ["cubist show\(id)"]
    case "notYourTurn": return ["cubist watch\(id)"]
    case "noRematchOffer", "dailyNotDealt", "dailyNotOver": return ["cubist"]
    case "dailyOver": return ["cubist daily start"]
    case "recordFull": return ["cubist forfeit\(id)"]
    default: return []
    }
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
}
