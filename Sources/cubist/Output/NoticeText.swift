import MatchCore
import MatchWire
import PlayerClient

/// What a player hears about events that earlier commands made.
enum NoticeText {
  static func describe(_ notice: ClientNotice) -> (NoticeDocument, text: String) {
    switch notice {
    case .answered(let event, .accepted):
      let text = "An earlier command has its answer now: \(type(event)) was accepted."
      return (document("answered", event, result: "accepted", text), text)
    case .answered(let event, .refused(let name, let message, _)):
      let text = "An earlier command has its answer now: \(type(event)) was refused. \(message)"
      return (document("answered", event, result: name, text), text)
    case .stillPending(let event, let reason):
      let text = "An earlier command is still pending: \(type(event)), \(reason)."
      return (document("pending", event, result: nil, text), text)
    case .dropped(let event):
      let text = """
        An earlier command grew too old to be sent again: \(type(event)) of \(event.madeAt). \
        Whether it counted, your matches show.
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

  private static func type(_ event: PendingEvent) -> String { event.event.action.typeName }

  private static func document(
    _ notice: String, _ event: PendingEvent, result: String?, _ text: String
  ) -> NoticeDocument {
    NoticeDocument(
      notice: notice, event: event.id, type: type(event), result: result, message: text)
  }
}
