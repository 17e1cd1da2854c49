package import CubePlay
package import MatchCore
package import MatchWire

extension InboxRow {
  /// A notification as the service tells it.
  package init(_ item: InboxItem, now: Instant) {
    self.init(
      id: item.id.description, title: item.title, text: item.body,
      time: Wording.when(item.sentAt, now: now), match: item.match.map { MatchKey($0) },
      player: item.opponentName?.text, isOfKeys: item.kind == PushJob.Kind.account.rawValue)
  }
}

extension InboxSeen {
  /// Nil where the name is none of a notification.
  package init?(_ leaving: InboxScreen.Leaving) {
    switch leaving {
    case .all: self = .all
    case .one(let text):
      guard let id = PushJobID(text) else { return nil }
      self = .one(id)
    }
  }
}
