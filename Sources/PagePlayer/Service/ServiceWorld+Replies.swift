import CubePlay
import MatchCore
import MatchWire
import ServiceNews

extension ServiceWorld {
  mutating func hearReply(_ bytes: [UInt8], at now: Instant) throws(ReplyFault) -> [GameAction] {
    var (event, reply) = try ReplyCodec.decode(bytes)
    guard let event, let step = asked[event], case .wish(let wish) = step.what else {
      trouble = .foreign
      return []
    }
    if case .refused(let name, let message, nil) = reply {
      reply = .refused(name: name, message: "\(message) \(Self.help(event))", refusal: nil)
    }
    if case .refused(let name, let message, let refusal) = reply {
      if let seconds = refusal?.retryAfterSeconds, seconds <= Self.longestPause {
        // The same bytes may be answered otherwise then.
        pauses[event] = seconds
        if case .unavailable? = refusal { lastFailure = event }
        trouble = Trouble(name: name, message: message)
        return []
      }
      switch refusal {
      case .wrongService?:
        // It stays for the service that it is meant for.
        trouble = .otherService
        return []
      case .clockAhead?, .eventTooOld?:
        // One that was sent long ago may have been done then.
        guard !step.isSecondTry, !wish.isDelayed,
          step.effect != nil || wish.isOfForm || wish.isOfPush || wish.isOfAccount
        else {
          break
        }
        settle(event)
        tryByRightTime(step)
        return []
      default: break
      }
    }
    settle(event)
    let found = found()
    if isKeyLost(reply) { return found + loseKey() }
    if wish.isRegistration { return found + registered(reply) }
    if wish.isAddition { return found + added(reply) }
    if wish.isByWords { return found + recovered(wish, reply, at: account.time(at: now)) }
    if step.pushWish != nil { return found + pushHeard(wish, reply) }
    if wish.isOfAccount { return found + accountHeard(reply) }
    guard let effect = step.effect else { return found + toldLater(wish, reply) }
    // The game learns the outcome of a turn before it learns that the service is back. A turn that
    // waits would be sent once more then, as another event.
    return take(reply, to: wish, for: effect, at: account.time(at: now)) + found
  }

  /// Only the time was wrong, and nothing was done: the step is sent once more, by the right time.
  mutating func tryByRightTime(_ step: Step) {
    isMet = false
    var step = step
    step.isSecondTry = true
    waiting.insert(step, at: 0)
  }

  /// The longest pause after which an event is sent again by itself, in seconds.
  private static let longestPause: Int64 = 60

  /// The oldest event whose answer takes long, in a sentence; nil: there is none.
  var unanswered: String? {
    guard account.name != nil, trouble?.isFinal != true, case .wish(let wish)? = late?.value.what
    else { return nil }
    return """
      Your earlier \(wish.action.noun) has no answer yet. It is sent again until then, and counts \
      once.
      """
  }

  /// The oldest event whose answer takes long.
  var late: (key: EventID, value: Step)? {
    let late = asked.filter { _, step in
      if case .wish(let wish) = step.what { wish.isDelayed } else { false }
    }
    return late.min { $0.key.time < $1.key.time }
  }

  private mutating func settle(_ event: EventID) {
    asked[event] = nil
    pauses[event] = nil
  }

  private mutating func registered(_ reply: ReceivedReply) -> [GameAction] {
    form.isSending = false
    form.isDelayed = false
    switch reply {
    case .accepted(.registered(_, let name)): account.name = name
    case .accepted: trouble = .foreign
    case .refused(_, _, .alreadyRegistered(let known)?) where PlayerName(known) != nil:
      account.name = PlayerName(known)
    case .refused(let name, let message, let refusal):
      switch refusal {
      case .nameTaken?: form.name.fault = message
      case .codeInvalid?, .codeRequired?: form.code.fault = message
      default: trouble = Trouble(name: name, message: message)
      }
    }
    return account.name == nil ? [] : [.home(.appeared)]
  }

  /// An event of an earlier page, or one whose effect the game has given up, is answered.
  private mutating func toldLater(_ wish: Wish, _ reply: ReceivedReply) -> [GameAction] {
    let noun = wish.action.noun
    switch reply {
    case .accepted(let acceptance):
      know(acceptance)
      told.append("Your earlier \(noun) went through.")
    case .refused(_, let message, let refusal):
      if case .notRegistered? = refusal { account.name = nil }
      told.append("Your earlier \(noun) was refused. \(message)")
    }
    return [.home(.appeared)]
  }

  private mutating func take(
    _ reply: ReceivedReply, to wish: Wish, for effect: GameEffect, at now: Instant
  ) -> [GameAction] {
    if wish.isDelayed {
      switch effect {
      case .menu(.newMatch), .menu(.boards):
        // The list brings the answer to the screen that asked.
        started = StartAnswer(reply, naming: effect.otherName)
        return [.home(.appeared)]
      // The screen shows what comes of these.
      case .match(_, .play), .menu(.inbox), .menu(.keys): break
      default: return toldLater(wish, reply)
      }
    }
    switch reply {
    case .accepted(let acceptance):
      know(acceptance)
      if case .menu(.keys(.invite)) = effect, case .deviceInvited(let end) = acceptance {
        return invited(by: wish, until: end, at: now)
      }
      return accepted(acceptance, reply, for: effect, at: now)
    case .refused(_, let message, let refusal):
      if case .notRegistered? = refusal { account.name = nil }
      guard case .match(let key, .play(.send)) = effect else {
        guard !isLeft(effect) else { return toldLater(wish, reply) }
        return failed(effect, .said(refusal?.text(naming: effect.otherName) ?? message))
      }
      let answer = Answer(refusal, message)
      guard answer == .outdated, let id = key.match else {
        return [.match(key, .play(.answered(answer)))]
      }
      ask(.matchAfterRefusal(id), for: effect)
      return []
    }
  }

  private mutating func accepted(
    _ acceptance: Acceptance, _ reply: ReceivedReply, for effect: GameEffect, at now: Instant
  ) -> [GameAction] {
    switch effect {
    case .home(.grant): return [.home(.granted(acceptance.ticket.map { MatchKey($0) }))]
    case .menu(.newMatch):
      return [.menu(.newMatch(.answered(StartAnswer(reply, naming: effect.otherName))))]
    case .menu(.boards):
      guard let ticket = acceptance.ticket else { break }
      return began(MatchKey(ticket), by: effect)
    case .menu(.settings): return goOn(effect)
    case .menu(.inbox): return [.menu(.inbox(.left))]
    case .menu(.player): return [.menu(.player(.answered(.done)))]
    case .menu(.keys(.remove)): return [.menu(.keys(.removed))]
    case .menu(.keys(.recovery(let recovery))):
      guard case .recoverySet(let at) = acceptance,
        let action = RecoveryNews.answered(recovery, at, now: now)
      else { break }
      return [.menu(.keys(.recovery(action)))]
    case .match(let key, .play(.send)):
      guard case .turnAccepted(let receipt) = acceptance else { break }
      // The list of turns comes with the match.
      ask(.match(receipt.match), for: .match(key, .follow))
      let seconds =
        receipt.outcome == nil && view?.id == receipt.match ? view?.secondsAfterTurn(now) : nil
      return [.match(key, .play(.answered(.accepted(secondsLeft: seconds))))]
    case .match(let key, .askRematch):
      if let ticket = acceptance.ticket {
        return [.match(key, .rematchAnswered(.began(MatchKey(ticket))))]
      }
      return [.match(key, .rematchAnswered(.offered))]
    case .match(let key, .giveUp): return [.match(key, .giveUp(.answered(.done)))]
    case .match(let key, .react): return [.match(key, .react(.answered(failure: nil)))]
    case .match(let key, .share):
      guard case .gameShared(_, let code) = acceptance else { break }
      return [.match(key, .share(.answered(.shared(code: code.text))))]
    default: break
    }
    return effect.failed(.said(Trouble.foreign.message))
  }

  private mutating func know(_ acceptance: Acceptance) {
    if let ticket = acceptance.ticket { know(ticket.match, ticket.version) }
    switch acceptance {
    case .turnAccepted(let receipt): know(receipt.match, receipt.version)
    case .matchEnded(let match, _, _, let version), .done(_, let match, let version):
      know(match, version)
    default: break
    }
  }
}

extension GameEffect {
  /// The name of the other player, as it was typed or stood on the screen.
  fileprivate var otherName: String? {
    switch self {
    case .menu(.newMatch(.start(.named(let name, _), _))), .menu(.player(.wish(_, let name))): name
    default: nil
    }
  }
}

extension Acceptance {
  fileprivate var ticket: MatchTicket? {
    switch self {
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket),
      .rematchStarted(let ticket):
      ticket
    default: nil
    }
  }
}
