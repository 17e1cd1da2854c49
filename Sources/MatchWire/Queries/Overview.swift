public import MatchCore

extension Query {
  /// Asks for the versions of everything that concerns the asker. It opens a stream of changes.
  public struct Overview: PlainQueryPayload {
    public typealias Answer = MatchWire.Overview

    public static let name = "overview"
    public static let cost = 2
    public var kind: Kind { .overview }

    public init() {}
  }
}

/// The versions of everything that concerns a player, without contents. A client fetches the
/// contents that are newer than its own.
public struct Overview: Hashable, Sendable, Codable {
  /// Matches and invitations that are not over, finished matches with an offer of a rematch, and
  /// the last matches that ended: up to `matchLimit` in the order of their ids, the newest first.
  public var matches: [Version]
  /// The newest notification that was sent and not yet seen. Nil: there is none.
  public var inbox: Newest?
  /// Another text whenever settings, devices or blocks change.
  public var settings: String

  /// The stored version of a match.
  public struct Version: Hashable, Sendable, Codable {
    public var match: MatchID
    public var version: Int64

    public init(match: MatchID, version: Int64) {
      self.match = match
      self.version = version
    }
  }

  /// A notification.
  public struct Newest: Hashable, Sendable, Codable {
    public var id: PushJobID
    public var sentAt: Instant

    public init(id: PushJobID, sentAt: Instant) {
      self.id = id
      self.sentAt = sentAt
    }
  }

  public init(matches: [Version], inbox: Newest?, settings: String) {
    self.matches = matches
    self.inbox = inbox
    self.settings = settings
  }

  /// The most matches that are not over, and as many invitations.
  public static let currentLimit = 200
  /// The most offers of a rematch, and as many matches that ended last.
  public static let endedLimit = 20
  /// The most matches in all.
  public static let matchLimit = 2 * currentLimit + 2 * endedLimit
}
