/// An act that implies another player.
public enum MeetingAct: Hashable, Sendable, CaseIterable {
  /// A request for a match with a player, by id.
  case request
  /// The acceptance of an invitation, by name or by code.
  case accept
  /// A seat that chance gives, by a request or by a merger.
  case chance
  /// An offer of a rematch, its acceptance, or news of its refusal.
  case rematch
  case nudge
  case react
  case block
  case unblock
  case report
  case share
}

/// Why nobody can meet a player who was there.
public enum Absence: Hashable, Sendable {
  /// The account has ended.
  case gone
  /// An operator has revoked every key, so that nobody speaks for the player.
  case silenced
}

/// The facts that decide whether a player may do something that implies another one.
public struct Meeting: Hashable, Sendable {
  /// Those of the named players who exist and are not gone.
  public var knownPlayers: Set<PlayerID>
  public var absences: [PlayerID: Absence]
  public var blocks: Set<Block>
  /// The players who want no reminders from opponents, and bots.
  public var nudgeRefusers: Set<PlayerID>

  public init(
    knownPlayers: Set<PlayerID> = [], absences: [PlayerID: Absence] = [:],
    blocks: Set<Block> = [], nudgeRefusers: Set<PlayerID> = []
  ) {
    self.knownPlayers = knownPlayers
    self.absences = absences
    self.blocks = blocks
    self.nudgeRefusers = nudgeRefusers
  }

  /// Why a player may not do something that implies another one, in the form for that player. Nil:
  /// the player may.
  ///
  /// It answers for every act. A blocked player gets the same refusal as for a player who has no
  /// room, or whom an operator keeps out.
  public func refusal(
    of player: PlayerID, to act: MeetingAct, _ other: PlayerID
  ) -> Refusal? {
    if other == player { return act.refusalOfOneself }
    if act.namesPlayer, !knownPlayers.contains(other) { return .unknownPlayer(other) }
    guard act.reachesPlayer else { return nil }
    if absences[other] == .gone { return .unknownPlayer(other) }
    if blocks.contains(Block(player, other)) { return .blockedByYou(other) }
    if blocks.contains(Block(other, player)) || absences[other] != nil {
      return .playerUnavailable(other)
    }
    return act == .nudge && nudgeRefusers.contains(other) ? .nudgesRefused(other) : nil
  }
}

extension MeetingAct {
  /// Whether the sender names the other player by an id. For all other acts a match does.
  var namesPlayer: Bool {
    switch self {
    case .request, .block, .unblock: true
    case .accept, .chance, .rematch, .nudge, .react, .report, .share: false
    }
  }

  /// Whether the other player would play, or hear of it. The rest is about the past, or for the
  /// sender's peace.
  public var reachesPlayer: Bool {
    switch self {
    case .request, .accept, .chance, .rematch, .nudge, .react: true
    case .block, .unblock, .report, .share: false
    }
  }

  /// The refusal for a sender who names themselves. Nil: there is nobody else whom the act implies.
  var refusalOfOneself: Refusal? {
    switch self {
    case .request: .opponentIsYourself
    case .block, .unblock: .playerIsYourself
    case .accept, .chance, .rematch, .nudge, .react, .report, .share: nil
    }
  }
}

extension JudgingContext {
  /// Why a player may not do something that implies another one. Nil: the player may.
  func refusal(of player: PlayerID, to act: MeetingAct, _ other: PlayerID) -> Refusal? {
    Meeting(
      knownPlayers: knownPlayers, absences: absences, blocks: blocks,
      nudgeRefusers: nudges.refusers
    ).refusal(of: player, to: act, other)
  }

  /// Throws if a player may not do something that implies others.
  func check(_ act: MeetingAct, of player: PlayerID, with others: [PlayerID]) throws(Refusal) {
    for other in others where other != player {
      if let refusal = refusal(of: player, to: act, other) { throw refusal }
    }
  }
}
