import MatchCore
import Synchronization

/// The signed words by which a push service knows who sends, one for each origin, each made once
/// for many requests. Source: RFC 8292.
final class VAPIDTokens: Sendable {
  /// How long a token is valid. A push service takes none that is valid for more than 24 hours by
  /// its own clock.
  static let lifetime: Int64 = 12 * 3_600
  /// Origins whose tokens are kept. Clients choose endpoints, so the oldest one goes then.
  static let limit = 256

  private struct Token {
    var value: String
    var madeAt: Instant

    /// Whether less than half of its time is over. A clock that was set back makes it anew.
    func isFresh(at now: Instant) -> Bool {
      madeAt <= now && now < madeAt.adding(seconds: lifetime / 2)
    }
  }

  private struct Kept {
    var tokens: [String: Token] = [:]
    /// Origins in the order in which their tokens were made first.
    var order: [String] = []
  }

  private let key: PushSigningKey
  private let contact: String
  private let kept = Mutex(Kept())

  /// - Parameter contact: Where a push service reaches the operator: a `mailto:` or `https:` URI.
  init(key: PushSigningKey, contact: String) {
    self.key = key
    self.contact = contact
  }

  /// The value of the header `Authorization`; nil: the library cannot sign.
  func authorization(for origin: String, at now: Instant) -> String? {
    kept.withLock { kept in
      if let token = kept.tokens[origin], token.isFresh(at: now) { return token.value }
      guard let value = make(origin, now) else { return nil }
      if kept.tokens.updateValue(Token(value: value, madeAt: now), forKey: origin) == nil {
        kept.order.append(origin)
        if kept.order.count > VAPIDTokens.limit {
          kept.tokens[kept.order.removeFirst()] = nil
        }
      }
      return value
    }
  }

  /// Forgets a token that a push service does not take, so that the next request has a new one.
  func forget(_ value: String, of origin: String) {
    kept.withLock { kept in
      guard kept.tokens[origin]?.value == value else { return }
      kept.tokens[origin] = nil
      kept.order.removeAll { $0 == origin }
    }
  }

  /// How many are kept.
  var count: Int { kept.withLock { $0.tokens.count } }

  private func make(_ origin: String, _ now: Instant) -> String? {
    let end = now.microseconds / 1_000_000 &+ VAPIDTokens.lifetime
    let token = key.token(
      header: JSONLine(["typ": .text("JWT"), "alg": .text("ES256")]),
      claims: JSONLine(["aud": .text(origin), "exp": .number(end), "sub": .text(contact)]))
    return token.map { "vapid t=\($0), k=\(Base64.encodeForURL(key.publicKey))" }
  }
}
