import MatchCore
import MatchWire
import TerminalScreen

/// Notifications in words.
enum InboxText {
  static func text(_ inbox: InboxView, now: Instant) -> String {
    guard !inbox.items.isEmpty else { return "Nothing that you have not seen.\n" }
    return inbox.items.map { item in
      let about = item.match.map { "  match \(NextStep.short($0))" } ?? ""
      return "\(TerminalText.safe(item.title)), \(Wording.when(item.sentAt, now: now))\(about)\n"
        + "  \(TerminalText.safe(item.body))\n  \(item.id)\n"
    }.joined()
  }
}
