import MatchCore
package import MatchInterfaces

extension PushProvider {
  /// Apple's push service. Source: “Sending notification requests to APNs” in Apple's documentation
  /// of User Notifications.
  /// - Parameter key: The key of the settings' file.
  package static func apns(_ settings: APNsSettings, key: PushSigningKey) -> PushProvider {
    let tokens = APNsTokens(key: key, keyID: settings.keyID, team: settings.team)
    return PushProvider(name: "apns", service: .apns) { notification, now in
      notification.devices.compactMap { device in
        guard case .apns(let token) = device.route else { return nil }
        return PushParcel(
          device: device, work: work(notification, device, token, settings, tokens, now))
      }
    }
  }

  private static func work(
    _ notification: PushNotification, _ device: Device, _ token: String,
    _ settings: APNsSettings, _ tokens: APNsTokens, _ now: Instant
  ) -> PushParcel.Work {
    // It becomes a part of the address.
    guard isToken(token) else {
      return .finished(.refused("the device's token is no hexadecimal number", fault: .device))
    }
    guard let authorization = tokens.authorization(at: now) else {
      return .finished(.later("the key of APNs cannot sign", after: nil))
    }
    let isSilent = notification.isSilent || device.isQuiet
    let request = PushRequest(
      url: "\(settings.url)/3/device/\(token)",
      headers: [
        "authorization": authorization, "content-type": "application/json",
        "apns-topic": settings.topic, "apns-push-type": "alert",
        "apns-priority": priority(of: notification),
        "apns-expiration": "\(expiration(of: notification, at: now))",
        "apns-collapse-id": collapseID(of: notification), "apns-id": "\(notification.job.id)",
      ], body: payload(of: notification, isSilent: isSilent), isHTTP2: true, isForeign: false,
      certificateAuthority: settings.certificateAuthority)
    return .request(request) { response in
      let answer = APNsAnswer(response)
      if answer.needsToken { tokens.refused(authorization) }
      return answer.verdict
    }
  }

  private static func isToken(_ text: String) -> Bool {
    1...200 ~= text.utf8.count
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
      }
  }

  private static func priority(of notification: PushNotification) -> String {
    switch notification.urgency {
    case .high: "10"
    case .normal: "5"
    case .low: "1"
    }
  }

  /// Until when Apple keeps it, in seconds since 1970; 0: not at all.
  private static func expiration(of notification: PushNotification, at now: Instant) -> Int64 {
    let left = notification.secondsLeft(at: now, atMost: WebPushAnswer.longestTTL)
    return left == 0 ? 0 : max(0, now.microseconds / 1_000_000) + left
  }

  /// At most 64 bytes.
  private static func collapseID(of notification: PushNotification) -> String {
    let key = notification.collapseKey
    guard key.utf8.count > 64 || !key.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else { return key }
    var hash = TaggedHash("cubist/collapse-id/1")
    hash.update(text: key)
    return Base64.encodeForURL(hash.finalize().bytes)
  }

  private static func payload(of notification: PushNotification, isSilent: Bool) -> [UInt8] {
    let job = notification.job
    var aps = JSONLine([
      "alert": .object(
        JSONLine([
          "title": .text(JSONLine.cut(notification.title, toBytes: WebPushPayload.titleLimit)),
          "body": .text(JSONLine.cut(notification.body, toBytes: WebPushPayload.bodyLimit)),
        ])),
      "interruption-level": .text(isSilent ? "passive" : "active"),
    ])
    aps["badge"] = notification.waiting.map { .number(Int64(clamping: max(0, $0))) }
    if !isSilent { aps["sound"] = .text("default") }
    var line = JSONLine([
      "aps": .object(aps), "id": .text("\(job.id)"), "kind": .text(job.kind.rawValue),
    ])
    line["match"] = job.match.map { .text("\($0)") }
    line["day"] = job.day.map { .text("\($0)") }
    return line.object
  }
}
