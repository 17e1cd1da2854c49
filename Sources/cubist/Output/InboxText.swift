import ServiceNews
import MatchCore
import MatchWire
import TerminalScreen

/// Notifications in words.
enum InboxText {
  static func text(_ inbox: InboxView, now: Instant) -> String {
    guard !inbox.items.isEmpty else { return "Nothing that you have not seen.\n" }
    let ids = ShortIDs(inbox.items.map(\.id))
    return inbox.items.map { item in
      let about = item.match.map { ", match \(NextStep.short($0))" } ?? ""
      return "\(ids.short(item.id))  \(TerminalText.safe(item.title)), "
        + "\(Wording.when(item.sentAt, now: now))\(about)\n"
        + "      \(TerminalText.safe(item.body))\n"
    }.joined()
  }
}

/// Notifications by the endings of their ids.
struct ShortIDs {
  let ids: [PushJobID]

  init(_ ids: [PushJobID]) { self.ids = ids }

  /// The shortest ending, of four digits or more, that no other notification has.
  func short(_ id: PushJobID) -> String {
    let text = id.description
    return (4..<text.count).lazy.map { String(text.suffix($0)) }
      .first { !$0.hasPrefix("-") && matching($0) == [id] } ?? text
  }

  /// The notifications with ids that end with a text.
  func matching(_ text: String) -> [PushJobID] {
    ids.filter { $0.description.hasSuffix(text.lowercased()) }
  }
}
