import IssueReporting
package import MatchCore

/// Hands notifications to a provider that brings them to a device.
package struct PushSender: Sendable {
  /// Hands one notification over.
  package var send: @Sendable (Notification) throws(PushError) -> Void

  package init(send: @escaping @Sendable (Notification) throws(PushError) -> Void) {
    self.send = send
  }

  /// The text that a player reads.
  package struct Notification: Hashable, Sendable {
    /// The job behind it.
    package var job: PushJob
    /// One line.
    package var title: String
    /// One sentence.
    package var body: String
    /// A later notification with the same key takes this one's place.
    package var collapseKey: String
    /// The player's devices that may be told; none: the receiver knows them.
    package var devices: [Device]

    package init(
      job: PushJob, title: String, body: String, opponent: PlayerID? = nil, devices: [Device] = []
    ) {
      self.job = job
      self.title = title
      self.body = body
      collapseKey = job.collapseKey(opponent: opponent)
      self.devices = devices
    }
  }

  /// Why a provider did not take a notification.
  package enum PushError: Error, Hashable, Sendable {
    /// It may take it later.
    case temporary(String)
    /// It may take it later, and asks to be left alone until then.
    case busy(String, retryAfter: Duration)
    /// It will never take it.
    case permanent(String)
  }
}

extension PushSender {
  /// Takes everything and does nothing.
  package static var noop: PushSender { PushSender { _ in } }

  /// Reports an issue whenever it is used, and refuses.
  package static var failing: PushSender {
    PushSender { _ throws(PushError) in
      reportIssue("Unimplemented: PushSender.send")
      throw .temporary("unimplemented")
    }
  }
}
