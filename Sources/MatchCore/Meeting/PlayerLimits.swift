/// The limits on one player's acts, and on all registrations. Nil: no limit.
public struct PlayerLimits: Hashable, Sendable {
  /// Events per minute. Each worker counts for itself, so the limit is approximate.
  public var eventsPerMinute: Int?
  /// Requests and invitations of the player that nobody has accepted yet. Exact.
  public var openRequests: Int?
  /// Matches of the player that are not over, including waiting ones. Exact.
  public var runningMatches: Int?
  /// Queries per minute. An expensive one counts as more than one. Each reader counts for itself,
  /// so the limit is approximate.
  public var queriesPerMinute: Int?
  /// Invitations to the player that wait for an answer. Exact.
  public var invitations: Int?
  /// Of those, the ones from players that the player has never met. Twice as many may come in a
  /// day. Exact.
  public var strangerInvitations: Int?
  /// Registrations without a code of all players in an hour. Workers that write at the same moment
  /// may exceed it, by one batch each.
  public var registrationsPerHour: Int?
  /// Players that the player has blocked. While a queue changes hands, two workers that write for
  /// one player at the same moment may exceed it, by one batch.
  public var blocks: Int?
  /// Tests of notifications per minute. Each worker counts for itself.
  public var testsPerMinute: Int?

  public init(
    eventsPerMinute: Int?, openRequests: Int?, runningMatches: Int?,
    queriesPerMinute: Int? = nil, invitations: Int? = nil, strangerInvitations: Int? = nil,
    registrationsPerHour: Int? = nil, blocks: Int? = nil, testsPerMinute: Int? = nil
  ) {
    self.eventsPerMinute = eventsPerMinute
    self.openRequests = openRequests
    self.runningMatches = runningMatches
    self.queriesPerMinute = queriesPerMinute
    self.invitations = invitations
    self.strangerInvitations = strangerInvitations
    self.registrationsPerHour = registrationsPerHour
    self.blocks = blocks
    self.testsPerMinute = testsPerMinute
  }

  /// The default limits.
  public static let standard = PlayerLimits(
    eventsPerMinute: 600, openRequests: 20, runningMatches: 100, queriesPerMinute: 1_200,
    invitations: 200, strangerInvitations: 50, registrationsPerHour: 1_000, blocks: 1_000,
    testsPerMinute: 5)
  public static let none = PlayerLimits(
    eventsPerMinute: nil, openRequests: nil, runningMatches: nil)

  /// The limit that was reached. The raw values travel and must never change.
  public enum Key: String, Hashable, Sendable, CaseIterable {
    case eventsPerMinute
    /// Tests of notifications.
    case testsPerMinute
    /// Requests and invitations that nobody has taken yet.
    case openRequests
    /// Matches that are not over.
    case runningMatches
    /// The pause after leaving a match that the player had joined.
    case seatsLeft
    /// Matches of one player with one bot that are not over.
    case botMatches
    case registrationsPerHour
    case blocks
    case reportsPerDay
    /// Keys that speak for the player.
    case keys
    case keysPerDay
    /// Keys that have ever spoken for the player.
    case keysInAll
    /// Invitations of devices that are open.
    case deviceInvitations
    /// New recovery keys, one after another.
    case recoveryKeys
    /// Recoveries, one after another.
    case recoveries
  }

  public var countsMatches: Bool { openRequests != nil || runningMatches != nil }
  public var countsInvitations: Bool { invitations != nil || strangerInvitations != nil }
}

/// The invitations to a player, for another player who wants to invite.
public struct Inbox: Hashable, Sendable {
  /// The most that are counted.
  public static let countLimit = 1_000
  /// The most that may wait from one stranger, so that few strangers cannot take all the room.
  public static let strangerLimit = 2
  /// The most that may wait from any one sender.
  public static let senderLimit = 5
  /// The most that one stranger may send in a day, whether they still wait or not.
  public static let dailyStrangerLimit = 5
  /// In a day strangers may send this many times the number that may wait from them.
  public static let dailyRatio = 2

  /// The number that wait for an answer.
  public var waiting: Int
  /// Of those, the ones from players that the player has never met.
  public var fromStrangers: Int
  /// Of those, the ones from the sender.
  public var fromSender: Int
  /// Invitations sent that day by players that the player had never met, whether they still wait or
  /// not.
  public var strangersToday: Int
  /// Of those, the ones from the sender.
  public var senderToday: Int
  /// Whether the player plays or has played with the sender.
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

/// The limits of the matches that others have with a bot, so that it has room for everybody. A match
/// counts until it is over, and an invitation that waits counts like a match.
public enum BotLimits {
  /// The most that one player has with one bot.
  public static let matchesOfPlayer = 3
  /// The most that are begun with a bot by others.
  public static let matches = 50
  /// Of those, the last ones, which are for players who have none with the bot.
  public static let keptForNewcomers = 10
  /// The longest time for a turn, in seconds.
  public static let turnLimitSeconds: Int64 = 86_400
}

/// The matches of a bot that are not over, and its invitations.
public struct BotLoad: Hashable, Sendable {
  public var matches: Int
  /// Of those, the ones with each other player.
  public var byPlayer: [PlayerID: Int]

  public init(matches: Int = 0, byPlayer: [PlayerID: Int] = [:]) {
    self.matches = matches
    self.byPlayer = byPlayer
  }

  /// Why a player may not begin one more match with the bot. Nil: the player may.
  public func refusal(
    of player: PlayerID, toPlay bot: PlayerID, turnLimitSeconds: Int64?
  ) -> Refusal? {
    if let limit = turnLimitSeconds, limit > BotLimits.turnLimitSeconds {
      return .turnLimitInvalid(limit)
    }
    let own = byPlayer[player] ?? 0
    let hasRoom = matches < BotLimits.matches - (own > 0 ? BotLimits.keptForNewcomers : 0)
    if hasRoom, own < BotLimits.matchesOfPlayer { return nil }
    return own > 0 ? .rateLimited(.botMatches, retryAfterSeconds: nil) : .playerUnavailable(bot)
  }

  /// Adds the effect of a match's step on the load of a bot, or takes it away.
  fileprivate mutating func count(_ match: Match?, of bot: PlayerID, by number: Int) {
    guard let match, match.outcome == nil, match.concerns(bot) else { return }
    matches += number
    for other in match.occupants where other != bot {
      byPlayer[other, default: 0] += number
      if byPlayer[other] == 0 { byPlayer[other] = nil }
    }
  }
}

/// The registrations of the last hour.
public struct RegistrationLoad: Hashable, Sendable {
  /// The number of registrations. Counting stops at the limit.
  public var count: Int
  /// The time of the first one. There is room again when it is an hour old.
  public var oldest: Instant?

  public init(count: Int = 0, oldest: Instant? = nil) {
    self.count = count
    self.oldest = oldest
  }
}

/// The number of a player's matches that are not over.
public struct PlayerLoad: Hashable, Sendable {
  /// Those in which nobody has taken the other seat yet.
  public var waiting: Int
  /// All of them, including the waiting ones.
  public var total: Int
  /// Those and the invitations of a bot. Nil: the account is none.
  public var bot: BotLoad?

  public init(waiting: Int = 0, total: Int = 0, bot: BotLoad? = nil) {
    self.waiting = waiting
    self.total = total
    self.bot = bot
  }

  /// Adds the effect of a match's step on a player's load.
  public mutating func add(_ change: MatchChange, for player: PlayerID) {
    let (before, after) = (PlayerLoad(change.before, player), PlayerLoad(change.after, player))
    waiting += after.waiting - before.waiting
    total += after.total - before.total
    bot?.count(change.before, of: player, by: -1)
    bot?.count(change.after, of: player, by: 1)
  }

  /// The load of a player from one match.
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

  /// Why a player may not be invited now. The sender gets the same refusal as for a player without
  /// room: nobody learns how many others have invited.
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

  /// Why a player may not begin a match with another one who is a bot. Nil: the player may, or the
  /// other one is none.
  func refusalToPlayBot(
    _ other: PlayerID, of player: PlayerID, turnLimitSeconds: Int64?
  ) -> Refusal? {
    loads[other]?.bot?.refusal(of: player, toPlay: other, turnLimitSeconds: turnLimitSeconds)
  }

  /// Why a player may not begin a match. `waits`: whether it would wait for another player.
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
