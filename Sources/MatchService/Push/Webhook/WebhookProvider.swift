import MatchCore
package import MatchInterfaces

extension PushProvider {
  /// Posts each notification as a signed message of the Standard Webhooks form.
  ///
  /// `webhook-id` is the id of the job, the same each time it is sent again: a receiver that
  /// remembers ids for a while takes each once. Any 2xx says that it was taken. After 408, 429,
  /// every 5xx and no answer the message is tried again later. A `Retry-After` is kept to as far as
  /// the delays go. All other answers are final.
  package static func webhook(_ webhook: Webhook) -> PushProvider {
    PushProvider(name: "webhook", service: .app) { notification, now in
      let request = webhook.request(for: notification, at: now)
      return [
        PushParcel(device: nil, work: .request(request) { Webhook.verdict(of: $0) })
      ]
    }
  }
}

extension Webhook {
  /// The message of a notification, signed with every secret. A receiver refuses those that are
  /// much older than its own time, so that nobody can repeat them.
  func request(for notification: PushNotification, at now: Instant) -> PushRequest {
    var data = JSONLine(notification)
    let devices = notification.devices.filter { $0.route.service == .app }
    if !devices.isEmpty { data["devices"] = .array(devices.map { JSONLine(told: $0) }) }
    let body = JSONLine([
      "type": .text("push.\(notification.job.kind.rawValue)"), "timestamp": .text("\(now)"),
      "data": .object(data),
    ]).object
    let id = "\(notification.job.id)"
    let timestamp = now.microseconds / 1_000_000
    let signatures = secrets.map { secret in
      "v1,\(secret.signature(id: id, timestamp: timestamp, body: body))"
    }
    return PushRequest(
      url: url,
      headers: [
        "content-type": "application/json", "webhook-id": id, "webhook-timestamp": "\(timestamp)",
        "webhook-signature": signatures.joined(separator: " "),
      ], body: body, isForeign: false, certificateAuthority: certificateAuthority)
  }

  static func verdict(of response: PushResponse) -> PushVerdict {
    let reason = "the receiver answered \(response.status)"
    switch response.status {
    case 200..<300: return .taken
    case 408, 429, 500..<600: return .later(reason, after: response.retryAfter)
    default: return .refused(reason)
    }
  }
}

extension JSONLine {
  /// A device, with its token: for the receiver that brings notifications to it, and for no log.
  fileprivate init(told device: Device) {
    self.init([
      "device": .text(device.name.text), "permission": .text(device.permission.rawValue),
    ])
    self["token"] = device.token.map { .text($0) }
  }
}
