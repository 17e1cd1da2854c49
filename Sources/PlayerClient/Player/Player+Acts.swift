public import CubeRules
public import MatchCore
public import MatchWire

// The player's acts. Each throws the errors of `send`, and `ClientError.refused` where the service
// says no. A wish that is already pending is resumed, not repeated: see `Intent`.
extension Player {
  /// Registers the player's key under a name. The code is needed where registration is by code.
  /// - Throws: `ClientError.recovering` where the key waits for a recovery.
  @discardableResult
  public func register(
    _ name: PlayerName, code: ShareCode? = nil
  ) throws(ClientError) -> PlayerName {
    try checkFree()
    let reply = try send(.playerRegistered(name: name, code: code))
    if case .refused(_, _, .alreadyRegistered(let known)?) = reply,
      let known = PlayerName(known), known != profile.name
    {
      try remember {
        $0.name = known
        $0.player = player
      }
    }
    return try answer(reply, to: Event.PlayerRegistered.self)
  }

  /// Asks for a match: against anyone, against one player, by code, or alone.
  public func startMatch(_ request: MatchRequest) throws(ClientError) -> MatchStart {
    try act(request)
  }

  /// Invites a player by name. The name is resolved to an id before anything is signed.
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
    try act(Event.DailyStarted(daily))
  }

  /// Takes the seat that a code invites to.
  public func join(_ code: ShareCode) throws(ClientError) -> MatchTicket {
    let wish = Event.InvitationAccepted(match: MatchID(rawValue: 0), code: code)
    return try act(wish) { () throws(ClientError) in
      Event.InvitationAccepted(match: try match(code: code).id, code: code)
    }
  }

  /// Takes the seat that was offered by name.
  public func accept(_ match: MatchID) throws(ClientError) -> MatchTicket {
    try act(Event.InvitationAccepted(match: match, code: nil))
  }

  /// Shares a match that is over, or a solo game. Gives the code with which anyone may see it, the
  /// same code every time.
  public func share(_ match: MatchID) throws(ClientError) -> ShareCode {
    try act(Event.GameShared(match: match))
  }

  /// Declines an invitation by name; gives the match's stored version.
  @discardableResult
  public func decline(_ match: MatchID) throws(ClientError) -> Int64 {
    try act(Event.InvitationDeclined(match: match))
  }

  /// Takes back a request or invitation that nobody has taken yet; gives the match's stored
  /// version.
  @discardableResult
  public func withdraw(_ match: MatchID) throws(ClientError) -> Int64 {
    try act(Event.RequestWithdrawn(match: match))
  }

  /// Plays a turn in a match that was looked at before.
  public func play(_ moves: [Move], in view: MatchView) throws(ClientError) -> TurnReceipt {
    try act(turn(moves, in: view))
  }

  /// Keeps a turn, which is played by the same call of ``play(_:in:)`` or with any later
  /// event. Returns whether it is kept.
  package func keep(_ moves: [Move], in view: MatchView) throws(ClientError) -> Bool {
    try keep(.turnPlayed(turn(moves, in: view)))
  }

  /// Plays a turn in a match as it stands now.
  public func play(_ moves: [Move], in id: MatchID) throws(ClientError) -> TurnReceipt {
    let wish = Event.TurnPlayed(match: id, turn: Turn(number: 0, previous: .zero, moves: moves))
    return try act(wish) { () throws(ClientError) in turn(moves, in: try match(id)) }
  }

  /// Answers the last turn of a match that was looked at before with a word of the match. Gives the
  /// match's stored version.
  @discardableResult
  public func react(with word: String, in view: MatchView) throws(ClientError) -> Int64 {
    try react(with: word, to: max(view.turns.count, 1), of: view.id)
  }

  /// Answers the last turn of a match, which has that number, with a word of the match. Gives the
  /// match's stored version.
  @discardableResult
  public func react(
    with word: String, to turn: Int, of match: MatchID
  ) throws(ClientError) -> Int64 {
    try act(Event.Reacted(match: match, turn: turn, word: word))
  }

  /// Reminds the other player of a match of the turn that is due, once a turn. The match says from
  /// when that can be: ``MatchView/nudgeFrom``.
  public func nudge(_ match: MatchID, turn: Int) throws(ClientError) {
    _ = try act(Event.Nudged(match: match, turn: turn))
  }

  private func turn(_ moves: [Move], in view: MatchView) -> Event.TurnPlayed {
    let turn = Turn(number: view.turn, previous: view.previous, moves: moves)
    return Event.TurnPlayed(match: view.id, turn: turn)
  }

  /// Gives a match up, in or out of turn; ends a game of one player, and withdraws what nobody has
  /// joined.
  @discardableResult
  public func forfeit(_ match: MatchID) throws(ClientError) -> MatchEnding {
    try act(Event.MatchForfeited(match: match))
  }

  /// Declines the offered rematch; gives the match's stored version.
  @discardableResult
  public func declineRematch(_ match: MatchID) throws(ClientError) -> Int64 {
    try act(Event.RematchDeclined(match: match))
  }

  /// Blocks a player: no more meetings by chance, by invitation, by code or for a rematch. A match
  /// in progress goes on.
  public func block(_ other: PlayerID) throws(ClientError) {
    _ = try act(Event.PlayerBlocked(other))
  }

  /// Does not mind meeting a player any more.
  public func unblock(_ other: PlayerID) throws(ClientError) {
    _ = try act(Event.PlayerUnblocked(other))
  }

  /// Reports the opponent in a match to the operators; a second report about it replaces the first.
  public func report(
    _ match: MatchID, because reason: Report.Reason, text: Report.Text? = nil
  ) throws(ClientError) {
    _ = try act(Event.Reported(match: match, reason: reason, text: text))
  }

  /// Sends an event, and gives its answer.
  func act<Payload: EventPayload>(_ payload: Payload) throws(ClientError) -> Payload.Answer {
    try answer(send(payload.action), to: Payload.self)
  }

  /// Sends the event for a wish, unless that wish is pending.
  private func act<Payload: EventPayload>(
    _ wish: Payload, _ make: () throws(ClientError) -> Payload
  ) throws(ClientError) -> Payload.Answer {
    let reply = try send(Intent(wish.action)) { () throws(ClientError) in try make().action }
    return try answer(reply, to: Payload.self)
  }

  private func answer<Payload: EventPayload>(
    _ reply: ReceivedReply, to: Payload.Type
  ) throws(ClientError) -> Payload.Answer {
    guard let answer = Payload.answer(try acceptance(reply)) else { throw .foreignReply }
    return answer
  }

  /// The service's acceptance.
  func acceptance(_ reply: ReceivedReply) throws(ClientError) -> Acceptance {
    switch reply {
    case .accepted(let acceptance): return acceptance
    case .refused(_, _, .notRegistered?): throw notRegistered
    case .refused(let name, let message, let refusal):
      switch refusal {
      case .clockAhead(let time)?, .eventTooOld(let time)?:
        throw skew(against: time) ?? .refused(name: name, message: message, refusal: refusal)
      default: throw .refused(name: name, message: message, refusal: refusal)
      }
    }
  }
}
