import CubeLexicon
import CubeRules

/// Judges events: pure functions from what is, what was said and when, to what follows.
public enum Judge {
  /// What has to be looked up before an event can be judged.
  public struct Needs: Hashable, Sendable {
    /// Matches, those that may not exist included.
    public var matches: [MatchID] = []
    /// Other players who must exist.
    public var players: [PlayerID] = []
    /// The daily challenge.
    public var daily: DailyKey?
    /// What has to be settled in the store first.
    public var claim: Claim?
    /// Matches whose first request is needed.
    public var requests: [MatchID] = []

    public init() {}
  }

  /// What has to be looked up before an event can be judged. A claim that is settled with `.match`
  /// adds that match.
  public static func needs(of event: Event) -> Needs {
    var needs = Needs()
    switch event.action {
    case .playerRegistered(let name, let code):
      needs.claim = .name(name, event.player, code: code)
    case .matchRequested(let request):
      let match = MatchID(askedBy: event.player, event: event.id)
      // Where two events have one hash, the second one must find the first one's match.
      needs.matches = [match]
      switch request.opponent {
      case .random:
        needs.claim = .seat(request.terms, for: event.player)
      case .player(let other):
        needs.players = [other]
        if other != event.player {
          needs.claim = .pair(event.player, other, request.terms, match: match)
        }
      case .open, .nobody, .clock: break
      }
      if Judge.refusal(of: request) != nil { needs.claim = nil }
    case .playerBlocked(let other), .playerUnblocked(let other): needs.players = [other]
    case .dailyStarted(let key):
      needs.daily = key
      needs.matches = [MatchID(daily: key, player: event.player)]
      if key.mode == .timed {
        needs.matches.append(MatchID(dailyAgain: key, player: event.player))
      }
    case .ticked: break
    case .mergeProposed(let merger):
      needs.matches = [merger.kept, merger.merged]
      needs.requests = [merger.merged]
    case .rematchRequested(let match):
      // The successor exists if both have asked before.
      needs.matches = [match, MatchID(successorOf: match)]
    default:
      needs.matches = event.match.map { [$0] } ?? []
    }
    return needs
  }

  /// Whom an event would let its player meet, and whose matches it would add to.
  public struct Encounter: Hashable, Sendable {
    /// The players who would meet, the sender among them; what blocks there are between them has to
    /// be known.
    public var players: [PlayerID]
    /// Those whose matches are counted: the loads that have to be known.
    public var counted: [PlayerID]
    /// Who is invited: the invitations to that player have to be known.
    public var invited: PlayerID?
  }

  /// Whom an event would let its player meet; nil: nobody, and no match begins. `match` gives
  /// matches that are known.
  public static func encounter(
    of event: Event, secret: ServiceSecret, match find: (MatchID) -> Match?
  ) -> Encounter? {
    let player = event.player
    func match(_ id: MatchID) -> Match? {
      find(id).flatMap { $0.isThere(for: event, secret: secret) ? $0 : nil }
    }
    switch event.action {
    case .matchRequested(let request):
      guard refusal(of: request) == nil else { return nil }
      switch request.opponent {
      case .player(let other):
        return Encounter(players: [player, other], counted: [player], invited: other)
      case .random: return Encounter(players: [player], counted: [player])
      case .open, .nobody, .clock: return Encounter(players: [], counted: [player])
      }
    case .invitationAccepted(let id, _):
      // A match that is not known may begin with an event that comes before.
      return Encounter(players: [player] + (match(id)?.players ?? []), counted: [player])
    case .rematchRequested(let id):
      guard let match = match(id), match.seat(of: player) != nil else { return nil }
      return Encounter(players: match.players, counted: match.players)
    case .rematchDeclined(let id):
      // Whom one has blocked one tells nothing.
      guard let match = match(id), match.seat(of: player) != nil else { return nil }
      return Encounter(players: match.players, counted: [])
    case .mergeProposed(let merger):
      let players = [merger.kept, merger.merged].flatMap { match($0)?.players ?? [] }
      return Encounter(players: players, counted: [])
    default: return nil
    }
  }

  /// What is wrong with an event before anything is looked up: its id or its time.
  public static func refusal(of event: Event, now: Instant) -> Refusal? {
    guard event.id.isVersion7 else { return .malformed("id is not a UUIDv7") }
    let age = now.microseconds(since: event.id.time)
    if age > Event.maximumAgeSeconds * 1_000_000 { return .eventTooOld(serviceTime: now) }
    if age < -Event.maximumAheadSeconds * 1_000_000 { return .clockAhead(serviceTime: now) }
    return nil
  }

  /// Judges one event that is known to be signed by its player (or by the service) and not to have
  /// been handled.
  public static func judge(_ received: ReceivedEvent, _ context: JudgingContext) -> Judgement {
    let event = received.event
    if let refusal = refusal(of: event, now: context.now) { return .refused(refusal) }
    switch event.action {
    case .playerRegistered(let name, let code):
      return register(name, hasCode: code != nil, received, context)
    case _ where !event.isFromService && context.senderName == nil:
      return .refused(.notRegistered)
    case .matchRequested(let request): return requestMatch(request, received, context)
    case .dailyStarted(let key): return startDaily(key, received, context)
    case .settingsChanged(let change):
      return change.isBot == false ? .refused(.botForGood) : note(.settings(change))
    case .deviceRegistered(let device): return note(.device(device))
    case .deviceRemoved(let name): return note(.deviceRemoved(name))
    case .inboxSeen(let seen): return note(.seen(seen))
    case .playerBlocked(let other): return change(blocking: other, true, event, context)
    case .playerUnblocked(let other): return change(blocking: other, false, event, context)
    case .mergeProposed(let merger): return merge(merger, context)
    case .ticked: return Judgement(reply: .refused(.notPermitted))
    default: return judgeMatch(received, context)
    }
  }

  private static func note(_ change: PlayerChange) -> Judgement {
    Judgement(reply: .accepted(.noted), playerChange: change)
  }

  private static func judgeMatch(
    _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    let event = received.event
    guard let id = event.match, let match = context.matches[id],
      match.isThere(for: event, secret: context.secret)
    else { return .refused(refusalOfNothing(event)) }
    guard match.rules.isKnown, let lexicon = context.lexicons.named(match.lexicon) else {
      return .refused(.unavailable)
    }
    var draft = Draft(match, received, context)
    draft.applyDeadline()
    do throws(Refusal) {
      var successor: MatchChange?
      let acceptance: Acceptance
      switch event.action {
      case .turnPlayed(_, let turn):
        acceptance = try play(turn, &draft, lexicon)
      case .invitationAccepted:
        acceptance = try join(&draft)
      case .invitationDeclined, .requestWithdrawn, .matchForfeited:
        acceptance = try leave(&draft)
      case .rematchRequested:
        (acceptance, successor) = try requestRematch(&draft)
      case .rematchDeclined:
        acceptance = try declineRematch(&draft)
      case .gameShared:
        acceptance = try share(draft)
      case .deadlinePassed(_, let turn, let deadline):
        acceptance = try passDeadline(&draft, turn: turn, deadline: deadline)
      case .ruled(_, let ruling):
        acceptance = try rule(ruling, &draft)
      default:
        throw .notPermitted
      }
      let changes = draft.hasChanged ? [draft.change] : []
      return Judgement(
        reply: .accepted(acceptance), changes: changes + (successor.map { [$0] } ?? []),
        pushes: draft.pushes)
    } catch {
      // A refusal may still have found that time was up: that stands.
      return Judgement(
        reply: .refused(error), changes: draft.hasChanged ? [draft.change] : [],
        pushes: draft.pushes)
    }
  }

  private static func register(
    _ name: PlayerName, hasCode: Bool, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    let event = received.event
    guard event.player == PlayerID(firstKey: received.signed.key) else {
      return .refused(.notPermitted)
    }
    if let name = context.senderName { return .refused(.alreadyRegistered(name: name.text)) }
    switch context.claim {
    case .granted:
      // A code admits one player, whoever else comes.
      if !hasCode, let refusal = context.refusalToRegister() { return .refused(refusal) }
      return Judgement(
        reply: .accepted(.registered(event.player, name)),
        registration: Registration(
          player: event.player, name: name, key: received.signed.key, at: context.now))
    case .nameTaken: return .refused(.nameTaken(name.text))
    case .codeRequired: return .refused(.codeRequired)
    case .codeInvalid: return .refused(.codeInvalid)
    default: return .refused(.unavailable)
    }
  }
}

extension Judge {
  /// What is said of a match that does not exist for the sender. It follows from the event alone.
  private static func refusalOfNothing(_ event: Event) -> Refusal {
    if case .invitationAccepted(_, code: _?) = event.action { return .codeUnknown }
    return .unknownMatch
  }
}

extension Match {
  /// Whether the sender of an event may learn that there is such a match: who has a part in it, who
  /// has the code of the open invitation, and the service. For everybody else it does not exist.
  public func isThere(for event: Event, secret: ServiceSecret) -> Bool {
    if event.isFromService || concerns(event.player) { return true }
    guard terms.kind == .open, case .invitationAccepted(_, let code?) = event.action else {
      return false
    }
    return code == ShareCode(invitationTo: id, secret: secret)
  }
}

extension Draft {
  /// Whether there is anything to write.
  var hasChanged: Bool { before != match }
}
