extension PushJob {
  /// The reason for a notification. The raw values travel and are stored. The notification's text
  /// is in MatchService.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case yourTurn
    case reacted
    case invited
    case opponentJoined
    case rematchRequested
    case rematchStarted
    case rematchDeclined
    case matchEnded
    case dailyReady
    case turnRunningOut
    case dailyEndsSoon
    case account
    case nudged
    case rematchWaits
    case digest
    case weekInReview
    case test

    /// The kinds that players switch on and off.
    public static let optional = allCases.filter { $0.isOptional }
  }
}

extension PushJob.Kind {
  /// The event that it tells of, for people who switch it on or off.
  public var occasion: String {
    switch self {
    case .yourTurn: "it is your turn"
    case .reacted: "your turn is answered with a word"
    case .invited: "somebody invites you"
    case .opponentJoined: "somebody has joined your match"
    case .rematchRequested: "somebody offers a rematch"
    case .rematchStarted: "your rematch has begun"
    case .rematchDeclined: "your offer of a rematch is declined"
    case .matchEnded: "a match is over"
    case .dailyReady: "today's challenge is there"
    case .turnRunningOut: "the time for your turn runs out"
    case .dailyEndsSoon: "the challenge that you began ends soon"
    case .account: "your keys or your recovery change"
    case .nudged: "your opponent reminds you of your turn"
    case .rematchWaits: "an offer of a rematch has waited for a day"
    case .digest: "once a day, everything that waits for you"
    case .weekInReview: "once a week, how your week went"
    case .test: "you try your notifications"
    }
  }

  /// Whether players can switch it off. A thief must not be able to keep a player from being told.
  /// A test comes only to a player who asks for it.
  public var isOptional: Bool { self != .account && self != .test }

  /// Whether it only reminds. Players who want no reminders do not get it.
  public var isReminder: Bool {
    switch self {
    case .turnRunningOut, .dailyEndsSoon, .nudged, .rematchWaits: true
    default: false
    }
  }

  /// The subjects of news of a match. The order is that of importance: if one notification tells of
  /// several jobs of a match, it tells of the first topic.
  public enum Topic: Int, Hashable, Sendable, CaseIterable {
    case turn, offer, invitation, beginning, refusal, ending, reaction
  }

  /// One notification may tell of jobs with a topic that come within some minutes. Nil: the kind tells
  /// of the account or of a day.
  public var topic: Topic? {
    switch self {
    case .yourTurn, .turnRunningOut, .nudged: .turn
    case .rematchRequested, .rematchWaits: .offer
    case .invited: .invitation
    case .opponentJoined, .rematchStarted: .beginning
    case .rematchDeclined: .refusal
    case .matchEnded: .ending
    case .reacted: .reaction
    case .account, .dailyReady, .dailyEndsSoon, .digest, .weekInReview, .test: nil
    }
  }

  /// The kind's bit in a stored set of kinds. It must never change.
  var bit: Int {
    switch self {
    case .yourTurn: 0
    case .invited: 1
    case .opponentJoined: 2
    case .rematchRequested: 3
    case .rematchStarted: 4
    case .matchEnded: 5
    case .dailyReady: 6
    case .turnRunningOut: 7
    case .dailyEndsSoon: 8
    case .rematchDeclined: 9
    case .reacted: 10
    case .account: 11
    case .nudged: 12
    case .rematchWaits: 13
    case .digest: 14
    case .weekInReview: 15
    case .test: 16
    }
  }
}

extension PushJob {
  /// The turn that has to be due for the job to hold. Nil: any may be.
  public var dueTurn: Int? {
    switch kind {
    case .yourTurn, .turnRunningOut, .nudged: turn
    case .reacted: turn.map { $0 < .max ? $0 + 1 : $0 }
    case .invited, .opponentJoined, .rematchRequested, .rematchStarted, .rematchDeclined,
      .matchEnded, .dailyReady, .dailyEndsSoon, .account, .rematchWaits, .digest, .weekInReview,
      .test:
      nil
    }
  }

  /// The last day, by UTC, on which the job is of use. Nil: it does not depend on a day. A digest
  /// is of a day of the player's time zone, which may end up to twelve hours after that of UTC.
  public var lastDay: Day? {
    switch kind {
    case .digest, .weekInReview: day?.next
    default: day
    }
  }

  /// Whether a job still tells its player something, as its match stands now.
  public func isOfUse(in match: Match, at now: Instant) -> Bool {
    switch kind {
    case .yourTurn, .turnRunningOut, .reacted, .nudged:
      return match.outcome == nil && match.concerns(player)
        && (dueTurn ?? match.turnNumber) == match.turnNumber
    case .invited:
      return match.stage == .waiting && match.seats.contains { $0.holder == .invited(player) }
    case .opponentJoined: return match.stage == .playing
    case .rematchStarted, .dailyEndsSoon: return match.outcome == nil
    case .rematchRequested, .rematchWaits:
      guard let offer = match.rematch.offer, match.rematch.successor == nil else { return false }
      return offer.seat != match.seat(of: player)
        && now < offer.at.adding(seconds: Match.invitationSeconds)
    case .rematchDeclined: return match.rematch.successor == nil
    case .matchEnded, .dailyReady, .account, .digest, .weekInReview, .test: return true
    }
  }
}
