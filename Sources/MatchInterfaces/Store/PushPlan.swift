package import MatchCore

/// The policy's verdict on a push job that still holds.
package enum PushPlan: Hashable, Sendable {
  case now(silently: Bool)
  /// It waits, and is judged anew then.
  case later(until: Instant, HoldReason)
  case never(PushReason)

  /// A notification waits only if it is of use for so long afterwards: ten minutes.
  package static let leastUseSeconds: Int64 = 600
}

/// A reason to hold a job. The raw values are stored.
package enum HoldReason: String, Hashable, Sendable, CaseIterable {
  /// Its player's quiet hours.
  case quietHours
  /// Its player was told of a match some moments ago.
  case bundle
}

/// A job that waits for its hour.
package struct HeldJob: Hashable, Sendable {
  package var job: PushJob
  package var until: Instant
  package var reason: HoldReason

  package init(_ job: PushJob, until: Instant, _ reason: HoldReason) {
    self.job = job
    self.until = until
    self.reason = reason
  }
}

extension PushJob.Kind {
  /// Whether it brings something that another player sends to its player. Nothing is sent between
  /// players if one of them has blocked the other. Their match goes on, and so do the notifications
  /// about it.
  package var isSentByOther: Bool {
    switch self {
    case .reacted, .invited, .rematchRequested, .rematchDeclined, .nudged, .rematchWaits: true
    case .yourTurn, .opponentJoined, .rematchStarted, .matchEnded, .dailyReady, .turnRunningOut,
      .dailyEndsSoon, .account, .digest, .weekInReview, .test:
      false
    }
  }
}

/// The named reason for a job's fate. The raw values are stored and are shown to operators.
package enum PushReason: String, Hashable, Sendable, CaseIterable {
  // Dropped.
  /// The player does not want notifications of this kind.
  case muted
  /// It comes from another player, and one of the two has blocked the other.
  case blocked
  /// None of the player's devices allows notifications.
  case noPermission
  /// The player has no device, and no provider reaches players without one.
  case noDevice
  /// No provider is set up for any of the player's devices.
  case noProvider
  /// Every device of the player has gone, or the player.
  case gone
  /// The turn was answered: another one is due.
  case answered
  case matchOver
  case dayOver
  /// Its time ended before it could be sent.
  case expired
  /// It could not wait for the end of the quiet hours, and the player wants no others then.
  case quietHours

  // Delivered.
  /// One notification told of it and of others.
  case bundled
  /// It came without a sound: in quiet hours, or beside another one.
  case silent

  // Failed; or dropped, if only addresses that clients chose are to blame.
  /// Every provider that could bring it refused it for good.
  case refused
  /// The providers did not take it in any of the attempts.
  case exhausted
  /// The store could not read the facts about it.
  case unreadable
  /// Workers ended while they handed it over.
  case endedWorkers
}
