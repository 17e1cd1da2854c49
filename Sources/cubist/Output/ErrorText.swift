import MatchCore
import MatchWire
import PlayerClient
import ServiceNews

/// An error as a player reads it: without ids that nobody knows. Only of a missing answer it names
/// the event, and of a failed request that, since the service's logs name them, too.
enum ErrorText {
  /// - Parameter now: The time of day; nil where it is not known.
  static func text(_ error: ClientError, _ typed: TypedArguments, now: Instant?) -> String {
    switch error {
    case .pending(let event, let reason):
      return
        "The answer is pending: \(reason). Repeat the command: it is sent again and counts once."
        + mark(of: event, reason)
    case .earlierPending(let event, let reason):
      return """
        Nothing was sent: your earlier \(event.event.action.noun) of \(Wording.minute(event.madeAt)) is \
        about the same thing, and its answer is pending: \(reason). It could undo what you want \
        now. Repeat the command: the earlier one is sent again first, and yours follows its answer.
        """ + mark(of: event.id, reason)
    case .refused(_, let message, let refusal):
      return refusal.flatMap { text($0, typed, now) } ?? message
    case .queryRefused(_, let message, let refusal):
      return refusal.flatMap { text($0, typed, now) } ?? message
    case .recovering(let name, let until):
      let time = now.map { RecoveryText.when(until, now: $0) } ?? "soon"
      return """
        This profile waits for a recovery: it plays as \(name) \(time). To be another player, use \
        another profile.
        """
    case .clockSkewed(let seconds, let time):
      return """
        Your clock is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") the service, whose \
        time is \(Wording.second(time)). Set your clock and try again.
        """
    default:
      return error.description
        + (error.namesRequest ? " If that does not help, tell the operators this request." : "")
    }
  }

  /// The event that operators look for. A player who has to wait needs no help.
  private static func mark(of event: EventID, _ reason: PendingReason) -> String {
    if case .rateLimited = reason { return "" }
    return " If that does not help, tell the operators this event: \(event)"
  }

  /// The text of a refusal with short ids, names and times; nil where the service's sentence has none.
  private static func text(
    _ refusal: Refusal, _ typed: TypedArguments, _ now: Instant?
  ) -> String? {
    let name = typed.name?.text
    switch refusal {
    case .invitationPending(let match):
      return
        "You have invited \(name ?? "that player") already, in match \(NextStep.short(match)). "
        + "Wait, or withdraw it first."
    case .alreadyJoined(let match): return "You play in match \(NextStep.short(match)) already."
    case .dailyAlreadyStarted(let match):
      return "You have begun that challenge already, as match \(NextStep.short(match))."
    case .matchOver(let outcome):
      guard let other = outcome.mergedInto else { return refusal.text(naming: name) }
      return "An opponent was found in another match, \(NextStep.short(other)). Play there."
    case .nudgeTooEarly(let from):
      return
        "A quarter of the time for the turn has not passed. You can remind the other player "
        + "\(Wording.point(from, now: now))."
    case .rematchDeclined(let retryAt):
      return
        "The other player declined a rematch. You can ask again "
        + "\(Wording.point(retryAt, now: now))."
    case .recoveryPending(let until):
      return
        "A recovery is under way and takes effect \(Wording.point(until, now: now)). Wait, or "
        + "withdraw it first."
    case .eventTooOld(let time):
      return
        "The event is older than 7 days; the service's time is \(Wording.second(time)). Do it anew."
    case .clockAhead(let time):
      return
        "The event is more than 5 minutes ahead; the service's time is \(Wording.second(time)). "
        + "Set your clock."
    default: return refusal.text(naming: name)
    }
  }

  /// The same of a refused query.
  private static func text(
    _ refusal: QueryRefusal, _ typed: TypedArguments, _ now: Instant?
  ) -> String? {
    switch refusal {
    case .unknownPlayer: typed.name.map { "There is no player \($0). Check the name." }
    case .dailyNotDealt(let day): now.flatMap { absent(day, today: Day(containing: $0)) }
    case .expired(let time):
      "The query came too late or too early; the service's time is \(Wording.second(time)). "
        + "Set your clock."
    default: nil
    }
  }

  /// A day without a challenge. One that can still be dealt is worth another try.
  private static func absent(_ day: Day, today: Day) -> String? {
    if day < today { return "There was no challenge on \(day). Choose another day." }
    if day > today { return "The challenge of \(day) begins on that day, by UTC. Wait for it." }
    return nil
  }
}
