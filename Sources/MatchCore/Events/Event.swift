public import CubeRules

/// What someone did, as it was sent; named for what the player did, never for what a worker should
/// do.
public struct Event: Hashable, Sendable {
  /// The deployment that the event is meant for.
  public var service: ServiceID
  /// The sender's id of this event; sent again, it is the same event.
  public var id: EventID
  /// Who did it; of service events the service's own id as a player id.
  public var player: PlayerID
  /// What was done.
  public var action: Action

  public init(service: ServiceID, id: EventID, player: PlayerID, action: Action) {
    self.service = service
    self.id = id
    self.player = player
    self.action = action
  }

  /// What was done, with what is particular to it.
  public enum Action: Hashable, Sendable {
    /// A key introduces itself under a name; the code is needed where registration is by code.
    case playerRegistered(name: PlayerName, code: ShareCode?)
    /// A player wants a match (also a solo game).
    case matchRequested(MatchRequest)
    /// A player begins the daily challenge of a day.
    case dailyStarted(DailyKey)
    /// A player takes the seat that was offered by name, or with the code of an open invitation.
    case invitationAccepted(MatchID, code: ShareCode?)
    /// A player turns an invitation by name down.
    case invitationDeclined(MatchID)
    /// A player takes a request or invitation back that nobody has taken yet.
    case requestWithdrawn(MatchID)
    /// A player played a turn.
    case turnPlayed(MatchID, Turn)
    /// A player gives a match up, in or out of turn; ends a game of one player.
    case matchForfeited(MatchID)
    /// A player of a finished match wants another one against the same opponent.
    case rematchRequested(MatchID)
    /// A player of a finished match does not want the rematch that was offered.
    case rematchDeclined(MatchID)
    /// A player of a match gives whoever has its code the right to see it.
    case gameShared(MatchID)
    /// A player changes what is set about notifications.
    case settingsChanged(SettingsChange)
    /// A player's device can be notified, or not any more; said again, what is said last holds.
    case deviceRegistered(Device)
    /// A player's device is not to be notified any more.
    case deviceRemoved(DeviceName)
    /// A player has seen notifications.
    case inboxSeen(InboxSeen)
    /// A player does not want to meet another one.
    case playerBlocked(PlayerID)
    /// A player does not mind meeting another one any more.
    case playerUnblocked(PlayerID)
    /// Service: time has passed in a queue.
    case ticked(queue: Int, time: Instant, since: Instant? = nil)
    /// Service: two matches in which somebody waits can become one; ignored if they cannot any more.
    case mergeProposed(Merger)
    /// Service: a deadline is over; ignored if match, turn or deadline no longer hold.
    case deadlinePassed(MatchID, turn: Int, deadline: Instant)
    /// Service: an operator ruled on a match; ignored where it cannot be ruled so (any more).
    case ruled(MatchID, Ruling)
  }
}

/// A turn as it was sent.
public struct Turn: Hashable, Sendable {
  /// 1 for the first turn of the match.
  public var number: Int
  /// The hash of the entry of the turn before, or of the deal.
  public var previous: Hash
  /// The moves, judged as a whole.
  public var moves: [Move]

  public init(number: Int, previous: Hash, moves: [Move]) {
    self.number = number
    self.previous = previous
    self.moves = moves
  }
}

/// What a player asks for when asking for a match.
public struct MatchRequest: Hashable, Sendable {
  /// Who the other seat is for.
  public enum Opponent: Hashable, Sendable {
    /// Whoever asks next with the same terms.
    case random
    /// One player, invited by name.
    case player(PlayerID)
    /// Whoever has the code.
    case open
    /// Nobody: a game of one seat, as long as one likes.
    case nobody
    /// Nobody but the clock: a timed game of one seat.
    case clock
  }

  /// Who the other seat is for.
  public var opponent: Opponent
  /// Seconds a player has for a turn, `turnLimits`; nil only in a game of one seat, which has no
  /// limit.
  public var turnLimitSeconds: Int64?
  /// The language of the words.
  public var language: Language
  /// Whether the match is to change no rating; says nothing of a game of one seat, which never does.
  public var isCasual: Bool

  public init(
    opponent: Opponent, turnLimitSeconds: Int64?, language: Language = .english,
    isCasual: Bool = false
  ) {
    self.opponent = opponent
    self.turnLimitSeconds = turnLimitSeconds
    self.language = language
    self.isCasual = isCasual
  }

  /// Asks for a game of one player.
  public init(alone mode: SoloMode, language: Language = .english) {
    self.init(
      opponent: mode == .timed ? .clock : .nobody, turnLimitSeconds: nil, language: language)
  }

  /// The turn limits that can be asked for: 10 seconds to 30 days.
  public static let turnLimits: ClosedRange<Int64> = 10...(30 * 86_400)
}

/// The language that a match's words come from.
public enum Language: String, Hashable, Sendable, CaseIterable {
  /// English, American and British.
  case english = "en"
}

/// How a game of one player is clocked.
public enum SoloMode: String, Hashable, Sendable, CaseIterable {
  /// As long as one likes (the daily: until its day ends).
  case unlimited
  /// 180 seconds from the deal on.
  case timed

  /// Seconds that a game lasts; nil: no limit.
  public var seconds: Int64? {
    switch self {
    case .unlimited: nil
    case .timed: 180
    }
  }
}

/// Names one daily challenge.
public struct DailyKey: Hashable, Sendable, CustomStringConvertible {
  /// The UTC day.
  public var day: Day
  /// How it is clocked.
  public var mode: SoloMode
  /// The language of its words.
  public var language: Language

  public init(day: Day, mode: SoloMode = .unlimited, language: Language = .english) {
    self.day = day
    self.mode = mode
    self.language = language
  }

  /// Whether players are told of it when it is dealt: once a day, of both modes by the unlimited
  /// one.
  public var isAnnounced: Bool { mode == .unlimited }

  /// `day/mode/language`, such as `2026-05-01/unlimited/en`.
  public var description: String { "\(day)/\(mode.rawValue)/\(language.rawValue)" }
}

extension Event {
  /// The match that an event is about, where it names one.
  public var match: MatchID? {
    switch action {
    case .playerRegistered, .matchRequested, .dailyStarted, .ticked, .settingsChanged,
      .deviceRegistered, .deviceRemoved, .inboxSeen:
      nil
    case .playerBlocked, .playerUnblocked: nil
    case .invitationAccepted(let match, _), .invitationDeclined(let match),
      .requestWithdrawn(let match), .turnPlayed(let match, _), .matchForfeited(let match),
      .rematchRequested(let match), .rematchDeclined(let match), .gameShared(let match),
      .deadlinePassed(let match, _, _), .ruled(let match, _):
      match
    case .mergeProposed(let merger): merger.kept
    }
  }

  /// Whether only the service may say this.
  public var isFromService: Bool {
    switch action {
    case .ticked, .deadlinePassed, .ruled, .mergeProposed: true
    default: false
    }
  }

  /// How long ago an event may have been made: stored replies are kept a day longer, so an old
  /// event that was handled can never be handled again.
  public static let maximumAgeSeconds: Int64 = 7 * 86_400
  /// How far ahead of the service a sender's clock may be.
  public static let maximumAheadSeconds: Int64 = 5 * 60
  /// Up to so far ahead the refusal of an event is kept.
  public static let rememberedAheadSeconds: Int64 = 86_400
}
