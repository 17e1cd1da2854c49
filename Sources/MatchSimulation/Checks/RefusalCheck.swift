import CubeLexicon
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Checks that nobody was refused for an outdated state. Every refusal must be the judge's answer
/// for a state that was visible at some time between the event's making and its answer, at the time
/// of the answer's batch.
///
/// The time of the event's making would not do: whether an event is dated ahead depends on the time
/// of reading.
struct RefusalCheck {
  private let world: World

  init(_ world: World) { self.world = world }

  func violations() -> [String] {
    world.senders.sent.compactMap { sent in
      let event = sent.event(of: world.identity.service)
      guard let match = event.match, let stored = world.store.replies[sent.key],
        stored.payloadHash == sent.payloadHash,
        case .refused(let name, _, let refusal?) = (try? ReplyCodec.decode(stored.reply))?.reply,
        let answer = world.batches.answer(to: sent.key)
      else { return nil }
      let history = world.store.history[match] ?? []
      let text = "event \(event.id) was refused with \(name), which was not so any more"
      let window = sent.sentAt...max(sent.sentAt, answer.since)
      if case .nudged = event.action, let isExplained = explains(refusal, ofNudge: event, window) {
        return isExplained ? nil : text
      }
      if let time = world.store.dropped.times[match], time <= answer.since,
        judge(event, nil, Circumstances(), now: answer.judgedAt).reply == .refused(refusal)
      {
        return nil
      }
      let isRight = { (states: [State], circumstances: Circumstances) -> Bool in
        visible(states, from: sent.sentAt, to: answer.since).contains { state in
          judge(event, state, circumstances, now: answer.judgedAt).reply == .refused(refusal)
        }
      }
      // Within a batch an event may have been judged between two others.
      let facts =
        circumstances(of: refusal, to: event.player, window)
        + bots(of: refusal, to: event.player, in: match, window)
      let isExplained = facts.contains {
        isRight(history, $0) || isRight(allStates(of: match, history), $0)
          || judgedWithinBatch(event, sent.key, $0) == .refused(refusal)
      }
      return isExplained ? nil : text
    }
  }

  /// Whether something else than the match explains the refusal of a reminder of a turn: the same
  /// reminder, the other player's wish for none, or a block. Nil: the match has to explain it.
  private func explains(
    _ refusal: Refusal, ofNudge event: Event, _ window: ClosedRange<Instant>
  ) -> Bool? {
    switch refusal {
    case .blockedByYou, .playerUnavailable:
      return !circumstances(of: refusal, to: event.player, window).isEmpty
    case .alreadyNudged:
      return isAccepted { $0.key.event != event.id && $0.action == event.action }
    case .nudgesRefused(let other):
      return isAccepted { sent in
        guard sent.key.player == other, case .settingsChanged(let change) = sent.action else {
          return false
        }
        return change.push.takesNudges == false || change.isBot == true
      }
    default: return nil
    }
  }

  /// Whether one of certain events was accepted at any time.
  private func isAccepted(_ isMeant: (SenderLog.Sent) -> Bool) -> Bool {
    [world.senders, world.hostile.accounts.log, world.deviceEvents].contains { log in
      log.sent.contains { isMeant($0) && world.store.isAccepted($0) }
    }
  }

  /// The facts beside the match when an event was judged.
  private struct Circumstances {
    var blocks: Set<Block> = []
    var loads: [PlayerID: PlayerLoad] = [:]
    var absences: [PlayerID: Absence] = [:]
  }

  /// The facts at some time that can be the reason for a player's refusal.
  private func circumstances(
    of refusal: Refusal, to player: PlayerID, _ window: ClosedRange<Instant>
  ) -> [Circumstances] {
    switch refusal {
    case .blockedByYou(let other): return block(Block(player, other), window)
    case .playerUnavailable(let other):
      return block(Block(other, player), window) + load(of: other, window)
        + (world.store.absence(of: other) == .silenced
          ? [Circumstances(absences: [other: .silenced])] : [])
    case .rateLimited: return load(of: player, window)
    case .unknownPlayer(let other) where world.store.isGone(other):
      return [Circumstances(), Circumstances(absences: [other: .gone])]
    default: return [Circumstances()]
    }
  }

  private func block(_ block: Block, _ window: ClosedRange<Instant>) -> [Circumstances] {
    world.meetings.stood(block, in: window) ? [Circumstances(blocks: [block])] : []
  }

  private func load(of player: PlayerID, _ window: ClosedRange<Instant>) -> [Circumstances] {
    let most = world.meetings.mostMatches(of: player, in: window)
    return [Circumstances(loads: [player: PlayerLoad(total: most)])]
  }

  /// The matches of bots at some time that can be the reason for a player's refusal in a match of
  /// theirs.
  private func bots(
    of refusal: Refusal, to player: PlayerID, in match: MatchID, _ window: ClosedRange<Instant>
  ) -> [Circumstances] {
    switch refusal {
    case .rateLimited(.botMatches, _), .playerUnavailable, .turnLimitInvalid:
      (world.store.matches[match]?.occupants ?? []).flatMap { bot in
        world.meetings.loads(ofBot: bot, in: window).map {
          Circumstances(loads: [bot: PlayerLoad(bot: $0)])
        }
      }
    default: []
    }
  }

  private typealias State = (match: Match, since: Instant)

  /// The visible states of a match in a time. Nil: it did not exist.
  private func visible(_ history: [State], from: Instant, to: Instant) -> [Match?] {
    var states: [Match?] = []
    if history.first.map({ $0.since >= from }) ?? true { states.append(nil) }
    for (index, state) in history.enumerated() {
      let isStillThere = index + 1 == history.count || history[index + 1].since >= from
      if isStillThere, state.since <= to { states.append(state.match) }
    }
    return states
  }

  /// The visible states and, before each, those that only its batch saw.
  private func allStates(of id: MatchID, _ history: [State]) -> [State] {
    var replay = Replay(id: id)
    var states: [State] = []
    var entries = (world.store.entries[id] ?? [])[...]
    for state in history {
      while let entry = entries.first, entry.position < state.match.entryCount {
        entries.removeFirst()
        guard let content = try? PayloadCodec.decodeContent(entry.signed.payload),
          (try? replay.take(entry, content.replayed, words: Lexicon.everyWord)) != nil
        else { return states + [state] }
        if entry.position + 1 < state.match.entryCount, let match = replay.match {
          states.append((match, state.since))
        }
      }
      states.append(state)
    }
    return states
  }

  /// The judge's answer to an event after the earlier ones of its batch. Offers of a rematch are
  /// beside the record, so the states between two of them can be found only this way.
  private func judgedWithinBatch(
    _ event: Event, _ key: EventKey, _ circumstances: Circumstances
  ) -> Reply? {
    guard let match = event.match, let batch = world.batches.batch(with: key, about: match),
      var state = batch.before[match]
    else { return nil }
    for earlier in batch.events {
      guard earlier != key else {
        return judge(event, state, circumstances, now: batch.now).reply
      }
      guard let other = world.signed(earlier),
        let signed = try? Envelope.decode(other.body)
      else { continue }
      let before = other.event(of: world.identity.service)
      guard before.match == match else { continue }
      let judgement = Judge.judge(
        ReceivedEvent(event: before, signed: signed),
        context(before, state, Circumstances(), now: batch.now))
      state = judgement.changes.first { $0.after.id == match }?.after ?? state
    }
    return nil
  }

  private func judge(
    _ event: Event, _ state: Match?, _ circumstances: Circumstances, now: Instant
  ) -> Judgement {
    let signed = SignedPayload(key: world.identity.rootKey, signature: [], payload: [])
    return Judge.judge(
      ReceivedEvent(event: event, signed: signed),
      context(event, state, circumstances, now: now))
  }

  private func context(
    _ event: Event, _ state: Match?, _ circumstances: Circumstances, now: Instant
  ) -> JudgingContext {
    let store = world.store
    var matches: [MatchID: Match] = [:]
    if let state { matches[state.id] = state }
    for id in Judge.needs(of: event).matches.dropFirst() { matches[id] = store.matches[id] }
    let identity = world.identity
    var context = JudgingContext(
      now: now, clock: { _ in QueueClock() }, matches: matches,
      senderName: store.players[event.player]?.name, lexicons: world.lexicons,
      secret: identity.secret,
      sign: { identity.signer.sign($0, match: $1, service: identity.service) })
    (context.blocks, context.loads) = (circumstances.blocks, circumstances.loads)
    context.absences = circumstances.absences
    context.limits = world.limits
    return context
  }
}
