package import MatchInterfaces

/// How Apple's push service is reached, and as whom.
package struct APNsSettings: PushWay {
  package static let name = "apns"

  /// The path of the file with the key that Apple gave out, a PEM document (`.p8`).
  package var keyPath: String
  /// Apple's name of that key: ten letters and digits.
  package var keyID: String
  /// Apple's name of the developer's team: ten letters and digits.
  package var team: String
  /// The bundle ID of the app.
  package var topic: String
  /// The push service's address, without a slash at its end.
  package var url: String
  /// The path of a file with authorities that may vouch for it; nil: the system's.
  package var certificateAuthority: String?

  package static let production = "https://api.push.apple.com"

  package init(
    keyPath: String, keyID: String, team: String, topic: String,
    url: String = APNsSettings.production, certificateAuthority: String? = nil
  ) {
    self.keyPath = keyPath
    self.keyID = keyID
    self.team = team
    self.topic = topic
    self.url = url
    self.certificateAuthority = certificateAuthority
  }

  /// Whether a text can be Apple's name of a key or a team.
  static func isName(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
  }

  /// Whether a text can be a topic: a bundle ID, perhaps with a suffix.
  static func isTopic(_ text: String) -> Bool {
    1...155 ~= text.utf8.count
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }

  /// Whether a text can be the address: `https://`, a host, perhaps a port.
  static func isURL(_ text: String) -> Bool {
    let prefix = "https://"
    guard text.hasPrefix(prefix), 9...256 ~= text.utf8.count else { return false }
    return text.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
      (0x21...0x7e).contains(byte) && !"/?#@\\".utf8.contains(byte)
    }
  }

  package static func read(_ reader: inout SettingsReader) -> APNsSettings {
    var settings = APNsSettings(
      keyPath: reader.required(.pushAPNsKey), keyID: reader.required(.pushAPNsKeyID),
      team: reader.required(.pushAPNsTeam), topic: reader.required(.pushAPNsTopic),
      certificateAuthority: reader.optional(.pushAPNsCA))
    for (name, text) in [
      (SettingName.pushAPNsKeyID, settings.keyID), (.pushAPNsTeam, settings.team),
    ]
    where !text.isEmpty && !isName(text) {
      reader.report(name, "is not ten capital letters and digits")
    }
    if !settings.topic.isEmpty, !isTopic(settings.topic) {
      reader.report(.pushAPNsTopic, "is no bundle ID")
    }
    guard var url = reader.optional(.pushAPNsURL) else { return settings }
    if url.hasSuffix("/") { url.removeLast() }
    if !isURL(url) { reader.report(.pushAPNsURL, "is not https://, a host, perhaps a port") }
    settings.url = url
    return settings
  }

  package var place: String { "\(topic)@\(ServiceSettings.withoutUser(url))" }
  package var keyFile: String? { keyPath }

  package func provider(_: Randomness) throws(PushWayFailure) -> PushProvider {
    .apns(self, key: try .ofWay(keyPath))
  }
}
