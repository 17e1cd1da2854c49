import CubeLexicon
import CubeRules

extension Judge {
  /// The mistake in a request that is wrong in any state.
  static func refusal(of request: MatchRequest) -> Refusal? {
    switch (request.opponent, request.turnLimitSeconds) {
    case (.nobody, nil), (.clock, nil): nil
    case (.nobody, let limit?), (.clock, let limit?): .turnLimitInvalid(limit)
    case (_, let limit?) where MatchRequest.turnLimits.contains(limit): nil
    case (_, let limit): .turnLimitInvalid(limit)
    }
  }

  /// A player wants a match. A waiting seat is taken, or a new match begins.
  static func requestMatch(
    _ request: MatchRequest, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    if let refusal = refusal(of: request) { return .refused(refusal) }
    let player = received.event.player
    var seats: [PlayerID?] = [player]
    if let refusal = context.refusalToBegin(player, waits: false) { return .refused(refusal) }
    switch request.opponent {
    case .player(let other):
      if let refusal = context.refusal(of: player, to: .request, other) {
        return .refused(refusal)
      }
      if case .match(let id)? = context.claim {
        return answerMutualInvitation(id, request.terms, received, context)
      }
      guard context.claim == .granted else { return .refused(.unavailable) }
      seats.append(other)
    case .random:
      if let refusal = context.refusalToJoin() { return .refused(refusal) }
      if case .seat(let id, let why)? = context.claim, let match = context.matches[id],
        let judgement = takeSeat(in: match, why, request.terms, received, context)
      {
        return judgement
      }
      guard context.claim != nil else { return .refused(.unavailable) }
      seats.append(nil)
    case .open: seats.append(nil)
    case .nobody, .clock: break
    }
    return begin(request, seats: seats, received, context)
  }

  private static func begin(
    _ request: MatchRequest, seats: [PlayerID?], _ received: ReceivedEvent,
    _ context: JudgingContext
  ) -> Judgement {
    let event = received.event
    if seats.count > 1, let refusal = context.refusalToBegin(event.player, waits: true) {
      return .refused(refusal)
    }
    if case .player(let other) = request.opponent,
      let refusal = context.refusalToInvite(other)
        ?? context.refusalToPlayBot(
          other, of: event.player, turnLimitSeconds: request.turnLimitSeconds)
    {
      return .refused(refusal)
    }
    let id = MatchID(askedBy: event.player, event: event.id)
    guard let lexicon = context.lexicons.current(for: request.language) else {
      return .refused(.unavailable)
    }
    let puzzle = Dealer.puzzle(seed: context.secret.puzzleSeed(for: id), lexicon: lexicon)
    do {
      var draft = try Draft(
        dealing: id, terms: request.terms, seats: seats, lexicon: lexicon.version.rawValue,
        letters: puzzle.description, requests: [received.signed], received, context)
      if case .player(let other) = request.opponent { draft.push(.invited, to: other) }
      let code =
        request.opponent == .open
        ? ShareCode(invitationTo: id, secret: context.secret) : nil
      return Judgement(
        reply: .accepted(.matchStarted(draft.ticket(seat: 0, code: code))),
        changes: [draft.change], pushes: draft.pushes)
    } catch {
      return .refused(.unavailable)
    }
  }

  /// The random request finds a waiting player. Nil if the seat is no longer available.
  private static func takeSeat(
    in match: Match, _ why: MeetingReason, _ terms: Terms, _ received: ReceivedEvent,
    _ context: JudgingContext
  ) -> Judgement? {
    var draft = Draft(match, received, context)
    draft.applyDeadline()
    let player = received.event.player
    guard draft.match.stage == .waiting, draft.match.terms == terms,
      !draft.match.concerns(player), !draft.match.wasLeft(by: player),
      draft.match.players.allSatisfy({ context.refusal(of: player, to: .chance, $0) == nil }),
      let seat = draft.match.seats.firstIndex(where: { $0.holder == .free })
    else { return nil }
    return joined(&draft, seat: seat, why: why)
  }

  /// The invited player invited back with the same terms. That is an acceptance.
  private static func answerMutualInvitation(
    _ id: MatchID, _ terms: Terms, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let match = context.matches[id], match.terms == terms else {
      return .refused(.unavailable)
    }
    let player = received.event.player
    var draft = Draft(match, received, context)
    draft.applyDeadline()
    guard draft.match.stage == .waiting else {
      // The invitation has just expired. Its end is written, so that the pair is free at the next
      // request.
      return Judgement(
        reply: .refused(.unavailable), changes: draft.hasChanged ? [draft.change] : [],
        pushes: draft.pushes)
    }
    if draft.match.seat(of: player) != nil { return .refused(.invitationPending(id)) }
    guard let seat = draft.match.seats.firstIndex(where: { $0.holder == .invited(player) }) else {
      return .refused(.unavailable)
    }
    return joined(&draft, seat: seat)
  }

  private static func joined(
    _ draft: inout Draft, seat: Int, why: MeetingReason? = nil
  ) -> Judgement {
    draft.fill(seat: seat, with: draft.received.event.player, why: why)
    return Judgement(
      reply: .accepted(.matchJoined(draft.ticket(seat: seat))), changes: [draft.change],
      pushes: draft.pushes)
  }

  /// An invitation is accepted, by the invited player or with the code. For anyone else the match
  /// does not exist.
  static func join(_ draft: inout Draft) throws(Refusal) -> Acceptance {
    let player = draft.received.event.player
    let match = draft.match
    if match.seat(of: player) != nil { throw .alreadyJoined(match.id) }
    let isOpen = match.terms.kind == .open
    // The result of a match that others have played is not told.
    if isOpen, match.seats.allSatisfy({ $0.player != nil }) { throw .seatTaken }
    if let outcome = match.outcome { throw .matchOver(outcome) }
    if match.wasLeft(by: player) { throw .leftByYou }
    if isOpen, let refusal = draft.context.refusalToJoin() { throw refusal }
    try draft.context.check(.accept, of: player, with: match.players)
    if let refusal = draft.context.refusalToBegin(player, waits: false) { throw refusal }
    guard
      let seat = match.seats.firstIndex(where: {
        $0.holder == (isOpen ? .free : .invited(player))
      })
    else { throw .seatTaken }
    draft.fill(seat: seat, with: player)
    return .matchJoined(draft.ticket(seat: seat))
  }

  /// A player declines, withdraws or gives up: the match is over, or waits for another joiner. For a
  /// joiner who leaves it is over in any case.
  static func leave(_ draft: inout Draft, _ lexicon: Lexicon) throws(Refusal) -> Acceptance {
    let (event, match) = (draft.received.event, draft.match)
    if let outcome = match.outcome { throw .matchOver(outcome) }
    if case .requestWithdrawn = event.action, match.stage == .playing {
      throw match.seats.count > 1 ? .alreadyJoined(match.id) : .nothingToWithdraw
    }
    guard let outcome = match.outcome(of: event) else {
      switch event.action {
      case .invitationDeclined: throw .notInvited
      default: throw .nothingToWithdraw
      }
    }
    if case .matchForfeited = event.action, let seat = draft.seatToLeave(of: event.player) {
      draft.record()
      return leave(&draft, seat: seat, event.player, lexicon)
    }
    draft.record()
    draft.end(outcome, endedBy: event.player)
    switch event.action {
    case .invitationDeclined: return .done(.invitationDeclined, match.id, version: draft.version)
    case .requestWithdrawn: return .done(.withdrawn, match.id, version: draft.version)
    default:
      return .matchEnded(match.id, outcome, points: match.points, version: draft.version)
    }
  }

  /// The answer tells the player that the match was aborted, as it is for that player.
  static func leave(
    _ draft: inout Draft, seat: Int, _ player: PlayerID, _ lexicon: Lexicon
  ) -> Acceptance {
    draft.leave(seat: seat, player, lexicon)
    let points = draft.match.points
    return .matchEnded(
      draft.match.id, .decided(.aborted, by: seat, points: points), points: points,
      version: draft.version)
  }

  /// A player begins the daily challenge.
  static func startDaily(
    _ key: DailyKey, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    let player = received.event.player
    var id = MatchID(daily: key, player: player)
    if let first = context.matches[id] {
      // A game that had more time than others is replaced once, if the service itself was away. Its
      // player knows the cube by then, so nothing that a player can bring about is enough.
      guard first.isOverlong, first.outcome != nil, context.wasAway(during: first) else {
        return .refused(.dailyAlreadyStarted(id))
      }
      id = MatchID(dailyAgain: key, player: player)
      if context.matches[id] != nil { return .refused(.dailyAlreadyStarted(id)) }
    }
    // This is the clock that ends the day. If it jumped past midnight and came back, that day is
    // over.
    let now = Draft.now(id, context)
    if now >= key.day.end { return .refused(.dailyOver(key.day)) }
    guard now >= key.day.start, let daily = context.daily, daily.key == key else {
      return .refused(.dailyNotDealt(key.day))
    }
    let terms = Terms(kind: .daily(key), turnLimitSeconds: nil, language: key.language)
    do {
      let draft = try Draft(
        dealing: id, terms: terms, seats: [player], lexicon: daily.lexicon,
        letters: daily.letters, requests: [received.signed], received, context)
      return Judgement(
        reply: .accepted(.dailyStarted(draft.ticket(seat: 0))), changes: [draft.change])
    } catch {
      return .refused(.unavailable)
    }
  }
}

extension Draft {
  /// All a player needs to begin to play.
  func ticket(seat: Int, code: ShareCode? = nil) -> MatchTicket {
    MatchTicket(
      match: match.id, version: version, seat: seat,
      letters: match.game.puzzle.description, previous: match.previousTurnHash, code: code)
  }
}
