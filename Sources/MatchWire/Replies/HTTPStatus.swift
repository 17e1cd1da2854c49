public import MatchCore

/// The status of HTTP that goes with a reply or an answer: a function of its name alone.
public enum HTTPStatus {
  /// Of everything that is not refused.
  public static let accepted = 200
  /// Of a refusal that this build does not know: a newer service's.
  public static let unknownRefusal = 422

  /// The status of a reply or answer, and the seconds after which the same may be sent again.
  public struct Result: Hashable, Sendable {
    public var status: Int
    /// Seconds. Nil: time alone does not help, or nobody knows how much.
    public var retryAfter: Int64?
    /// The name of the refusal. Nil: it is none.
    public var refusal: String?

    init(status: Int, retryAfter: Int64? = nil, refusal: String? = nil) {
      self.status = status
      self.retryAfter = retryAfter
      self.refusal = refusal
    }
  }

  /// The status of the bytes of a reply to an event.
  public static func ofReply(_ bytes: [UInt8]) -> Result {
    if has(",\"accepted\":", in: bytes) { return Result(status: accepted) }
    guard let (_, reply) = try? ReplyCodec.decode(bytes),
      case .refused(let name, _, let refusal) = reply
    else { return Result(status: accepted) }
    guard let refusal else { return Result(status: unknownRefusal, refusal: name) }
    return Result(
      status: refusal.httpStatus, retryAfter: refusal.retryAfterSeconds, refusal: name)
  }

  /// The status of the bytes of an answer to a query.
  public static func ofAnswer(_ bytes: [UInt8]) -> Result {
    if has(",\"ok\":", in: bytes) { return Result(status: accepted) }
    guard let (_, answer) = try? ReceivedAnswer.read(bytes),
      case .refused(let name, _, let refusal) = answer
    else { return Result(status: accepted) }
    guard let refusal else { return Result(status: unknownRefusal, refusal: name) }
    return Result(
      status: refusal.httpStatus, retryAfter: refusal.retryAfterSeconds, refusal: name)
  }

  /// Whether a message with an id goes on like this after the id: all of this service's do.
  private static func has(_ member: StaticString, in bytes: [UInt8]) -> Bool {
    bytes.count > headBytes + member.utf8CodeUnitCount
      && member.withUTF8Buffer { bytes[headBytes...].starts(with: $0) }
  }

  /// The bytes of `{"v":1,"event":"…"` and of `{"v":1,"query":"…"`, the id in its 36 characters.
  private static let headBytes = 53
}

extension Refusal {
  /// The status of HTTP that goes with the name.
  public var httpStatus: Int {
    switch self {
    case .malformed, .unsupportedVersion, .wrongService, .wrongSlot, .turnLimitInvalid,
      .opponentIsYourself, .playerIsYourself, .wordNotPlayed, .illegalTurn:
      422
    case .badSignature, .notRegistered, .keyRevoked, .codeRequired: 401
    case .notPermitted, .codeInvalid, .deviceCodeInvalid, .notRecoverable, .notInvited,
      .playerUnavailable, .blockedByYou, .nudgesRefused:
      403
    case .unknownPlayer, .unknownMatch, .codeUnknown, .keyUnknown, .noRecovery, .dailyNotDealt: 404
    case .eventTooOld, .clockAhead, .idempotencyMismatch, .alreadyRegistered, .nameTaken,
      .botForGood, .invitationPending, .alreadyJoined, .leftByYou, .seatTaken, .nothingToWithdraw,
      .matchOver,
      .unknownTurn, .turnAlreadyPlayed, .staleTurn, .notYourTurn, .wrongPrevious, .turnNotLast,
      .turnIsYourOwn, .alreadyReacted, .recordFull, .matchNotOver, .rematchNotPossible,
      .rematchDeclined, .noRematchOffer, .dailyNotOver, .dailyOver, .dailyAlreadyStarted,
      .noOpponent, .lastKey, .recoveryPending, .alreadyObjected, .turnNotDue, .youAreToMove,
      .nudgeTooEarly, .alreadyNudged:
      409
    case .rateLimited: 429
    case .unavailable: 503
    }
  }

  /// Whether a refusal of this name can be stored. One that never is may turn out otherwise when
  /// the same bytes are sent again.
  public var isEverStored: Bool {
    if case .rateLimited = self { return true }
    return isStored
  }

  /// The seconds until the same event can be sent again.
  package var retryAfterSeconds: Int64? {
    switch self {
    case .rateLimited(_, let seconds): seconds
    case .unavailable: 1
    default: nil
    }
  }
}

extension QueryRefusal {
  /// The status of HTTP that goes with the name. A name that events have too has the same one.
  public var httpStatus: Int {
    switch self {
    case .malformed, .unsupportedVersion, .wrongService: 422
    case .notRegistered, .keyRevoked: 401
    case .notPermitted: 403
    case .unknownMatch, .matchGone, .unknownPlayer, .codeUnknown, .dailyNotDealt, .standingsGone:
      404
    case .expired, .seatTaken, .invitationOver, .matchNotOver, .matchDamaged: 409
    case .rateLimited: 429
    case .unavailable: 503
    }
  }

  /// The seconds until the same can be asked again.
  package var retryAfterSeconds: Int64? {
    switch self {
    case .rateLimited(let seconds): seconds
    case .unavailable: 1
    default: nil
    }
  }
}
