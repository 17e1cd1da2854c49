import MatchCore
import MatchWire
import PlayerClient
import ServiceNews

/// Notices to the player about events that earlier commands made.
enum NoticeText {
  /// - Parameters:
  ///   - now: The time of day.
  ///   - opponent: The name of the opponent in a match, where it can be had.
  static func describe(
    _ notice: ClientNotice, now: Instant, opponent: (MatchID) -> PlayerName? = { _ in nil }
  ) -> (NoticeDocument, text: String) {
    switch notice {
    case .answered(let event, .accepted(let acceptance)):
      let what = event.code.map { ": its code is \($0.grouped)" }
      let text =
        "Your earlier \(event.event.action.noun) went through\(what ?? self.what(acceptance, opponent))."
      return (document("answered", event, result: "accepted", text), text)
    case .answered(let event, .refused(let name, let message, let refusal)):
      let error = ClientError.refused(name: name, message: message, refusal: refusal)
      let reason = ErrorText.text(error, TypedArguments(), now: now)
      let text = "Your earlier \(event.event.action.noun) was refused. \(reason)"
      return (document("answered", event, result: name, text), text)
    case .stillPending(let event, let reason):
      let text = "Your earlier \(event.event.action.noun) is still pending: \(reason)."
      return (document("pending", event, result: nil, text), text)
    case .dropped(let event):
      let text = """
        Your earlier \(event.event.action.noun) of \(Day(containing: event.madeAt)) grew too old to be sent \
        again. Your matches show whether it counted.
        """
      return (document("dropped", event, result: nil, text), text)
    case .damaged(let file):
      let text = "Something that was still to be sent could not be read. It was kept as \(file)."
      return (NoticeDocument(notice: "damaged", message: text), text)
    case .journalFailed(let error):
      let text = "The journal could not be written: \(error)"
      return (NoticeDocument(notice: "journalFailed", message: text), text)
    }
  }

  /// The outcome, where there is more to say than that it succeeded.
  private static func what(
    _ acceptance: Acceptance, _ opponent: (MatchID) -> PlayerName?
  ) -> String {
    func match(_ id: MatchID) -> String {
      opponent(id).map { "match with \($0)" } ?? "match \(NextStep.short(id))"
    }
    switch acceptance {
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket),
      .rematchStarted(let ticket):
      return ": \(match(ticket.match))"
    case .turnAccepted(let receipt):
      return ": turn \(receipt.turn) of \(match(receipt.match))"
    case .keyAdded(_, let name): return ": you are \(name)"
    default: return ""
    }
  }

  private static func type(_ event: PendingEvent) -> String { event.event.action.typeName }

  private static func document(
    _ notice: String, _ event: PendingEvent, result: String?, _ text: String
  ) -> NoticeDocument {
    NoticeDocument(
      notice: notice, event: event.id, type: type(event), result: result, message: text)
  }
}
