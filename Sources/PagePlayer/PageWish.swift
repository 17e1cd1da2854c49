package import MatchCore

/// A wish of the page to the service, as the page writes it: a word and perhaps values,
/// `register ada`.
package enum PageWish: Hashable, Sendable {
  /// `service`: asks the service about itself and its time.
  case service
  /// `whoami`: asks for the player's own account.
  case whoAmI
  /// Takes a name: `register ada`, or `register ada CODE` where a code is needed.
  case register(PlayerName, code: ShareCode?)

  /// Reads a wish; nil where the text is none.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    switch (parts.first ?? "", parts.count) {
    case ("service", 1): self = .service
    case ("whoami", 1): self = .whoAmI
    case ("register", 2), ("register", 3):
      guard let name = PlayerName(parts[1]) else { return nil }
      guard parts.count == 3 else {
        self = .register(name, code: nil)
        return
      }
      guard let code = ShareCode(parts[2]) else { return nil }
      self = .register(name, code: code)
    default: return nil
    }
  }
}
