extension Judge {
  /// A device of the player names a recovery key, which counts later. The present one again: none
  /// waits any more. A new player's first one counts at once.
  static func nameRecoveryKey(
    _ named: Event.RecoveryKeyNamed, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let keys = context.keys else { return .refused(.unavailable) }
    guard keys.speaking[received.signed.key] != nil else { return .refused(.keyRevoked) }
    let (time, before) = (context.playerTime, keys.recovery)
    var recovery = before.settled(context.playerClock)
    guard recovery.named?.key != named.key else {
      recovery.waiting = nil
      return set(recovery, from: before, at: time, received)
    }
    guard !context.isKeyKnown else { return .refused(.keyTaken) }
    let new = PlayerRecovery.Named(key: named.key, signed: received.signed)
    if recovery.named == nil, isNewcomer(received, keys, at: context.now) {
      (recovery.named, recovery.waiting) = (new, nil)
      return set(recovery, from: before, at: time, received)
    }
    guard recovery.waiting?.named.key != named.key else {
      return set(recovery, from: before, at: recovery.waiting?.deadline.at ?? time, received)
    }
    if let refusal = context.refusal(.recoveryKeys, since: recovery.namedAt) {
      return .refused(refusal)
    }
    let deadline = context.recoveryDeadline
    recovery.waiting = PlayerRecovery.Waiting(named: new, deadline: deadline)
    recovery.namedAt = time
    return set(recovery, from: before, at: deadline.at, received)
  }

  /// Whether an event is signed by the key that registered the player, soon after the registration.
  private static func isNewcomer(
    _ received: ReceivedEvent, _ keys: PlayerKeys, at now: Instant
  ) -> Bool {
    let signer = received.signed.key
    guard received.event.player == PlayerID(firstKey: signer),
      let registeredAt = keys.keys[signer]?.addedAt
    else { return false }
    return now < registeredAt.adding(seconds: PlayerRecovery.newcomerSeconds)
  }

  /// The recovery key asks for a new key of the player. It takes effect later.
  static func recover(
    _ recovered: Event.PlayerRecovered, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let keys = context.keys, keys.name != nil else { return .refused(.notRecoverable) }
    var recovery = keys.recovery.settled(context.playerClock)
    guard recovery.named?.key == received.signed.key else { return .refused(.notRecoverable) }
    if let pending = recovery.pending {
      return .refused(.recoveryPending(until: pending.deadline.at))
    }
    guard !context.isKeyKnown, recovered.key != received.signed.key else {
      return .refused(.keyTaken)
    }
    guard keys.lifetimeCount < PlayerKeys.recoveredLimit else {
      return .refused(.rateLimited(.keysInAll, retryAfterSeconds: nil))
    }
    if let refusal = context.refusal(.recoveries, since: recovery.begunAt) {
      return .refused(refusal)
    }
    let deadline = context.recoveryDeadline
    recovery.begunAt = context.playerTime
    recovery.pending = PlayerRecovery.Pending(
      recovery: received.event.id, key: recovered.key, signed: received.signed,
      begunAt: context.playerTime, deadline: deadline)
    return set(recovery, from: keys.recovery, at: deadline.at, received)
  }

  /// Any device of the player delays a recovery, but all of them together only once: a thief with a
  /// device cannot stop it.
  static func object(
    _ objected: Event.RecoveryObjected, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let keys = context.keys else { return .refused(.unavailable) }
    guard keys.speaking[received.signed.key] != nil else { return .refused(.keyRevoked) }
    guard var pending = keys.recovery.pending, pending.recovery == objected.recovery else {
      return .refused(.noRecovery)
    }
    guard pending.objector == nil else { return .refused(.alreadyObjected) }
    pending.objector = received.signed.key
    pending.deadline.at = pending.deadline.at.adding(seconds: PlayerRecovery.seconds)
    var recovery = keys.recovery
    recovery.pending = pending
    return set(recovery, from: keys.recovery, at: pending.deadline.at, received)
  }

  /// The recovery key stops its recovery. An owner with a device, too, can then name another key, and
  /// so is rid of a thief who knows this one.
  static func withdraw(
    _ withdrawn: Event.RecoveryWithdrawn, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let keys = context.keys, keys.recovery.named?.key == received.signed.key else {
      return .refused(.notRecoverable)
    }
    guard keys.recovery.pending?.recovery == withdrawn.recovery else {
      return .refused(.noRecovery)
    }
    var recovery = keys.recovery
    recovery.pending = nil
    return .changing(
      .recoverySet(RecoveryChange(player: received.event.player, after: recovery)),
      .accepted(.noted), by: received.event)
  }

  /// A recovery takes effect: its key speaks for the player, every other one no more. If the key is
  /// somebody's by now, the recovery is over without effect.
  static func finishRecovery(
    _ due: Event.RecoveryDue, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let keys = context.keys, let name = keys.name, let named = keys.recovery.named,
      let pending = keys.recovery.pending, pending.recovery == due.recovery,
      pending.key == due.key, pending.deadline.at == due.due, pending.isDue(context.playerClock),
      let sign = context.signRecovery
    else { return .refused(.noRecovery) }
    var recovery = keys.recovery
    recovery.pending = nil
    guard !context.isKeyKnown else {
      return .changing(
        .recoverySet(RecoveryChange(player: due.of, after: recovery)), .refused(.keyTaken),
        by: received.event)
    }
    recovery.waiting = nil
    let statement = RecoveryStatement(
      player: due.of, key: due.key, recovery: due.recovery, begunAt: pending.begunAt,
      queueTime: context.playerClock.time ?? context.now,
      creditMicroseconds: context.playerClock.credit(
        since: pending.deadline, setAt: pending.begunAt),
      statedAt: context.now)
    let key = RecoveredKey(
      player: due.of, name: name, key: due.key, at: context.now,
      origin: [named.signed, pending.signed, sign(statement)],
      removed: keys.speaking.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) },
      after: recovery)
    return .changing(.recovered(key), .accepted(.noted), by: received.event)
  }

  private static func set(
    _ after: PlayerRecovery, from before: PlayerRecovery, at time: Instant,
    _ received: ReceivedEvent
  ) -> Judgement {
    let reply = Reply.accepted(.recoverySet(at: time))
    guard after != before else { return Judgement(reply: reply) }
    let change = RecoveryChange(player: received.event.player, after: after)
    return .changing(.recoverySet(change), reply, by: received.event)
  }
}

extension Refusal {
  /// The key that an event names speaks for a player, or did.
  fileprivate static let keyTaken = Refusal.malformed("its key is a player's; make another one")
}

extension JudgingContext {
  /// The time at which something that is asked for now counts.
  fileprivate var recoveryDeadline: Deadline {
    Deadline(
      at: playerTime.adding(seconds: PlayerRecovery.seconds),
      creditMicroseconds: playerClock.creditMicroseconds)
  }

  /// Why it is too soon after the last one.
  fileprivate func refusal(_ limit: PlayerLimits.Key, since last: Instant?) -> Refusal? {
    let pause = PlayerRecovery.pauseSeconds
    guard let end = last?.adding(seconds: pause), end > playerTime else { return nil }
    return .rateLimited(
      limit, retryAfterSeconds: Judge.seconds(until: end, from: playerTime, atMost: pause))
  }
}
