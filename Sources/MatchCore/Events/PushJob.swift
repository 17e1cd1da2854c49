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
  /// The match it is about. Nil for a daily and for the account.
  public var match: MatchID?
  /// `yourTurn`, `turnRunningOut`: the turn that is due, so that a stale job can be dropped.
  /// `reacted`: the turn that was answered.
  /// `matchEnded`: the turn that was due, if the match was given up before the first turn.
  public var turn: Int?
  /// `dailyReady`, `dailyEndsSoon`: the day.
  public var day: Day?

  /// A job as it was stored or received.
  public init(
    id: PushJobID, kind: Kind, player: PlayerID, match: MatchID? = nil, turn: Int? = nil,
    day: Day? = nil
  ) {
    self.id = id
    self.kind = kind
    self.player = player
    self.match = match
    self.turn = turn
    self.day = day
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

  /// The job that a day's deal owes a player.
  public init(dailyReady key: DailyKey, to player: PlayerID) {
    self.init(
      id: PushJobID(kind: .dailyReady, player: player) { $0.update(Array(key.description.utf8)) },
      kind: .dailyReady, player: player, day: key.day)
  }

  /// Notifications with the same key replace one another on a device. There is one key per match,
  /// one per day, one for all invitations of a sender, and one for the account.
  public func collapseKey(opponent: PlayerID?) -> String {
    if kind == .invited, let opponent { return "invited-\(opponent)" }
    if kind == .account { return "account" }
    if let match { return "match-\(match)" }
    return "daily-\(day?.description ?? "")"
  }
}
