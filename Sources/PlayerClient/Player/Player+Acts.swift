public import CubeRules
public import MatchCore
public import MatchWire

/// What came of wanting a match.
public enum MatchStart: Hashable, Sendable {
  /// A new match was dealt; unless it is a game of one seat, it waits for its second player.
  case started(MatchTicket)
  /// The player took a seat in a match that waited.
  case joined(MatchTicket)

  /// What is needed to begin to play.
  public var ticket: MatchTicket {
    switch self {
    case .started(let ticket), .joined(let ticket): ticket
    }
  }
}

/// How a match ended by being given up.
public struct MatchEnding: Hashable, Sendable {
  public var match: MatchID
  public var outcome: Outcome
  /// The points of each seat.
  public var points: [Int]
  /// Its stored version.
  public var version: Int64
}

// What the player does. Each throws what `send` throws, and `ClientError.refused` where the service
// says no. The same wish while one is pending is that one: see `Intent`.
extension Player {
  /// Introduces the player's key under a name; the code is needed where registration is by code.
  @discardableResult
  public func register(
    _ name: PlayerName, code: ShareCode? = nil
  ) throws(ClientError) -> PlayerName {
    let reply = try send(.playerRegistered(name: name, code: code))
    if case .refused(_, _, .alreadyRegistered(let known)?) = reply,
      let known = PlayerName(known), known != profile.name
    {
      try remember {
        $0.name = known
        $0.player = player
      }
    }
    guard case .registered(_, let name) = try acceptance(reply) else { throw .foreignReply }
    return name
  }

  /// Asks for a match: against whoever comes, against one player, by code, or alone.
  public func startMatch(_ request: MatchRequest) throws(ClientError) -> MatchStart {
    switch try acceptance(send(.matchRequested(request))) {
    case .matchStarted(let ticket): return .started(ticket)
    case .matchJoined(let ticket): return .joined(ticket)
    default: throw .foreignReply
    }
  }

  /// Invites a player by name, which is resolved to an id before anything is signed.
  public func startMatch(
    against name: PlayerName, turnLimitSeconds: Int64, language: Language = .english,
    isCasual: Bool = false
  ) throws(ClientError) -> MatchStart {
    try startMatch(
      MatchRequest(
        opponent: .player(player(named: name).id), turnLimitSeconds: turnLimitSeconds,
        language: language, isCasual: isCasual))
  }

  /// Begins the challenge of a day.
  public func startDaily(_ daily: DailyKey) throws(ClientError) -> MatchTicket {
    guard case .dailyStarted(let ticket) = try acceptance(send(.dailyStarted(daily))) else {
      throw .foreignReply
    }
    return ticket
  }

  /// Takes the seat that a code invites to.
  public func join(_ code: ShareCode) throws(ClientError) -> MatchTicket {
    let reply = try send(.join(code)) { () throws(ClientError) in
      .invitationAccepted(try match(code: code).id, code: code)
    }
    return try joined(reply)
  }

  /// Takes the seat that was offered by name.
  public func accept(_ match: MatchID) throws(ClientError) -> MatchTicket {
    try joined(send(.invitationAccepted(match, code: nil)))
  }

  private func joined(_ reply: ReceivedReply) throws(ClientError) -> MatchTicket {
    guard case .matchJoined(let ticket) = try acceptance(reply) else { throw .foreignReply }
    return ticket
  }

  /// Shares a match that is over, or a solo game: gives the code with which anyone may see it, the
  /// same one however often.
  public func share(_ match: MatchID) throws(ClientError) -> ShareCode {
    guard case .gameShared(_, let code) = try acceptance(send(.gameShared(match))) else {
      throw .foreignReply
    }
    return code
  }

  /// Turns an invitation by name down; gives the match's stored version.
  @discardableResult
  public func decline(_ match: MatchID) throws(ClientError) -> Int64 {
    guard
      case .invitationDeclined(_, let version) = try acceptance(send(.invitationDeclined(match)))
    else { throw .foreignReply }
    return version
  }

  /// Takes back a request or invitation that nobody has taken yet; gives the match's stored
  /// version.
  @discardableResult
  public func withdraw(_ match: MatchID) throws(ClientError) -> Int64 {
    guard case .withdrawn(_, let version) = try acceptance(send(.requestWithdrawn(match))) else {
      throw .foreignReply
    }
    return version
  }

  /// Plays a turn in a match that was looked at before.
  public func play(_ moves: [Move], in view: MatchView) throws(ClientError) -> TurnReceipt {
    let turn = Turn(number: view.turn, previous: view.previous, moves: moves)
    return try receipt(send(.turnPlayed(view.id, turn)))
  }

  /// Plays a turn in a match as it stands now.
  public func play(_ moves: [Move], in id: MatchID) throws(ClientError) -> TurnReceipt {
    let reply = try send(.play(id, moves)) { () throws(ClientError) in
      let view = try match(id)
      return .turnPlayed(
        id, Turn(number: view.turn, previous: view.previous, moves: moves))
    }
    return try receipt(reply)
  }

  private func receipt(_ reply: ReceivedReply) throws(ClientError) -> TurnReceipt {
    guard case .turnAccepted(let receipt) = try acceptance(reply) else { throw .foreignReply }
    return receipt
  }

  /// Gives a match up, in or out of turn; ends a game of one player.
  @discardableResult
  public func forfeit(_ match: MatchID) throws(ClientError) -> MatchEnding {
    guard
      case .matchEnded(let id, let outcome, let points, let version) = try acceptance(
        send(.matchForfeited(match)))
    else { throw .foreignReply }
    return MatchEnding(match: id, outcome: outcome, points: points, version: version)
  }

  /// Does not want the rematch that was offered; gives the match's stored version.
  @discardableResult
  public func declineRematch(_ match: MatchID) throws(ClientError) -> Int64 {
    guard case .rematchDeclined(_, let version) = try acceptance(send(.rematchDeclined(match)))
    else { throw .foreignReply }
    return version
  }

  /// Meets a player no more: not by chance, by invitation, by code or for a rematch. What is being
  /// played goes on.
  public func block(_ other: PlayerID) throws(ClientError) {
    guard case .playerBlocked = try acceptance(send(.playerBlocked(other))) else {
      throw .foreignReply
    }
  }

  /// Does not mind meeting a player any more.
  public func unblock(_ other: PlayerID) throws(ClientError) {
    guard case .playerUnblocked = try acceptance(send(.playerUnblocked(other))) else {
      throw .foreignReply
    }
  }

  /// What the service agreed to.
  func acceptance(_ reply: ReceivedReply) throws(ClientError) -> Acceptance {
    switch reply {
    case .accepted(let acceptance): return acceptance
    case .refused(_, _, .notRegistered?): throw .notRegistered
    case .refused(let name, let message, let refusal):
      switch refusal {
      case .clockAhead(let time)?, .eventTooOld(let time)?:
        throw skew(against: time) ?? .refused(name: name, message: message, refusal: refusal)
      default: throw .refused(name: name, message: message, refusal: refusal)
      }
    }
  }
}
