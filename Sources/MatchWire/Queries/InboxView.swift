public import MatchCore

extension Query {
  /// Asks for the asker's sent and unseen notifications.
  public struct Inbox: PlainQueryPayload {
    public typealias Answer = MatchWire.InboxView

    public static let name = "inbox"
    public static let cost = 1
    public var kind: Kind { .inbox }

    public init() {}
  }
}

/// A player's sent and unseen notifications.
public struct InboxView: Hashable, Sendable, Codable {
  /// The newest first, up to `limit`.
  public var items: [InboxItem]

  public init(items: [InboxItem]) { self.items = items }

  public static let limit = 100
}

/// A notification that was sent.
public struct InboxItem: Hashable, Sendable, Codable {
  public var id: PushJobID
  /// The kind's name.
  public var kind: String
  /// One line.
  public var title: String
  /// One sentence.
  public var body: String
  /// The match it is about.
  public var match: MatchID?
  /// The day it is about.
  public var day: Day?
  public var sentAt: Instant
  /// The name of the other player in that match; nil: there is none, or an older service left it out.
  public var opponentName: PlayerName?

  /// An item as it was received.
  package init(
    id: PushJobID, kind: String, title: String, body: String, match: MatchID?, day: Day?,
    sentAt: Instant, opponentName: PlayerName? = nil
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.body = body
    self.match = match
    self.day = day
    self.sentAt = sentAt
    self.opponentName = opponentName
  }

  public init(
    job: PushJob, title: String, body: String, sentAt: Instant, opponentName: PlayerName? = nil
  ) {
    id = job.id
    kind = job.kind.rawValue
    self.title = title
    self.body = body
    match = job.match
    day = job.day
    self.sentAt = sentAt
    self.opponentName = opponentName
  }
}

extension PushJobID: Codable {}
