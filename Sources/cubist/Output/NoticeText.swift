import MatchCore
import MatchWire
import PlayerClient

/// What a player hears about events that earlier commands made.
enum NoticeText {
  static func describe(_ notice: ClientNotice) -> (NoticeDocument, text: String) {
    switch notice {
    case .answered(let event, .accepted(let acceptance)):
      let text = "Your earlier \(wish(event)) went through\(what(acceptance))."
      return (document("answered", event, result: "accepted", text), text)
    case .answered(let event, .refused(let name, let message, _)):
      let text = "Your earlier \(wish(event)) was refused. \(message)"
      return (document("answered", event, result: name, text), text)
    case .stillPending(let event, let reason):
      let text = "Your earlier \(wish(event)) is still pending: \(reason)."
      return (document("pending", event, result: nil, text), text)
    case .dropped(let event):
      let text = """
        Your earlier \(wish(event)) of \(event.madeAt) grew too old to be sent again. Whether it \
        counted, your matches show.
        """
      return (document("dropped", event, result: nil, text), text)
    case .damaged(let file):
      let text = "A pending event could not be read; it was kept as \(file)."
      return (NoticeDocument(notice: "damaged", message: text), text)
    case .journalFailed(let error):
      let text = "The journal could not be written: \(error)"
      return (NoticeDocument(notice: "journalFailed", message: text), text)
    }
  }

  /// What was wished, as a noun.
  private static func wish(_ event: PendingEvent) -> String {
    switch event.event.action {
    case .playerRegistered: "registration"
    case .matchRequested: "start"
    case .dailyStarted: "start of the daily"
    case .invitationAccepted: "acceptance of an invitation"
    case .invitationDeclined: "refusal of an invitation"
    case .requestWithdrawn: "withdrawal"
    case .turnPlayed: "turn"
    case .matchForfeited: "forfeit"
    case .rematchRequested: "wish for a rematch"
    case .rematchDeclined: "refusal of a rematch"
    case .gameShared: "sharing of a game"
    case .settingsChanged: "change of settings"
    case .deviceRegistered: "registration of a device"
    case .deviceRemoved: "removal of a device"
    case .inboxSeen: "mark in the inbox"
    case .playerBlocked: "block"
    case .playerUnblocked: "end of a block"
    case .ticked, .mergeProposed, .deadlinePassed, .ruled: event.event.action.typeName
    }
  }

  /// What came of it, where there is more to say than that it did.
  private static func what(_ acceptance: Acceptance) -> String {
    switch acceptance {
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket),
      .rematchStarted(let ticket):
      ": match \(NextStep.short(ticket.match))"
    case .turnAccepted(let receipt):
      ": turn \(receipt.turn) of match \(NextStep.short(receipt.match))"
    default: ""
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
