package import MatchCore

extension Refusal {
  /// The refusal for a person, who knows no ids; nil where the service's own sentence has none.
  ///
  /// - Parameter name: The name of the other player, as far as it is known.
  package func text(naming name: String?) -> String? {
    switch self {
    case .invitationPending:
      "You have invited \(name ?? "that player") already. Wait, or withdraw it first."
    case .alreadyJoined: "You play in that match already."
    case .dailyAlreadyStarted: "You have begun that challenge already."
    case .unknownPlayer:
      "There is no player \(name ?? "of that name"). Check the name, or invite anyone by code."
    case .playerUnavailable:
      "\(name ?? "That player") cannot be met now. Play against somebody else, or try again "
        + "another day."
    case .blockedByYou:
      "You have blocked \(name ?? "that player"). Unblock the player first."
    case .notYourTurn(_?): "It is not your turn. Wait for it."
    case .matchOver(let outcome): Self.text(outcome)
    case .rematchDeclined(let retryAt):
      "The other player declined a rematch. You can ask again at "
        + "\(Wording.minute(retryAt.adding(seconds: 59)))."
    default: nil
    }
  }

  private static func text(_ outcome: Outcome) -> String {
    if outcome.mergedInto != nil { return "An opponent was found in another match. Play there." }
    return "The match is over: \(Wording.reason(outcome.reason, who: "a player"))."
  }
}
