import MatchWire

/// Something that is wrong with the service, or with its last words, for the player to read.
package struct Trouble: Hashable, Sendable {
  /// The stable name: that of the service's refusal, or of a case below.
  package var name: String
  /// A sentence for the player.
  package var message: String
  /// Whether nothing more is asked: reloading the page is all that may help.
  package var isFinal = false

  init(name: String, message: String) { (self.name, self.message) = (name, message) }

  init(_ fault: ReplyFault) { self.init(name: "unreadable", message: fault.description) }

  private init(final name: String, _ message: String) {
    self.init(name: name, message: message)
    isFinal = true
  }

  /// The bytes that came answer nothing that was asked.
  static let foreign = Trouble(
    name: "foreign", message: "What came back answers something else. Try again.")
  /// The key belongs to another service.
  static let otherService = Trouble(
    final: "otherService",
    """
    This is another service than the one that your key was made for, or someone pretends to be \
    it. Ask who runs it.
    """)
  /// The service does not serve a page as old as this one.
  static let outdated = Trouble(
    final: "outdated", "This page is too old for the service. Reload it.")
}
