public import CubeRules

/// The reason that an event was not accepted. Every refusal has a stable name and values for
/// programs, and a sentence for people.
public enum Refusal: Error, Hashable, Sendable {
  // Mistakes in the event as such.
  /// The bytes do not decode as the form that they claim to have. The text says where and why.
  case malformed(String)
  /// A payload version that this service does not speak.
  case unsupportedVersion(Int)
  /// The signature is not the key's, or the key may not sign.
  case badSignature
  /// Meant for another deployment.
  case wrongService(ServiceID)
  /// Sent to a queue that does not serve its match or player; never stored.
  case wrongSlot(expected: Int)
  /// Older than 7 days; never stored.
  case eventTooOld(serviceTime: Instant)
  /// More than 5 minutes ahead of the service. Stored up to a day ahead: a later copy must not be
  /// accepted once its time has come, because the player has asked anew meanwhile.
  case clockAhead(serviceTime: Instant)
  /// The same event id came before with another payload.
  case idempotencyMismatch
  /// The key is not registered; never stored.
  case notRegistered
  /// The key spoke for a player, and was removed by the player or revoked; never stored.
  case keyRevoked
  /// Only the service may send this event.
  case notPermitted
  /// The service cannot answer now; ask again. Never stored.
  case unavailable

  // Registration.
  /// The key has a player already.
  case alreadyRegistered(name: String)
  /// Another player has the name or one that looks like it, or the operator keeps it back.
  case nameTaken(String)
  /// A bot's account stays a bot's.
  case botForGood
  /// Registration is by code and none was given.
  case codeRequired
  /// No such code, or used up.
  case codeInvalid

  // The keys of a player.
  /// No such code of an invitation of a device, or it is over or used up; never stored.
  case deviceCodeInvalid
  /// The key does not speak for the player.
  case keyUnknown
  /// The only key that speaks for the player.
  case lastKey
  /// The key cannot recover that player; never stored.
  case notRecoverable
  /// A recovery is under way until that time; never stored.
  case recoveryPending(until: Instant)
  /// No such recovery is under way; never stored.
  case noRecovery
  /// A key of the player has objected to the recovery before.
  case alreadyObjected

  // Requests and invitations.
  /// A turn limit that is not permitted.
  case turnLimitInvalid(Int64?)
  /// No such player.
  case unknownPlayer(PlayerID)
  /// A player cannot play against themselves.
  case opponentIsYourself
  /// An invitation of the same player with the same terms is open.
  case invitationPending(MatchID)
  /// The match offers no seat to the player.
  case notInvited
  /// The code does not belong to the match.
  case codeUnknown
  /// The player has a seat in the match already.
  case alreadyJoined(MatchID)
  /// The player left the match before anybody had played, and somebody else may have the seat.
  case leftByYou
  /// Somebody else took the seat.
  case seatTaken
  /// No request is waiting that could be withdrawn.
  case nothingToWithdraw
  /// The other player cannot be met. The reason is not told.
  case playerUnavailable(PlayerID)
  /// The sender has blocked that player.
  case blockedByYou(PlayerID)
  /// A statement about another player named the sender.
  case playerIsYourself
  /// Nobody else has a seat in the match.
  case noOpponent
  /// The player has reached a limit. If time alone helps, it gives the seconds until the same event
  /// can be sent again, and is never stored. Otherwise the player must make room and ask anew.
  case rateLimited(PlayerLimits.Key, retryAfterSeconds: Int64?)

  // Turns.
  /// No such match, or not the player's.
  case unknownMatch
  case matchOver(Outcome)
  /// A turn that is not due yet.
  case unknownTurn(current: Int)
  /// The same turn with the same moves was accepted before.
  case turnAlreadyPlayed(turn: Int)
  /// Another turn of that number was accepted.
  case staleTurn(current: Int, previous: Hash)
  /// It is somebody else's turn. Nil: the seat is not taken yet.
  case notYourTurn(whose: PlayerID?)
  /// The turn does not build on the turn before.
  case wrongPrevious(expected: Hash)
  /// A reaction to a turn before the last one.
  case turnNotLast(last: Int)
  /// A reaction to the sender's own turn.
  case turnIsYourOwn
  /// The turn has a reaction.
  case alreadyReacted(turn: Int)
  /// A reaction with a word that nobody has played in the match.
  case wordNotPlayed(String)
  /// The event names another turn than the one that is due.
  case turnNotDue(due: Int)
  /// A reminder of a turn that is the sender's.
  case youAreToMove
  /// A reminder of a turn before a quarter of its time has passed; never stored.
  case nudgeTooEarly(from: Instant)
  /// The player was reminded of the turn before.
  case alreadyNudged(turn: Int)
  /// The player wants no reminders from opponents, or is a bot.
  case nudgesRefused(PlayerID)
  /// The rules refuse the turn.
  case illegalTurn(TurnRefusal)
  /// The record has no room for another entry.
  case recordFull(limit: Int)

  // Rematches.
  /// The match is not over.
  case matchNotOver
  /// A match of that kind or outcome has no rematch.
  case rematchNotPossible
  /// The other player declined; ask again later.
  case rematchDeclined(retryAt: Instant)
  /// There is no offer of a rematch to decline.
  case noRematchOffer

  // The daily challenge.
  /// That day's challenge is not dealt (yet).
  case dailyNotDealt(Day)
  /// A day's game is not shown to others before the day is over.
  case dailyNotOver(Day)
  case dailyOver(Day)
  /// The player has begun it already.
  case dailyAlreadyStarted(MatchID)
}

extension Refusal {
  /// Whether the reply is stored, so that a resend gets it again. An event without a stored reply
  /// is judged anew. So nothing is stored that depends on the moment, or that a stranger can bring
  /// about. A stranger never gets a stored reply, regardless of this value.
  public var isStored: Bool {
    switch self {
    case .malformed, .unsupportedVersion, .badSignature, .wrongService, .wrongSlot, .eventTooOld,
      .idempotencyMismatch, .notRegistered, .keyRevoked, .notPermitted, .unavailable, .nameTaken,
      .codeRequired, .codeInvalid, .deviceCodeInvalid, .rateLimited(.eventsPerMinute, _),
      .rateLimited(.testsPerMinute, _), .rateLimited(.registrationsPerHour, _),
      .rateLimited(.reportsPerDay, _),
      .rateLimited(.seatsLeft, _), .rateLimited(.keysPerDay, _),
      .rateLimited(.deviceInvitations, _), .nudgeTooEarly,
      .notRecoverable,
      .recoveryPending, .noRecovery, .rateLimited(.recoveryKeys, _), .rateLimited(.recoveries, _):
      false
    default: true
    }
  }

  /// Whether it is about one attempt and not about the request itself. If so, the sender may ask
  /// for the same with a new event.
  public var isAboutAttempt: Bool {
    switch self {
    case .clockAhead: true
    case .keyRevoked: false
    default: !isStored
    }
  }
}
