/// The ways of notifications. The raw values are those of the setting.
package enum PushWay: String, Hashable, Sendable, CaseIterable {
  /// They are written.
  case log
  /// They are posted to a receiver of the operator's.
  case webhook
  case webPush
  case apns

  /// A list with commas, each way once. Log and webhook serve the same devices, so there is one of
  /// them. Nil for anything else.
  package static func list(_ text: String) -> [PushWay]? {
    var ways: [PushWay] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let way = PushWay(rawValue: part.filter { $0 != " " }), !ways.contains(way) else {
        return nil
      }
      ways.append(way)
    }
    return ways.contains(.log) && ways.contains(.webhook) ? nil : ways
  }
}

/// How the service makes itself known to the push services of browsers.
package struct WebPushSettings: Hashable, Sendable {
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
}

extension SettingsReader {
  /// The ways that notifications go, and what each of them needs.
  mutating func push(into settings: inout ServiceSettings) {
    settings.push = value(
      .push,
      "a list of \(PushWay.allCases.map(\.rawValue).joined(separator: ", ")), each once, and one "
        + "of log and webhook at most",
      standard: [.log], parse: PushWay.list)
    settings.pushLog = optional(.pushLog) ?? "-"
    if settings.push.contains(.webhook) { settings.webhook = webhook() }
    if settings.push.contains(.webPush) { settings.webPush = webPush() }
    if settings.push.contains(.apns) { settings.apns = apns() }
    settings.pushAllow = value(
      .pushAllow, "a list of addresses and ranges", standard: [], parse: AddressRange.list)
  }

  private mutating func webPush() -> WebPushSettings {
    let contact = required(.pushContact)
    if !contact.isEmpty, !WebPushSettings.isContact(contact) {
      report(.pushContact, "is no mailto: with an address, and no https: URL")
    }
    return WebPushSettings(keyPath: required(.pushVAPIDKey), contact: contact)
  }

  private mutating func apns() -> APNsSettings {
    var settings = APNsSettings(
      keyPath: required(.pushAPNsKey), keyID: required(.pushAPNsKeyID),
      team: required(.pushAPNsTeam), topic: required(.pushAPNsTopic),
      certificateAuthority: optional(.pushAPNsCA))
    for (name, text) in [
      (SettingName.pushAPNsKeyID, settings.keyID), (.pushAPNsTeam, settings.team),
    ]
    where !text.isEmpty && !APNsSettings.isName(text) {
      report(name, "is not ten capital letters and digits")
    }
    if !settings.topic.isEmpty, !APNsSettings.isTopic(settings.topic) {
      report(.pushAPNsTopic, "is no bundle ID")
    }
    guard var url = optional(.pushAPNsURL) else { return settings }
    if url.hasSuffix("/") { url.removeLast() }
    if !APNsSettings.isURL(url) { report(.pushAPNsURL, "is not https://, a host, perhaps a port") }
    settings.url = url
    return settings
  }
}

extension AddressRange {
  /// A list with commas; nil if a part of it is no range.
  package static func list(_ text: String) -> [AddressRange]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " } }
    let ranges = parts.compactMap { AddressRange($0) }
    return ranges.count == parts.count ? ranges : nil
  }
}
