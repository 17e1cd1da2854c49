import MatchCore
import Synchronization

/// The signed words by which Apple's push service knows who sends.
///
/// Apple takes a token for an hour after the time that is written in it, and wants no new one before
/// 20 minutes are over. So one serves all requests for 40 minutes.
final class APNsTokens: Sendable {
  static let shortest: Int64 = 20 * 60
  static let longest: Int64 = 40 * 60

  private struct Token {
    var value: String
    var madeAt: Instant
    /// Apple does not take it any more.
    var isRefused = false
  }

  private let key: PushSigningKey
  private let keyID: String
  private let team: String
  private let kept = Mutex<Token?>(nil)

  init(key: PushSigningKey, keyID: String, team: String) {
    self.key = key
    self.keyID = keyID
    self.team = team
  }

  /// The value of the header `authorization`; nil: the library cannot sign.
  func authorization(at now: Instant) -> String? {
    kept.withLock { kept in
      if let kept, APNsTokens.serves(kept, now) { return kept.value }
      let token = key.token(
        header: JSONLine(["alg": .text("ES256"), "kid": .text(keyID)]),
        claims: JSONLine(["iss": .text(team), "iat": .number(now.microseconds / 1_000_000)]))
      guard let token else { return nil }
      let value = "bearer \(token)"
      kept = Token(value: value, madeAt: now)
      return value
    }
  }

  /// Remembers that Apple does not take a token any more. A new one is made as soon as Apple wants
  /// one.
  func refused(_ value: String) {
    kept.withLock { kept in
      if kept?.value == value { kept?.isRefused = true }
    }
  }

  /// A clock that was set back makes a new token.
  private static func serves(_ token: Token, _ now: Instant) -> Bool {
    let end = token.madeAt.adding(seconds: token.isRefused ? shortest : longest)
    return token.madeAt <= now && now < end
  }
}
