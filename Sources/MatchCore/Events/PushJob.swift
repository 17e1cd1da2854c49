/// Names one push job. It is derived from its cause and its player, so that a job that is made
/// twice is delivered once.
public struct PushJobID: Identifier {
  /// The sixteen bytes as one big-endian number.
  public let rawValue: UInt128

  /// Makes an identifier of sixteen bytes given as one big-endian number.
  public init(rawValue: UInt128) { self.rawValue = rawValue }

  /// The first 16 bytes of SHA-256(`cubist/push/1\0` ‖ cause ‖ kind ‖ 0 ‖ player).
  ///
  /// - Parameter cause: Adds the bytes of the cause.
  public init(kind: PushJob.Kind, player: PlayerID, cause: (inout TaggedHash) -> Void) {
    var hash = TaggedHash("cubist/push/1")
    cause(&hash)
    hash.update(text: kind.rawValue)
    hash.update(player)
    rawValue = hash.finalize().prefix128
  }
}

/// An instruction to notify one player.
public struct PushJob: Hashable, Sendable {
  /// The id by which deliveries are deduplicated.
  public var id: PushJobID
  public var kind: Kind
  /// The player to notify.
  public var player: PlayerID
  /// The match it is about. Nil for all kinds that are about a day or about the account.
  public var match: MatchID?
  /// `yourTurn`, `turnRunningOut`, `nudged`: the turn that is due, so that a stale job can be
  /// dropped.
  /// `reacted`: the turn that was answered.
  /// `matchEnded`: the turn that was due, if the match was given up before the first turn.
  public var turn: Int?
  /// `dailyReady`, `dailyEndsSoon`: the day. `digest`, `weekInReview`: the day in the player's time
  /// zone.
  public var day: Day?
  /// Whether it has waited to be told of with others. It waits for them once: else news that come
  /// all the time would keep it for ever.
  public var hasWaitedForOthers: Bool

  /// A job as it was stored or received.
  public init(
    id: PushJobID, kind: Kind, player: PlayerID, match: MatchID? = nil, turn: Int? = nil,
    day: Day? = nil, hasWaitedForOthers: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.player = player
    self.match = match
    self.turn = turn
    self.day = day
    self.hasWaitedForOthers = hasWaitedForOthers
  }

  /// The job that an event owes a player.
  public init(
    _ kind: Kind, to player: PlayerID, match: MatchID, turn: Int? = nil, causedBy event: Event
  ) {
    self.init(
      id: PushJobID(kind: kind, player: player) { hash in
        hash.update(event.player)
        hash.update(event.id)
        hash.update(match)
      },
      kind: kind, player: player, match: match, turn: turn)
  }

  /// The job that the annulment of a damaged match owes one of its players.
  public init(annulledDamaged match: MatchID, to player: PlayerID) {
    self.init(
      id: PushJobID(kind: .matchEnded, player: player) { hash in
        hash.update(text: "annulled damaged")
        hash.update(match)
      },
      kind: .matchEnded, player: player, match: match)
  }

  /// The job that a change of a player's keys or recovery owes the player.
  public init(account player: PlayerID, causedBy event: Event) {
    self.init(
      id: PushJobID(kind: .account, player: player) { hash in
        hash.update(event.player)
        hash.update(event.id)
      },
      kind: .account, player: player)
  }

  /// The job that the end of a recovery by an operator owes the player.
  public init(account player: PlayerID, stopped recovery: EventID) {
    self.init(
      id: PushJobID(kind: .account, player: player) { hash in
        hash.update(text: "stopped")
        hash.update(recovery)
      },
      kind: .account, player: player)
  }

  /// The job by which a player reminds the other of a turn, once a turn.
  public init(nudged match: MatchID, turn: Int, to player: PlayerID) {
    self.init(.nudged, to: player, match: match, turn: turn)
  }

  /// The reminder of an offer of a rematch that waits. A match has one offer at most.
  public init(rematchWaits match: MatchID, to player: PlayerID) {
    self.init(
      id: PushJobID(kind: .rematchWaits, player: player) { $0.update(match) },
      kind: .rematchWaits, player: player, match: match)
  }

  /// The job for everything that waits for a player, once a day of the player's time zone.
  public init(digest day: Day, to player: PlayerID) {
    self.init(
      id: PushJobID(kind: .digest, player: player) { $0.update(text: day.description) },
      kind: .digest, player: player, day: day)
  }

  /// The job for the review of a week, once in each week from Monday to Sunday.
  public init(weekInReview day: Day, to player: PlayerID) {
    self.init(
      id: PushJobID(kind: .weekInReview, player: player) {
        $0.update(text: day.monday.description)
      },
      kind: .weekInReview, player: player, day: day)
  }

  /// The job by which a player tries the notifications.
  public init(test player: PlayerID, causedBy event: Event) {
    self.init(
      id: PushJobID(kind: .test, player: player) { hash in
        hash.update(event.player)
        hash.update(event.id)
      },
      kind: .test, player: player)
  }

  /// The job that a day's deal owes a player.
  public init(dailyReady key: DailyKey, to player: PlayerID) {
    self.init(
      id: PushJobID(kind: .dailyReady, player: player) { $0.update(Array(key.description.utf8)) },
      kind: .dailyReady, player: player, day: key.day)
  }

  /// Notifications with the same key replace one another on a device. There is one key per match,
  /// one per day, one for all invitations of a sender, and one for each of the account, digests,
  /// reviews and tests.
  public func collapseKey(opponent: PlayerID?) -> String {
    switch kind {
    case .invited: if let opponent { return "invited-\(opponent)" }
    case .account: return "account"
    case .digest: return "digest"
    case .weekInReview: return "week"
    case .test: return "test"
    default: break
    }
    if let match { return "match-\(match)" }
    return "daily-\(day?.description ?? "")"
  }
}
