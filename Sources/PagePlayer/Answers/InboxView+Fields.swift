import MatchCore
import MatchWire

extension InboxView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(items: try object.list("items", InboxItem.init))
  }
}

extension InboxItem {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      id: try object.id("id"), kind: try object.string("kind"),
      title: try object.string("title", limit: 1_024),
      body: try object.string("body", limit: 4_096), match: try object.optionalID("match"),
      day: try object.optionalValue("day", "a day such as 2026-05-01") { Day($0) },
      sentAt: try object.instant("sentAt"),
      opponentName: try object.optionalPlayerName("opponentName"))
  }
}
