import MatchCore
import MatchWire

/// Why a wish of the page was not done.
package struct Trouble: Hashable, Sendable {
  /// The stable name: that of the service's refusal, or of a case below.
  package var name: String
  /// A sentence for the player.
  package var message: String
  /// The seconds until the same can be tried again. Nil where the service does not say.
  package var retryAfter: Int64?
  /// Whether only the time was wrong, by which nothing was done.
  package var isAboutClock = false

  init(name: String, message: String, retryAfter: Int64? = nil) {
    (self.name, self.message, self.retryAfter) = (name, message, retryAfter)
  }

  /// Nil for a reply that is no refusal.
  init?(_ reply: ReceivedReply) {
    guard case .refused(let name, let message, let refusal) = reply else { return nil }
    self.init(name: name, message: message, retryAfter: refusal?.retryAfterSeconds)
    switch refusal {
    case .clockAhead?, .eventTooOld?: isAboutClock = true
    default: break
    }
  }

  init(_ fault: ReplyFault) { self.init(name: "unreadable", message: fault.description) }

  /// What came answers something else.
  static let foreign = Trouble(
    name: "foreign", message: "What came back answers something else. Try again.")
  /// The key belongs to another service.
  static let otherService = Trouble(
    name: "otherService",
    message: """
      This is another service than the one that your key was made for, or someone pretends to be \
      it. Ask who runs it.
      """)
  /// The service does not serve a page as old as this one.
  static let outdated = Trouble(
    name: "outdated", message: "This page is too old for the service. Reload it.")
}
