import CubeLexicon
import CubeRules

/// Judges events: pure functions from the state, the event and the time to the effects.
public enum Judge {
  /// The look-ups that judging an event needs.
  public struct Needs: Hashable, Sendable {
    /// Matches, including some that may not exist.
    public var matches: [MatchID] = []
    /// Other players who must exist.
    public var players: [PlayerID] = []
    /// The daily challenge.
    public var daily: DailyKey?
    /// The claim to resolve in the store first.
    public var claim: Claim?
    /// Matches whose first request is needed.
    public var requests: [MatchID] = []
    /// Whether the recent registrations must be counted.
    public var registrations = false
    /// The block that begins or ends.
    public var block: Block?
    /// Whether the sender's reports of the last day are needed.
    public var reports = false
    /// Whether the last reminders in those matches are needed, and which of their players refuse
    /// reminders.
    public var nudges = false
    /// Whether the event may leave a seat to somebody else. The store is asked whether every role
    /// knows what that is.
    public var leavesSeat = false
    /// Whether it is asked when the sender left seats lately.
    public var leavings = false
    /// The hash of an invitation's code. The store is asked whether there is one.
    public var invitation: Hash?
    /// A key that is nobody's yet. The store is asked whether that is so.
    public var newKey: PublicKey?
    /// Whether the player's recovery key has to have signed the event. The store is asked for it.
    public var byRecoveryKey = false

    public init() {}

    /// The needs of a block of another player, and of its end.
    init(blocking other: PlayerID, by event: Event) {
      players = [other]
      block = Block(event.player, other)
    }

    /// The needs of a change of a player's keys.
    init(
      keysOf player: PlayerID, invitation: Hash? = nil, newKey: PublicKey? = nil,
      byRecoveryKey: Bool = false
    ) {
      claim = .keys(of: player)
      self.invitation = invitation
      self.newKey = newKey
      self.byRecoveryKey = byRecoveryKey
    }
  }

  /// The look-ups that judging an event needs. A claim that is resolved with `.match` adds that
  /// match.
  public static func needs(of event: Event) -> Needs {
    event.action.visit(NeedsVisitor(event: event))
  }

  /// The players that an event would let its player meet, and those that would get one more match.
  public struct Encounter: Hashable, Sendable {
    /// The players who would meet, including the sender. The blocks between them are looked up.
    public var players: [PlayerID]
    /// The players whose matches are counted. Their loads are looked up.
    public var counted: [PlayerID]
    /// The invited player. The invitations to that player are looked up.
    public var invited: PlayerID?
  }

  /// The players that an event would let its player meet. Nil: nobody, and no match begins. `match`
  /// returns known matches.
  public static func encounter(
    of event: Event, secret: ServiceSecret, match find: (MatchID) -> Match?
  ) -> Encounter? {
    let player = event.player
    func match(_ id: MatchID) -> Match? {
      find(id).flatMap { $0.isThere(for: event, secret: secret) ? $0 : nil }
    }
    return withoutActuallyEscaping(match) { match in
      event.action.visit(EncounterVisitor(player: player, match: match))
    }
  }

  /// The mistake in an event that shows before any look-up: its id or its time.
  public static func refusal(of event: Event, now: Instant) -> Refusal? {
    guard event.id.isVersion7 else { return .malformed("id is not a UUIDv7") }
    let age = now.microseconds(since: event.id.time)
    if age > Event.maximumAgeSeconds * 1_000_000 { return .eventTooOld(serviceTime: now) }
    if age < -Event.maximumAheadSeconds * 1_000_000 { return .clockAhead(serviceTime: now) }
    return nil
  }

  /// Judges one event that is signed by its player (or by the service) and not yet handled. The
  /// caller must have checked both.
  public static func judge(_ received: ReceivedEvent, _ context: JudgingContext) -> Judgement {
    let event = received.event
    if let refusal = refusal(of: event, now: context.now) { return .refused(refusal) }
    switch event.action {
    case .playerRegistered(let registered):
      return register(registered, received, context)
    // A key that is not registered yet speaks for itself by the code.
    case .keyAdded(let added): return addKey(added, received, context)
    // A recovery key speaks for nothing else.
    case .playerRecovered(let recovered): return recover(recovered, received, context)
    case .recoveryWithdrawn(let withdrawn): return withdraw(withdrawn, received, context)
    case _ where context.senderName == nil && !event.isFromService:
      return .refused(.notRegistered)
    case .matchRequested(let request): return requestMatch(request, received, context)
    case .dailyStarted(let started): return startDaily(started.daily, received, context)
    case .settingsChanged(let change):
      return changeSettings(change, event)
    case .deviceRegistered(let device): return note(.device(device))
    case .deviceRemoved(let removed): return note(.deviceRemoved(removed.device))
    case .deviceInvited(let invited): return invite(invited, received, context)
    case .keyRemoved(let removed): return removeKey(removed, received, context)
    case .recoveryKeyNamed(let named): return nameRecoveryKey(named, received, context)
    case .recoveryObjected(let objected): return object(objected, received, context)
    case .recoveryDue(let due): return finishRecovery(due, received, context)
    case .notificationTested:
      return Judgement(
        reply: .accepted(.noted), pushes: [PushJob(test: event.player, causedBy: event)])
    case .inboxSeen(.one(let job)): return note(.seen(job))
    case .inboxSeen(.all): return note(.allSeen(until: InboxSeen.end(of: event, now: context.now)))
    case .playerBlocked(let blocked): return change(blocking: blocked.other, true, event, context)
    case .playerUnblocked(let blocked):
      return change(blocking: blocked.other, false, event, context)
    case .mergeProposed(let merger): return merge(merger, context)
    case .ticked: return Judgement(reply: .refused(.notPermitted))
    case .invitationAccepted, .invitationDeclined, .requestWithdrawn, .turnPlayed, .reacted,
      .nudged, .matchForfeited, .rematchRequested, .rematchDeclined, .gameShared, .reported,
      .deadlinePassed, .ruled:
      return judgeMatch(received, context)
    }
  }

  private static func note(_ change: PlayerChange) -> Judgement {
    Judgement(reply: .accepted(.noted), playerChange: change)
  }

  /// All devices are notified of the end of the account, and of its withdrawal.
  private static func changeSettings(_ change: SettingsChange, _ event: Event) -> Judgement {
    guard change.isBot != false else { return .refused(.botForGood) }
    var judgement = note(.settings(change))
    if change.isLeaving != nil {
      judgement.pushes = [PushJob(account: event.player, causedBy: event)]
    }
    return judgement
  }

  private static func judgeMatch(
    _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    let event = received.event
    guard let id = event.match, let match = context.matches[id],
      match.isThere(for: event, secret: context.secret)
    else { return .refused(refusalOfNothing(event)) }
    // Nothing but its players is known of a match that was annulled because it was damaged.
    guard !match.lexicon.isEmpty else { return .refused(.unknownMatch) }
    guard match.rules.isKnown, let lexicon = context.lexicons.named(match.lexicon) else {
      return .refused(.unavailable)
    }
    var draft = Draft(match, received, context)
    draft.applyDeadline()
    do throws(Refusal) {
      var successor: MatchChange?
      var report: Report?
      var nudge: Nudge?
      let acceptance: Acceptance
      switch event.action {
      case .turnPlayed(let played):
        acceptance = try play(played.turn, &draft, lexicon)
      case .reacted(let reaction):
        acceptance = try react(reaction, &draft)
      case .invitationAccepted:
        acceptance = try join(&draft)
      case .invitationDeclined, .requestWithdrawn, .matchForfeited:
        acceptance = try leave(&draft, lexicon)
      case .rematchRequested:
        (acceptance, successor) = try requestRematch(&draft)
      case .rematchDeclined:
        acceptance = try declineRematch(&draft)
      case .gameShared:
        acceptance = try share(draft)
      case .nudged(let nudged):
        nudge = try Judge.nudge(nudged, draft)
        acceptance = .noted
      case .reported(let reported):
        report = try Judge.report(reported, draft)
        acceptance = .reported(draft.match.id)
      case .deadlinePassed(let passed):
        if let gone = passed.gone {
          acceptance = try end(&draft, without: gone, lexicon)
        } else {
          acceptance = try passDeadline(&draft, turn: passed.turn, deadline: passed.deadline)
        }
      case .ruled(let ruled):
        acceptance = try rule(ruled.ruling, &draft)
      case .playerRegistered, .matchRequested, .dailyStarted, .settingsChanged, .deviceRegistered,
        .deviceRemoved, .deviceInvited, .keyAdded, .keyRemoved, .recoveryKeyNamed,
        .playerRecovered, .recoveryObjected, .recoveryWithdrawn, .recoveryDue, .inboxSeen,
        .notificationTested, .playerBlocked, .playerUnblocked, .ticked, .mergeProposed:
        throw .notPermitted
      }
      let changes = draft.hasChanged ? [draft.change] : []
      return Judgement(
        reply: .accepted(acceptance), changes: changes + (successor.map { [$0] } ?? []),
        pushes: draft.pushes + (nudge.map { [$0.job] } ?? []), report: report, nudge: nudge)
    } catch {
      // A refusal may still have found that time was up. That result stands.
      return Judgement(
        reply: .refused(error), changes: draft.hasChanged ? [draft.change] : [],
        pushes: draft.pushes)
    }
  }

  private static func register(
    _ registered: Event.PlayerRegistered, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    let (event, name) = (received.event, registered.name)
    guard event.player == PlayerID(firstKey: received.signed.key) else {
      return .refused(.notPermitted)
    }
    if let name = context.senderName { return .refused(.alreadyRegistered(name: name.text)) }
    guard name.skeleton != Departure.name.skeleton else { return .refused(.nameTaken(name.text)) }
    switch context.claim {
    case .granted where context.reservedNames.contains(name):
      return .refused(.nameTaken(name.text))
    case .granted, .admitted:
      // A code admits one player, regardless of the limit on other registrations.
      if registered.code == nil, let refusal = context.refusalToRegister() {
        return .refused(refusal)
      }
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
  /// The refusal for a match that does not exist for the sender. It follows from the event alone.
  private static func refusalOfNothing(_ event: Event) -> Refusal {
    if case .invitationAccepted(let accepted) = event.action, accepted.code != nil {
      return .codeUnknown
    }
    return .unknownMatch
  }
}

extension Match {
  /// Whether the sender of an event may learn that the match exists. Players with a seat or an
  /// invitation, those with the code of the open invitation, and the service may. For all others it
  /// does not exist.
  public func isThere(for event: Event, secret: ServiceSecret) -> Bool {
    if concerns(event.player) || event.isFromService { return true }
    guard terms.kind == .open, case .invitationAccepted(let accepted) = event.action,
      let code = accepted.code
    else { return false }
    return code.asMade == ShareCode(invitationTo: id, secret: secret)
  }
}

extension Draft {
  /// Whether there is anything to write.
  var hasChanged: Bool { before != match }
}

private struct NeedsVisitor: EventPayloadVisitor {
  let event: Event

  func visit(_ payload: some EventPayload) -> Judge.Needs { payload.needs(of: event) }
}

private struct EncounterVisitor: EventPayloadVisitor {
  let player: PlayerID
  let match: (MatchID) -> Match?

  func visit(_ payload: some EventPayload) -> Judge.Encounter? {
    payload.encounter(of: player, match: match)
  }
}
