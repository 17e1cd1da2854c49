import LibCrypto
import MatchCore
package import MatchInterfaces

extension PushProvider {
  /// Web Push: a message, encrypted for each browser, goes to the push service of the browser's
  /// maker. Source: RFC 8030.
  /// - Parameters:
  ///   - key: The key with whose public half browsers have subscribed.
  ///   - contact: Where a push service reaches the operator.
  package static func webPush(
    key: PushSigningKey, contact: String, randomness: Randomness
  ) -> PushProvider {
    let tokens = VAPIDTokens(key: key, contact: contact)
    return PushProvider(name: "webPush", service: .webPush) { notification, now in
      notification.devices.compactMap { device in
        guard case .webPush(let subscription) = device.route else { return nil }
        let text = WebPushPayload.bytes(notification, isSilent: device.isQuiet)
        let work: PushParcel.Work
        do throws(WebPushMessage.Failure) {
          guard let sender = P256Key.made(by: randomness) else { throw .unusable }
          let body = try WebPushMessage.body(
            text, for: subscription, sender: sender, salt: randomness.bytes(16))
          work = request(notification, subscription, body, tokens, now)
        } catch {
          work = .finished(verdict(of: error))
        }
        return PushParcel(device: device, work: work)
      }
    }
  }

  private static func request(
    _ notification: PushNotification, _ subscription: WebPushSubscription, _ body: [UInt8],
    _ tokens: VAPIDTokens, _ now: Instant
  ) -> PushParcel.Work {
    let place = PushOrigin(of: subscription.endpoint)
    // The operator's connections to APNs are no business of clients.
    guard !place.isOfAPNs else {
      return .finished(.refused("its address is no push service of a browser", fault: .device))
    }
    let origin = place.text
    guard let authorization = tokens.authorization(for: origin, at: now) else {
      return .finished(.later("the key of Web Push cannot sign", after: nil))
    }
    let request = PushRequest(
      url: subscription.endpoint,
      headers: [
        "authorization": authorization, "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        "ttl": "\(notification.secondsLeft(at: now, atMost: WebPushAnswer.longestTTL))",
        "topic": topic(of: notification), "urgency": notification.urgency.rawValue,
      ], body: body, isForeign: true)
    return .request(request) { response in
      let answer = WebPushAnswer(response)
      if case .notAuthorized = answer { tokens.forget(authorization, of: origin) }
      return answer.verdict
    }
  }

  /// A newer message with the same topic takes the place of one that waits at the push service. A
  /// topic has 1 to 32 characters, and tells the push service nothing.
  private static func topic(of notification: PushNotification) -> String {
    var hash = TaggedHash("cubist/push-topic/1")
    hash.update(notification.job.player)
    hash.update(text: notification.collapseKey)
    return Base64.encodeForURL(Array(hash.finalize().bytes.prefix(24)))
  }

  private static func verdict(of failure: WebPushMessage.Failure) -> PushVerdict {
    switch failure {
    case .notOnCurve: .refused("the subscription's key is no point of P-256", fault: .device)
    case .tooLong: .refused("the message is longer than \(WebPushMessage.limit) bytes")
    case .unusable: .later("no message can be encrypted", after: nil)
    }
  }
}

/// The meaning of a push service's answer.
///
/// No word of it is passed on but the status: a client chose the address, and must not learn by way
/// of the service what is written there. For the same reason all refusals are the device's fault:
/// a server of a client's own can answer whatever it likes for ever.
enum WebPushAnswer: Hashable {
  case taken
  case gone(Int)
  /// The sender is not believed: its token is too old by the push service's clock, or the contact is
  /// not to its liking. That may pass.
  case notAuthorized(Int, after: Duration?)
  /// The browser has subscribed with another key of the service. That never passes, and yet the
  /// subscription stays: an operator who finds the former key again has lost nothing.
  case otherKey(Int)
  case busy(Int, after: Duration?)
  case tooLarge
  case redirected(Int)
  case refused(Int)

  /// The longest TTL in seconds. Push services keep messages for four weeks at most.
  static let longestTTL: Int64 = 28 * 86_400

  init(_ response: PushResponse) {
    switch response.status {
    case 200..<300: self = .taken
    case 300..<400: self = .redirected(response.status)
    // RFC 8292 names 403 for a token that is not valid and 401 for one that is missing. Mozilla's
    // service answers 401 where the key is another one.
    case 401, 403:
      self =
        WebPushAnswer.namesOtherKey(response.body)
        ? .otherKey(response.status)
        : .notAuthorized(response.status, after: response.retryAfter)
    case 404, 410: self = .gone(response.status)
    case 408, 429, 500..<600: self = .busy(response.status, after: response.retryAfter)
    case 413: self = .tooLarge
    default: self = .refused(response.status)
    }
  }

  /// Mozilla: “VAPID public key mismatch”. Apple: “VapidPkHashMismatch”. Google: “the VAPID
  /// credentials in the authorization header do not correspond to the credentials used to create the
  /// subscriptions”.
  private static func namesOtherKey(_ body: [UInt8]) -> Bool {
    let text = String(decoding: body.prefix(1_024), as: UTF8.self).lowercased()
    return text.contains("mismatch") || text.contains("do not correspond")
  }

  var verdict: PushVerdict {
    switch self {
    case .taken: .taken
    case .gone(let status): .gone("the push service answered \(status)")
    case .notAuthorized(let status, let pause):
      .later(
        "the push service answered \(status): it does not believe the service's token; compare the "
          + "clock of this machine and CUBIST_PUSH_CONTACT", after: pause, fault: .device)
    case .otherKey(let status):
      .refused(
        "the push service answered \(status): the browser has subscribed with another key than that "
          + "of CUBIST_PUSH_VAPID_KEY", fault: .device)
    case .busy(let status, let pause):
      .later("the push service answered \(status)", after: pause, fault: .device)
    case .tooLarge:
      .refused("the push service answered 413: the message is too large", fault: .device)
    case .redirected(let status):
      .refused(
        "the push service answered \(status), and redirects are not followed", fault: .device)
    case .refused(let status): .refused("the push service answered \(status)", fault: .device)
    }
  }
}

extension PushNotification {
  /// The time for which it is of use, in whole seconds; 0: only now.
  func secondsLeft(at now: Instant, atMost limit: Int64) -> Int64 {
    guard let expiresAt else { return min(86_400, limit) }
    return max(0, min(limit, expiresAt.microseconds(since: now) / 1_000_000))
  }
}

extension Device {
  /// Whether notifications arrive on it without a sound.
  var isQuiet: Bool { permission == .provisional }
}
