import CubeRules

extension Refusal {
  /// The stable name of the refusal: the name of its case.
  public var name: String {
    switch self {
    case .malformed: "malformed"
    case .unsupportedVersion: "unsupportedVersion"
    case .badSignature: "badSignature"
    case .wrongService: "wrongService"
    case .wrongSlot: "wrongSlot"
    case .eventTooOld: "eventTooOld"
    case .clockAhead: "clockAhead"
    case .idempotencyMismatch: "idempotencyMismatch"
    case .notRegistered: "notRegistered"
    case .keyRevoked: "keyRevoked"
    case .notPermitted: "notPermitted"
    case .unavailable: "unavailable"
    case .alreadyRegistered: "alreadyRegistered"
    case .nameTaken: "nameTaken"
    case .botForGood: "botForGood"
    case .codeRequired: "codeRequired"
    case .codeInvalid: "codeInvalid"
    case .deviceCodeInvalid: "deviceCodeInvalid"
    case .keyUnknown: "keyUnknown"
    case .lastKey: "lastKey"
    case .notRecoverable: "notRecoverable"
    case .recoveryPending: "recoveryPending"
    case .noRecovery: "noRecovery"
    case .alreadyObjected: "alreadyObjected"
    case .turnLimitInvalid: "turnLimitInvalid"
    case .unknownPlayer: "unknownPlayer"
    case .opponentIsYourself: "opponentIsYourself"
    case .invitationPending: "invitationPending"
    case .notInvited: "notInvited"
    case .codeUnknown: "codeUnknown"
    case .alreadyJoined: "alreadyJoined"
    case .leftByYou: "leftByYou"
    case .seatTaken: "seatTaken"
    case .nothingToWithdraw: "nothingToWithdraw"
    case .playerUnavailable: "playerUnavailable"
    case .blockedByYou: "blockedByYou"
    case .playerIsYourself: "playerIsYourself"
    case .noOpponent: "noOpponent"
    case .rateLimited: "rateLimited"
    case .unknownMatch: "unknownMatch"
    case .matchOver: "matchOver"
    case .unknownTurn: "unknownTurn"
    case .turnAlreadyPlayed: "turnAlreadyPlayed"
    case .staleTurn: "staleTurn"
    case .notYourTurn: "notYourTurn"
    case .wrongPrevious: "wrongPrevious"
    case .turnNotLast: "turnNotLast"
    case .turnIsYourOwn: "turnIsYourOwn"
    case .alreadyReacted: "alreadyReacted"
    case .wordNotPlayed: "wordNotPlayed"
    case .turnNotDue: "turnNotDue"
    case .youAreToMove: "youAreToMove"
    case .nudgeTooEarly: "nudgeTooEarly"
    case .alreadyNudged: "alreadyNudged"
    case .nudgesRefused: "nudgesRefused"
    case .illegalTurn: "illegalTurn"
    case .recordFull: "recordFull"
    case .matchNotOver: "matchNotOver"
    case .rematchNotPossible: "rematchNotPossible"
    case .rematchDeclined: "rematchDeclined"
    case .noRematchOffer: "noRematchOffer"
    case .dailyNotDealt: "dailyNotDealt"
    case .dailyNotOver: "dailyNotOver"
    case .dailyOver: "dailyOver"
    case .dailyAlreadyStarted: "dailyAlreadyStarted"
    }
  }

  /// A sentence for a person: the mistake, the value, and the remedy.
  public var message: String {
    switch self {
    case .malformed, .unsupportedVersion, .badSignature, .wrongService, .wrongSlot, .eventTooOld,
      .clockAhead, .idempotencyMismatch, .notRegistered, .keyRevoked, .notPermitted, .unavailable:
      messageAboutEvent
    case .alreadyRegistered, .nameTaken, .codeRequired, .codeInvalid, .turnLimitInvalid,
      .unknownPlayer, .opponentIsYourself, .invitationPending, .notInvited, .codeUnknown,
      .alreadyJoined, .leftByYou, .seatTaken, .nothingToWithdraw, .botForGood:
      messageAboutMeeting
    case .deviceCodeInvalid, .keyUnknown, .lastKey, .rateLimited(.keys, _),
      .rateLimited(.keysPerDay, _), .rateLimited(.keysInAll, _),
      .rateLimited(.deviceInvitations, _):
      messageAboutKeys
    case .notRecoverable, .recoveryPending, .noRecovery, .alreadyObjected,
      .rateLimited(.recoveryKeys, _), .rateLimited(.recoveries, _):
      messageAboutRecovery
    case .playerUnavailable, .blockedByYou, .playerIsYourself, .noOpponent, .rateLimited:
      messageAboutLimits
    case .turnNotDue, .youAreToMove, .nudgeTooEarly, .alreadyNudged, .nudgesRefused:
      messageAboutNudges
    default: messageAboutPlaying
    }
  }

  private var messageAboutEvent: String {
    switch self {
    case .malformed(let what):
      "The event cannot be read: \(what). Update the program that sent it."
    case .unsupportedVersion(let version):
      "The service does not speak version \(version). Use a program of the service's version."
    case .badSignature: "The signature is not that of the player's key. Sign with that key."
    case .wrongService(let service):
      "This is the service \(service). The event names another one: send it there."
    case .wrongSlot(let expected):
      "The event belongs to slot \(expected). Send it there."
    case .eventTooOld(let time):
      "The event is older than 7 days; the service's time is \(time). Do it anew."
    case .clockAhead(let time):
      "The event is more than 5 minutes ahead; the service's time is \(time). Set your clock."
    case .idempotencyMismatch:
      "Another event with the same id was handled before. Send this one under a new id."
    case .notRegistered: "The key is not registered here. Register a name first."
    case .keyRevoked:
      "The key was removed or revoked. Add this device anew, or ask who runs the service."
    case .notPermitted: "That is not yours to say. Use the key of the player who may."
    default: "The service cannot say now. Try again in a moment."
    }
  }

  private var messageAboutMeeting: String {
    switch self {
    case .alreadyRegistered(let name):
      "The key is registered already, as \(name). Play under that name."
    case .nameTaken(let name):
      "The name \(name) is not free: a player has it or one that looks like it, or the service keeps "
        + "it back. Choose another one."
    case .botForGood: "An account that is a bot's stays one. Register another name for yourself."
    case .codeRequired: "Registration needs a code. Ask who runs the service for one."
    case .codeInvalid:
      "The registration code is unknown or used up. Ask who runs the service for another one."
    case .turnLimitInvalid(let seconds?):
      """
      A turn limit of \(seconds) s cannot be had here. Choose 10 s to 30 days, against a bot at \
      most a day, in a solo game none.
      """
    case .turnLimitInvalid(nil): "The match needs a turn limit. Choose 10 s to 30 days."
    case .unknownPlayer(let player):
      "There is no player \(player). Check the name, or invite anyone by code."
    case .opponentIsYourself: "You cannot play against yourself. Choose another player."
    case .invitationPending(let match):
      "You have invited that player already, in match \(match). Wait, or withdraw it first."
    case .notInvited: "The match has no seat for you. Ask its player for an invitation."
    case .codeUnknown: "The code does not open that match. Check it with its sender."
    case .alreadyJoined(let match): "You play in match \(match) already. Look at it there."
    case .leftByYou: "You left that match before. Start a match of your own."
    case .seatTaken: "Somebody else took the seat. Start a match of your own."
    default: "Nothing waits that could be withdrawn. Look at your matches."
    }
  }

  private var messageAboutRecovery: String {
    switch self {
    case .notRecoverable:
      "The recovery key is not the one that counts for that player. Check the words and the name."
    case .recoveryPending(let time):
      "A recovery is under way and takes effect at \(time). Wait, or withdraw it first."
    case .noRecovery: "No such recovery is under way. Look at your keys."
    case .alreadyObjected:
      "The recovery has been delayed once, and cannot be delayed again. Withdraw it by the words."
    case .rateLimited(.recoveryKeys, let seconds):
      "A recovery key was named lately. Try again in \(seconds ?? 3_600) s."
    case .rateLimited(.recoveries, let seconds):
      "A recovery was begun lately, and may have been stopped. Try again in \(seconds ?? 3_600) s."
    default: "The service cannot say now. Try again in a moment."
    }
  }

  private var messageAboutKeys: String {
    switch self {
    case .deviceCodeInvalid:
      "The code is unknown, used up or over. Make another one on a device of the player."
    case .keyUnknown: "No such key speaks for you. Look at your keys."
    case .lastKey: "It is your only key. Add another device first."
    case .rateLimited(.keys, _): "You have as many keys as you can have. Remove one first."
    case .rateLimited(.keysPerDay, let seconds):
      "You have had \(PlayerKeys.dailyLimit) new keys in a day. Try again in \(seconds ?? 86_400) s."
    case .rateLimited(.keysInAll, _):
      "You have had \(PlayerKeys.lifetimeLimit) keys, and can add no more. Keep those that you have."
    case .rateLimited(.deviceInvitations, let seconds):
      "Too many of your codes are open. Use one, or try again in \(seconds ?? 600) s."
    default: "The service cannot say now. Try again in a moment."
    }
  }

  private var messageAboutLimits: String {
    switch self {
    case .playerUnavailable(let player):
      "Player \(player) cannot be met now. Play against somebody else, or try again another day."
    case .blockedByYou(let player):
      "You have blocked player \(player). Unblock the player first."
    case .playerIsYourself: "That is yourself. Name another player."
    case .noOpponent: "Nobody plays against you in that match. Name a match with an opponent."
    case .rateLimited(.eventsPerMinute, let seconds):
      "You have done too much within a minute. Try again in \(seconds ?? 60) s."
    case .rateLimited(.testsPerMinute, let seconds):
      "You have tested your notifications often enough for now. Try again in \(seconds ?? 60) s."
    case .rateLimited(.openRequests, _):
      "Too many of your requests and invitations wait already. Withdraw one, or wait."
    case .rateLimited(.runningMatches, _):
      "You have as many matches as you can have at once. Play one to its end first."
    case .rateLimited(.seatsLeft, let seconds):
      "You left a match that you had joined. You can join one again in \(seconds ?? 60) s."
    case .rateLimited(.botMatches, _):
      "The bot keeps room for others, and plays with you already. Play such a match to its end first."
    case .rateLimited(.blocks, _):
      "You have blocked as many players as you can. Unblock one first."
    case .rateLimited(.reportsPerDay, let seconds):
      "You have reported \(Report.dailyLimit) matches in a day. Try again in \(seconds ?? 86_400) s."
    case .rateLimited(.registrationsPerHour, let seconds):
      "Too many players have registered within an hour. Try again in \(seconds ?? 3_600) s."
    default: "The service cannot say now. Try again in a moment."
    }
  }

  private var messageAboutNudges: String {
    switch self {
    case .turnNotDue(let due): "Turn \(due) is due, not another one. Look at the match again."
    case .youAreToMove: "It is your own turn. Play it."
    case .nudgeTooEarly(let from):
      "A quarter of the time for the turn has not passed. You can remind the other player at \(from)."
    case .alreadyNudged(let turn):
      "The other player was reminded of turn \(turn) before. Wait for the turn."
    case .nudgesRefused(let player):
      "Player \(player) takes no reminders from opponents. Wait for the turn."
    default: "The service cannot say now. Try again in a moment."
    }
  }

  private var messageAboutPlaying: String {
    switch self {
    case .unknownMatch: "There is no such match among yours. Look at your matches."
    case .matchOver(let outcome) where outcome.mergedInto != nil:
      "An opponent was found in another match, \(outcome.mergedInto?.description ?? ""). Play there."
    case .matchOver(let outcome):
      "The match is over (\(outcome.reason.rawValue)). Ask for a rematch or start another one."
    case .unknownTurn(let current):
      "The match has come to turn \(current) only. Look at it again before you play."
    case .turnAlreadyPlayed(let turn):
      "Turn \(turn) was played with these moves already. There is nothing to do."
    case .staleTurn(let current, _):
      "That turn was played otherwise; turn \(current) is next. Look at the match again."
    case .notYourTurn(let whose?): "It is the turn of player \(whose). Wait for it."
    case .notYourTurn(nil): "The seat to play is not taken yet. Wait for an opponent."
    case .wrongPrevious(let expected):
      "The turn builds on another turn than the last, \(expected). Look at the match again."
    case .turnNotLast(let last):
      "Only the last turn can be answered, turn \(last). Look at the match again."
    case .turnIsYourOwn:
      "The last turn is your own. Wait for the turn of another player."
    case .alreadyReacted(let turn):
      "Turn \(turn) is answered already. Wait for the next turn."
    case .wordNotPlayed(let word):
      "The word \(word) was not played in this match. Choose a word of its turns."
    case .illegalTurn(let refusal): refusal.description
    case .recordFull(let limit):
      "The record has room for \(limit) entries and is full. Give the match up or let it end."
    case .matchNotOver: "The match is not over. Play it to its end first."
    case .rematchNotPossible: "There is no rematch of such a match. Start a new one."
    case .rematchDeclined(let retryAt):
      "The other player declined a rematch. You can ask again at \(retryAt)."
    case .noRematchOffer: "Nobody has offered a rematch of that match. There is nothing to do."
    case .dailyNotDealt(let day): "The challenge of \(day) is not dealt. Try again later."
    case .dailyNotOver(let day):
      "Others may still play the challenge of \(day). Share it when the day is over."
    case .dailyOver(let day): "The challenge of \(day) is over. Start today's."
    case .dailyAlreadyStarted(let match):
      "You have begun that challenge already, as match \(match). Go on there."
    default: "The service cannot say now. Try again in a moment."
    }
  }
}
