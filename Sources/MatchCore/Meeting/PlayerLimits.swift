/// What one player may do at most, and how many may come in; nil: as much as one likes.
public struct PlayerLimits: Hashable, Sendable {
  /// Events in a minute. Counted by each worker for itself, so that it is about right.
  public var eventsPerMinute: Int?
  /// Requests and invitations of the player that nobody has taken yet. Exact.
  public var openRequests: Int?
  /// Matches of the player that are not over, those that wait included. Exact.
  public var runningMatches: Int?
  /// Queries in a minute; one that takes more counts more. Counted by each reader for itself, so that
  /// it is about right.
  public var queriesPerMinute: Int?
  /// Invitations to the player that wait for an answer. Exact.
  public var invitations: Int?
  /// Those among them from players whom the player has never met; twice as many in a day. Exact.
  public var strangerInvitations: Int?
  /// Registrations of all players in an hour that need no code. What workers write at the same moment
  /// may exceed it, by one batch each.
  public var registrationsPerHour: Int?
  /// Players whom the player has blocked. What two workers write for one player at the same moment,
  /// while a queue changes hands, may exceed it, by one batch.
  public var blocks: Int?

  public init(
    eventsPerMinute: Int?, openRequests: Int?, runningMatches: Int?,
    queriesPerMinute: Int? = nil, invitations: Int? = nil, strangerInvitations: Int? = nil,
    registrationsPerHour: Int? = nil, blocks: Int? = nil
  ) {
    self.eventsPerMinute = eventsPerMinute
    self.openRequests = openRequests
    self.runningMatches = runningMatches
    self.queriesPerMinute = queriesPerMinute
    self.invitations = invitations
    self.strangerInvitations = strangerInvitations
    self.registrationsPerHour = registrationsPerHour
    self.blocks = blocks
  }

  /// What holds unless it is set otherwise.
  public static let standard = PlayerLimits(
    eventsPerMinute: 600, openRequests: 20, runningMatches: 100, queriesPerMinute: 1_200,
    invitations: 200, strangerInvitations: 50, registrationsPerHour: 1_000, blocks: 1_000)
  /// No limit at all.
  public static let none = PlayerLimits(
    eventsPerMinute: nil, openRequests: nil, runningMatches: nil)

  /// Which limit was reached. The raw values travel and must never change.
  public enum Key: String, Hashable, Sendable, CaseIterable {
    case eventsPerMinute
    /// Requests and invitations that nobody has taken yet.
    case openRequests
    /// Matches that are not over.
    case runningMatches
    case registrationsPerHour
    case blocks
  }

  public var countsMatches: Bool { openRequests != nil || runningMatches != nil }
  public var countsInvitations: Bool { invitations != nil || strangerInvitations != nil }
}

/// The invitations to a player, as somebody finds them who wants to invite.
public struct Inbox: Hashable, Sendable {
  /// More than so many are not counted.
  public static let countLimit = 1_000
  /// So many of one stranger may wait, so that few strangers cannot take the room of all.
  public static let strangerLimit = 2
  /// So many of one sender may wait, whoever it is.
  public static let senderLimit = 5
  /// So many one stranger may send in a day, whatever has become of them.
  public static let dailyStrangerLimit = 5
  /// All strangers may send so many times as many in a day as may wait of theirs.
  public static let dailyRatio = 2

  /// How many wait for an answer.
  public var waiting: Int
  /// Those from players whom the player has never met.
  public var fromStrangers: Int
  /// Those from the sender.
  public var fromSender: Int
  /// Those that players whom the player had never met have sent that day, whatever has become of
  /// them.
  public var strangersToday: Int
  /// Those among them from the sender.
  public var senderToday: Int
  /// Whether the player has met the sender: plays or has played with the sender.
  public var knowsSender: Bool

  public init(
    waiting: Int = 0, fromStrangers: Int = 0, fromSender: Int = 0, strangersToday: Int = 0,
    senderToday: Int = 0, knowsSender: Bool = false
  ) {
    self.waiting = waiting
    self.fromStrangers = fromStrangers
    self.fromSender = fromSender
    self.strangersToday = strangersToday
    self.senderToday = senderToday
    self.knowsSender = knowsSender
  }
}

/// The registrations of the last hour.
public struct RegistrationLoad: Hashable, Sendable {
  /// How many there were; as many as the limit count.
  public var count: Int
  /// When the first of them was, after which there is room again.
  public var oldest: Instant?

  public init(count: Int = 0, oldest: Instant? = nil) {
    self.count = count
    self.oldest = oldest
  }
}

/// How many matches of a player are not over.
public struct PlayerLoad: Hashable, Sendable {
  /// Those in which nobody has taken the other seat yet.
  public var waiting: Int
  /// All of them, those included.
  public var total: Int

  public init(waiting: Int = 0, total: Int = 0) {
    self.waiting = waiting
    self.total = total
  }

  /// Adds what a step of a match makes of the load of a player.
  public mutating func add(_ change: MatchChange, for player: PlayerID) {
    let (before, after) = (PlayerLoad(change.before, player), PlayerLoad(change.after, player))
    waiting += after.waiting - before.waiting
    total += after.total - before.total
  }

  /// What one match adds to the load of a player.
  init(_ match: Match?, _ player: PlayerID) {
    let isCounted = match.map { $0.outcome == nil && $0.seat(of: player) != nil } ?? false
    self.init(
      waiting: isCounted && match?.stage == .waiting ? 1 : 0, total: isCounted ? 1 : 0)
  }
}

extension JudgingContext {
  /// Why nobody may register without a code now.
  func refusalToRegister() -> Refusal? {
    guard let limit = limits.registrationsPerHour, registrations.count >= limit else { return nil }
    let end = (registrations.oldest ?? now).adding(seconds: 3_600)
    let seconds = (end.microseconds(since: now) + 999_999) / 1_000_000
    return .rateLimited(
      .registrationsPerHour, retryAfterSeconds: min(max(1, seconds), 3_600))
  }

  /// Why a player may not be invited now. The sender is told what anybody is told whom the player
  /// has no room for: nobody learns how many others have invited.
  func refusalToInvite(_ player: PlayerID) -> Refusal? {
    guard let inbox else { return nil }
    if inbox.fromSender >= Inbox.senderLimit {
      return .rateLimited(.openRequests, retryAfterSeconds: nil)
    }
    if let limit = limits.strangerInvitations, !inbox.knowsSender {
      if inbox.fromSender >= Inbox.strangerLimit || inbox.senderToday >= Inbox.dailyStrangerLimit {
        return .rateLimited(.openRequests, retryAfterSeconds: nil)
      }
      if inbox.fromStrangers >= limit || inbox.strangersToday / Inbox.dailyRatio >= limit {
        return .playerUnavailable(player)
      }
    }
    let isFull = limits.invitations.map { inbox.waiting >= $0 } ?? false
    return isFull ? .playerUnavailable(player) : nil
  }

  /// Why a player may not begin a match; `waits`: whether it would wait for somebody.
  func refusalToBegin(_ player: PlayerID, waits: Bool) -> Refusal? {
    guard let load = loads[player] else { return nil }
    if let limit = limits.runningMatches, load.total >= limit {
      return .rateLimited(.runningMatches, retryAfterSeconds: nil)
    }
    if waits, let limit = limits.openRequests, load.waiting >= limit {
      return .rateLimited(.openRequests, retryAfterSeconds: nil)
    }
    return nil
  }
}
