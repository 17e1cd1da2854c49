package import MatchInterfaces

/// How the service makes itself known to the push services of browsers.
package struct WebPushSettings: PushWay {
  package static let name = "webPush"

  /// The path of the file with the private key.
  package var keyPath: String
  /// Where a push service reaches the operator: a `mailto:` or `https:` URI.
  package var contact: String

  package init(keyPath: String, contact: String) {
    self.keyPath = keyPath
    self.contact = contact
  }

  /// Whether a text can be a contact.
  package static func isContact(_ text: String) -> Bool {
    guard text.utf8.count <= 256,
      text.utf8.allSatisfy({ 0x21...0x7e ~= $0 && $0 != 0x22 && $0 != 0x5c })
    else { return false }
    if text.hasPrefix("https://") { return text.utf8.count > "https://".utf8.count }
    guard text.hasPrefix("mailto:") else { return false }
    let parts = text.dropFirst("mailto:".count).split(
      separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
  }

  package static func read(_ reader: inout SettingsReader) -> WebPushSettings {
    let contact = reader.required(.pushContact)
    if !contact.isEmpty, !isContact(contact) {
      reader.report(.pushContact, "is no mailto: with an address, and no https: URL")
    }
    return WebPushSettings(keyPath: reader.required(.pushVAPIDKey), contact: contact)
  }

  package var keyFile: String? { keyPath }

  package func provider(_ randomness: Randomness) throws(PushWayFailure) -> PushProvider {
    .webPush(key: try .ofWay(keyPath), contact: contact, randomness: randomness)
  }
}
