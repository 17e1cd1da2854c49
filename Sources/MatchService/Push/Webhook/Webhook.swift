import FoundationEssentials
package import MatchInterfaces
import SHA2

/// The address that notifications are posted to, and the secrets that sign them.
package struct Webhook: Hashable, Sendable {
  /// `https://…`; plain `http://` for a receiver on this machine only.
  package var url: String
  /// The secrets that sign a message, the newest first; never empty. Each of them signs, so that a
  /// receiver can change from one to the next.
  package var secrets: [WebhookSecret]
  /// The path of a file with authorities that may vouch for the receiver; nil: the system's.
  package var certificateAuthority: String?

  package init(url: String, secrets: [WebhookSecret], certificateAuthority: String? = nil) {
    self.url = url
    self.secrets = secrets
    self.certificateAuthority = certificateAuthority
  }

  /// Whether a URL is `https`, or `http` to a loopback address. A message is signed, and not
  /// secret, but it names players.
  package static func isAllowed(url: String) -> Bool {
    guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
      return false
    }
    let lower = url.lowercased()
    if lower.hasPrefix("https://") { return lower.utf8.count > "https://".utf8.count }
    guard lower.hasPrefix("http://") else { return false }
    let rest = lower.dropFirst("http://".count)
    let authority = rest.prefix { !"/?#".contains($0) }
    return ["127.0.0.1", "localhost", "[::1]"].contains { host in
      guard authority.hasPrefix(host) else { return false }
      let port = authority.dropFirst(host.count)
      return port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil
    }
  }
}

/// A secret that the service shares with the receiver of a webhook.
package struct WebhookSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  private let key: [UInt8]

  /// A secret of the form `whsec_` and 24 to 64 bytes in base64; nil for any other text.
  package init?(_ text: String) {
    guard text.hasPrefix("whsec_"), let key = Data(base64Encoded: String(text.dropFirst(6))),
      24...64 ~= key.count
    else { return nil }
    self.key = Array(key)
  }

  /// Secrets with spaces or commas between them; nil if one is invalid, or there is none.
  package static func list(_ text: String) -> [WebhookSecret]? {
    let parts = text.split { $0 == " " || $0 == "," }
    let secrets = parts.compactMap { WebhookSecret(String($0)) }
    return secrets.isEmpty || secrets.count != parts.count ? nil : secrets
  }

  /// The signature of a message, in base64.
  ///
  /// HMAC-SHA256 of `id.timestamp.body`. Source: the Standard Webhooks specification 1.0.0,
  /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  package func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
    let code = HMACSHA256.code(for: Array("\(id).\(timestamp).".utf8) + body, key: key)
    return Data(code).base64EncodedString()
  }

  /// Nothing of the secret.
  package var description: String { "a secret" }

  /// `dump` shows nothing of the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Webhook: PushWay {
  package static let name = "webhook"
  package static let isForAll = true

  package static func read(_ reader: inout SettingsReader) -> Webhook {
    let url = reader.required(.pushWebhookURL)
    if !url.isEmpty, !Webhook.isAllowed(url: url) {
      reader.report(
        .pushWebhookURL, "does not begin with https://, or http:// to a loopback address")
    }
    let text = reader.required(.pushWebhookSecret)
    let secrets = WebhookSecret.list(text)
    if !text.isEmpty, secrets == nil {
      reader.report(.pushWebhookSecret, "is no list of whsec_ and 24 to 64 bytes in base64")
    }
    return Webhook(
      url: url, secrets: secrets ?? [], certificateAuthority: reader.optional(.pushWebhookCA))
  }

  package var place: String { ServiceSettings.withoutUser(url) }

  package func provider(_: Randomness) -> PushProvider { .webhook(self) }
}
