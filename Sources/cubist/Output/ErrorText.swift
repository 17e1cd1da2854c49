import MatchCore
import MatchWire
import PlayerClient

/// An error as a player reads it: without ids that nobody knows.
enum ErrorText {
  static func text(_ error: ClientError, _ typed: TypedArguments) -> String {
    switch error {
    case .pending(_, let reason):
      return
        "The answer is pending: \(reason). Repeat the command: it is sent again and counts once."
    case .earlierPending(let event, let reason):
      return """
        Nothing was sent: your earlier \(event.event.action.noun) of \(minute(event.madeAt)) is \
        about the same thing, and its answer is pending: \(reason). It could undo what you want \
        now. Repeat the command: the earlier one is sent again first, and yours follows its answer.
        """
    case .refused(_, let message, let refusal):
      return refusal.flatMap { text($0, typed) } ?? message
    default: return error.description
    }
  }

  /// The text of a refusal with short ids and names; nil where the service's sentence has none.
  private static func text(_ refusal: Refusal, _ typed: TypedArguments) -> String? {
    let name = typed.name?.text
    switch refusal {
    case .invitationPending(let match):
      return
        "You have invited \(name ?? "that player") already, in match \(NextStep.short(match)). "
        + "Wait, or withdraw it first."
    case .alreadyJoined(let match): return "You play in match \(NextStep.short(match)) already."
    case .dailyAlreadyStarted(let match):
      return "You have begun that challenge already, as match \(NextStep.short(match))."
    case .unknownPlayer:
      return
        "There is no player \(name ?? "of that name"). Check the name, or invite anyone by code."
    case .playerUnavailable:
      return "\(name ?? "That player") cannot be met now. Play against somebody else, or try again "
        + "another day."
    case .blockedByYou:
      return "You have blocked \(name ?? "that player"). Unblock the player first."
    case .notYourTurn(_?): return "It is not your turn. Wait for it."
    case .matchOver(let outcome):
      if let other = outcome.mergedInto {
        return "An opponent was found in another match, \(NextStep.short(other)). Play there."
      }
      let isAborted = outcome.reason == .aborted
      let reason =
        isAborted ? Wording.endedEarly : Wording.reason(outcome.reason, who: "a player")
      return "The match is over: \(reason)."
    case .rematchDeclined(let retryAt):
      return "The other player declined a rematch. You can ask again at "
        + "\(minute(retryAt.adding(seconds: 59)))."
    default: return nil
    }
  }

  /// An instant to the minute, such as `2026-05-01 01:47 UTC`.
  private static func minute(_ instant: Instant) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}
