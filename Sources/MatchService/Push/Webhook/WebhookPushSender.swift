import MatchCore
package import MatchInterfaces

extension PushSender {
  /// Posts each notification as a signed message of the Standard Webhooks form.
  ///
  /// `webhook-id` is the id of the job, the same each time it is sent again: a receiver that
  /// remembers ids for a while takes each once. Any 2xx says that it was taken. After 408, 429,
  /// every 5xx and no answer the message is tried again later. A `Retry-After` is kept to as far as
  /// the delays go. All other answers are final.
  ///
  /// - Parameter clock: Stamps messages; a receiver refuses those that are much older than its own
  ///   time, so that nobody can repeat them.
  package static func webhook(
    _ webhook: Webhook, over transport: WebhookTransport, clock: WallClock
  ) -> PushSender {
    PushSender { notification throws(PushError) in
      let request = webhook.request(for: notification, at: clock.now())
      let response: WebhookTransport.Response
      do throws(WebhookTransport.Failure) {
        response = try transport.post(request)
      } catch {
        throw .temporary(error.reason)
      }
      if let error = response.error { throw error }
    }
  }
}

extension Webhook {
  /// The message of a notification, signed with every secret.
  func request(
    for notification: PushSender.Notification, at now: Instant
  ) -> WebhookTransport.Request {
    var data = JSONLine(notification)
    if !notification.devices.isEmpty {
      data["devices"] = .array(notification.devices.map { JSONLine($0) })
    }
    let body = JSONLine([
      "type": .text("push.\(notification.job.kind.rawValue)"), "timestamp": .text("\(now)"),
      "data": .object(data),
    ]).object
    let id = "\(notification.job.id)"
    let timestamp = now.microseconds / 1_000_000
    let signatures = secrets.map { secret in
      "v1,\(secret.signature(id: id, timestamp: timestamp, body: body))"
    }
    return WebhookTransport.Request(
      url: url,
      headers: [
        "content-type": "application/json", "webhook-id": id, "webhook-timestamp": "\(timestamp)",
        "webhook-signature": signatures.joined(separator: " "),
      ], body: body)
  }
}

extension WebhookTransport.Response {
  /// The error that an answer means for the job; nil: it was taken.
  fileprivate var error: PushSender.PushError? {
    let reason = "the receiver answered \(status)"
    switch status {
    case 200..<300: return nil
    case 408, 429, 500..<600:
      return retryAfter.map { .busy(reason, retryAfter: $0) } ?? .temporary(reason)
    default: return .permanent(reason)
    }
  }
}

extension JSONLine {
  /// A device, with its token: for the receiver that brings notifications to it, and for no log.
  fileprivate init(_ device: Device) {
    self.init([
      "device": .text(device.name.text), "permission": .text(device.permission.rawValue),
    ])
    self["token"] = device.token.map { .text($0) }
  }
}
