import IssueReporting
public import MatchCore

/// Hands notifications to a provider that brings them to a device.
public struct PushSender: Sendable {
  /// Hands one notification over.
  public var send: @Sendable (Notification) throws(PushError) -> Void

  public init(send: @escaping @Sendable (Notification) throws(PushError) -> Void) {
    self.send = send
  }

  /// The text that a player reads.
  public struct Notification: Hashable, Sendable {
    /// The job behind it.
    public var job: PushJob
    /// One line.
    public var title: String
    /// One sentence.
    public var body: String
    /// A later notification with the same key takes this one's place.
    public var collapseKey: String
    /// The player's devices that may be told; none: the receiver knows them.
    public var devices: [Device]

    public init(
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
  public enum PushError: Error, Hashable, Sendable {
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
  public static var noop: PushSender { PushSender { _ in } }

  /// Reports an issue whenever it is used, and refuses.
  public static var failing: PushSender {
    PushSender { _ throws(PushError) in
      reportIssue("Unimplemented: PushSender.send")
      throw .temporary("unimplemented")
    }
  }
}
