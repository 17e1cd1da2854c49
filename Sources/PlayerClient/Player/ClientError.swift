public import MatchCore
public import MatchInterfaces
public import MatchWire

/// Why an event is still without an answer.
public enum PendingReason: Hashable, Sendable, CustomStringConvertible {
  /// The broker has it for certain; nobody has answered yet.
  case unanswered
  /// The connection broke or nothing came back: it may or may not have arrived.
  case unknown
  /// The service cannot say now.
  case unavailable
  /// The player has done too much within a minute, and may continue after so many seconds.
  case rateLimited(retryAfterSeconds: Int64?)
  /// The broker could not take it again, or could not be reached again.
  case bus(BusError)
  /// The reply belongs to another event.
  case foreignReply
  /// The reply cannot be read.
  case unreadable(ReplyFault)
  /// An earlier event about the same thing has no answer yet, and this one was not sent again
  /// before it.
  case behind(EventID)

  /// The reason as a clause.
  public var description: String {
    switch self {
    case .unanswered: "the service has it but has not answered yet"
    case .unknown: "no answer came back, so it may or may not have arrived"
    case .unavailable: "the service cannot say now"
    case .rateLimited(let seconds):
      "you have done too much within a minute and may go on in \(seconds ?? 60) s"
    case .bus(.unavailable(_, let seconds)):
      "the service takes nothing more now" + (seconds.map { ", and may in \($0) s" } ?? "")
    case .bus: "the service cannot be reached"
    case .foreignReply: "only answers to other events came back"
    case .unreadable(let fault): "the answer cannot be read (\(fault))"
    case .behind: "an earlier wish about the same thing has to be answered before"
    }
  }
}

/// Why a player's wish failed, or why its outcome is not known.
public enum ClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The event is kept and will be sent again, with the same id, before the next one.
  case pending(EventID, PendingReason)
  /// An earlier event about the same thing has no answer, so that nothing was sent: that event
  /// could arrive after a new one, and undo it.
  case earlierPending(PendingEvent, PendingReason)
  /// The service said no; `refusal` where this build knows it.
  case refused(name: String, message: String, refusal: Refusal?)
  /// The service did not answer a query; `refusal` where this build knows it.
  case queryRefused(name: String, message: String, refusal: QueryRefusal?)
  /// The broker or the service cannot be reached. Nothing was sent that could count, and nothing
  /// new is kept.
  case unreachable(BusError)
  /// The profile has no key, or the service does not know it.
  case notRegistered
  /// The profile waits for a recovery, which a registration or another player would destroy.
  case recovering(PlayerName, until: Instant)
  /// Another service than the profile's answers, or one that pretends to be it.
  case rootKeyChanged(pinned: PublicKey, received: PublicKey)
  /// The service has the right root key and another id.
  case serviceChanged(pinned: ServiceID, received: ServiceID)
  /// The service no longer serves programs as old as this one.
  case outdated(version: ProgramVersion, oldest: ProgramVersion)
  /// This machine's clock is too far from the service's; positive if it is ahead.
  case clockSkewed(aheadSeconds: Int64, serviceTime: Instant)
  /// The reply answers another question.
  case foreignReply
  /// The reply cannot be read.
  case unreadable(ReplyFault)
  /// The message is larger than the limit.
  case tooLarge(String)
  /// The profile's files.
  case profile(ProfileError)

  /// A reason without its period, to be part of a sentence of ours.
  static func withoutPeriod(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// Whether it names a request that the gateway's log names, too.
  public var namesRequest: Bool {
    guard case .unreachable(let error) = self else { return false }
    return "\(error)".contains(GatewayProblem.requestMark)
  }

  /// The fault, with its value, and the next step.
  public var description: String {
    switch self {
    case .pending(let event, let reason):
      "Event \(event) is pending: \(reason). Repeat the command: it is sent again and counts once."
    case .earlierPending(let event, let reason):
      """
      Nothing was sent: \(event.event.action.typeName) of \(event.madeAt) (event \(event.id)) is \
      about the same thing and is pending: \(reason). It could undo what you want now. Repeat the \
      command: the earlier one is sent again first, and yours follows its answer.
      """
    case .refused(_, let message, _), .queryRefused(_, let message, _): message
    case .unreachable(.notPermitted(let reason)):
      "The service's broker does not let you in: \(ClientError.withoutPeriod(reason))."
    case .unreachable(.refused(let reason)):
      "The service takes nothing more now: \(ClientError.withoutPeriod(reason)). Try again later."
    case .unreachable(.unavailable(let reason, let seconds)):
      "The service takes nothing more now: \(ClientError.withoutPeriod(reason)). "
        + (seconds.map { "Try again in \($0) s." } ?? "Try again later.")
    case .unreachable(.timedOut(let reason)):
      """
      The service did not answer in time: \(ClientError.withoutPeriod(reason)). Nothing has \
      changed. Try again.
      """
    case .unreachable(let error):
      """
      The service cannot be reached (\(ClientError.withoutPeriod("\(error)"))). Check that it runs \
      and try again.
      """
    case .notRegistered:
      "There is no registered player in this profile. Register a name, or import a key, first."
    case .recovering(let name, let until):
      """
      This profile waits for a recovery: it plays as \(name) from \(until) on. To be another player, \
      use another profile.
      """
    case .rootKeyChanged(let pinned, let received):
      """
      The service's root key is \(received), but this profile knows it as \(pinned): it is \
      another service, or someone pretends to be it. Use another profile for another service; \
      else ask who runs it.
      """
    case .serviceChanged(let pinned, let received):
      """
      The service calls itself \(received), but this profile belongs to \(pinned). Use another \
      profile for another service.
      """
    case .outdated(let version, let oldest):
      """
      This program is version \(version); the service serves \(oldest) and later. Install a newer \
      version.
      """
    case .clockSkewed(let seconds, let serviceTime):
      """
      Your clock is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") the service, whose \
      time is \(serviceTime). Set your clock and try again.
      """
    case .foreignReply: "What came back answers something else. Try again."
    case .unreadable(let fault): fault.description
    case .tooLarge(let what): "This cannot be sent: \(what). Play it in smaller parts."
    case .profile(let error): error.description
    }
  }
}

// MARK: - When to try again

extension PendingReason {
  /// After how many seconds the service wants to be asked again; nil where it does not say.
  public var retryAfterSeconds: Int64? {
    switch self {
    case .rateLimited(let seconds), .bus(.unavailable(_, let seconds)): seconds
    default: nil
    }
  }
}

extension ClientError {
  /// After how many seconds the service wants to be asked again; nil where it does not say.
  public var retryAfterSeconds: Int64? {
    switch self {
    case .pending(_, let reason), .earlierPending(_, let reason): reason.retryAfterSeconds
    case .refused(_, _, .rateLimited(_, let seconds)?), .unreachable(.unavailable(_, let seconds)):
      seconds
    case .queryRefused(_, _, .rateLimited(let seconds)?): seconds
    default: nil
    }
  }
}

/// News about an event that another command made.
public enum ClientNotice: Hashable, Sendable {
  /// An event that was pending has its answer now.
  case answered(PendingEvent, ReceivedReply)
  /// An event was sent again and is pending still.
  case stillPending(PendingEvent, PendingReason)
  /// An event grew too old to be sent; nobody knows whether it counted.
  case dropped(PendingEvent)
  /// A pending event's file could not be read; it was put aside under this name.
  case damaged(file: String)
  /// The journal could not be written; nothing else suffered.
  case journalFailed(ProfileError)
}
