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
    }
  }

  /// Whether players can switch it off. A thief must not be able to keep a player from being told.
  public var isOptional: Bool { self != .account }

  /// Whether it only reminds. Players who want no reminders do not get it.
  public var isReminder: Bool { self == .turnRunningOut || self == .dailyEndsSoon }

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
    }
  }
}

extension PushJob {
  /// The turn that has to be due for the job to hold. Nil: any may be.
  public var dueTurn: Int? {
    switch kind {
    case .yourTurn, .turnRunningOut: turn
    case .reacted: turn.map { $0 < .max ? $0 + 1 : $0 }
    case .invited, .opponentJoined, .rematchRequested, .rematchStarted, .rematchDeclined,
      .matchEnded, .dailyReady, .dailyEndsSoon, .account:
      nil
    }
  }

  /// Whether a job still tells its player something, as its match stands now.
  public func isOfUse(in match: Match, at now: Instant) -> Bool {
    switch kind {
    case .yourTurn, .turnRunningOut, .reacted:
      return match.outcome == nil && (dueTurn ?? match.turnNumber) == match.turnNumber
    case .invited:
      return match.stage == .waiting && match.seats.contains { $0.holder == .invited(player) }
    case .opponentJoined, .rematchStarted: return match.outcome == nil
    case .rematchRequested:
      guard let offer = match.rematch.offer, match.rematch.successor == nil else { return false }
      return offer.seat != match.seat(of: player)
        && now < offer.at.adding(seconds: Match.invitationSeconds)
    case .rematchDeclined: return match.rematch.successor == nil
    case .matchEnded, .dailyReady, .dailyEndsSoon, .account: return true
    }
  }
}
