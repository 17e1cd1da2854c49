extension Judge {
  /// A device of the player invites another one.
  static func invite(
    _ invited: Event.DeviceInvited, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let keys = context.keys else { return .refused(.unavailable) }
    // Under the lock of the player's keys it may turn out that the key has been removed.
    guard keys.speaking[received.signed.key] != nil else { return .refused(.keyRevoked) }
    guard !context.isInvitationKnown else {
      return .refused(.malformed("its code was used before; make another one"))
    }
    if let refusal = keys.refusalToAdd(at: context.now) { return .refused(refusal) }
    let time = context.playerTime
    let open = keys.open(at: time)
    guard open.count < PlayerKeys.invitationLimit else {
      let end = open.map { $0.until }.min() ?? time
      return .refused(
        .rateLimited(
          .deviceInvitations,
          retryAfterSeconds: seconds(until: end, from: time, atMost: DeviceInvitation.seconds)))
    }
    let until = time.adding(seconds: DeviceInvitation.seconds)
    let invitation = DeviceInvitation(
      player: received.event.player, hash: invited.invitation, until: until,
      signed: received.signed)
    return .changing(
      .invited(invitation), .accepted(.deviceInvited(until: until)), by: received.event)
  }

  /// A key shows the code of an invitation. All that is wrong with a code has one name, so that a
  /// stranger finds nothing out by it.
  static func addKey(
    _ added: Event.KeyAdded, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    let event = received.event
    if let name = context.senderName { return .refused(.alreadyRegistered(name: name.text)) }
    let hash = added.code.hash(at: event.service)
    let open = context.keys?.open(at: context.playerTime).first { $0.hash == hash }
    guard let keys = context.keys, let name = keys.name, let invitation = open else {
      return .refused(.deviceCodeInvalid)
    }
    if let refusal = keys.refusalToAdd(at: context.now) { return .refused(refusal) }
    let key = AddedKey(
      player: event.player, name: name, key: received.signed.key, at: context.now,
      invitation: hash, origin: [invitation.signed, received.signed])
    return .changing(.added(key), .accepted(.keyAdded(event.player, name)), by: event)
  }

  /// A key of the player removes one of the player's keys, perhaps itself. One stays.
  static func removeKey(
    _ removed: Event.KeyRemoved, _ received: ReceivedEvent, _ context: JudgingContext
  ) -> Judgement {
    guard let keys = context.keys else { return .refused(.unavailable) }
    let speaking = keys.speaking
    guard speaking[received.signed.key] != nil else { return .refused(.keyRevoked) }
    guard speaking[removed.key] != nil else { return .refused(.keyUnknown) }
    guard speaking.count > 1 else { return .refused(.lastKey) }
    let key = RemovedKey(
      player: received.event.player, key: removed.key, remover: received.signed.key,
      at: context.now)
    return .changing(.removed(key), .accepted(.keyRemoved(removed.key)), by: received.event)
  }

  /// The whole seconds until a time, at least one.
  static func seconds(until end: Instant, from now: Instant, atMost limit: Int64) -> Int64 {
    min(max(1, (end.microseconds(since: now) + 999_999) / 1_000_000), limit)
  }
}

extension PlayerKeys {
  /// Why no key may be added to the player now.
  fileprivate func refusalToAdd(at now: Instant) -> Refusal? {
    if speaking.count >= PlayerKeys.limit { return .rateLimited(.keys, retryAfterSeconds: nil) }
    if lifetimeCount >= PlayerKeys.lifetimeLimit {
      return .rateLimited(.keysInAll, retryAfterSeconds: nil)
    }
    let day: Int64 = 86_400
    let oldest = now.adding(seconds: -day)
    let late = keys.values.map { $0.addedAt }.filter { $0 > oldest }
    guard late.count >= PlayerKeys.dailyLimit, let first = late.min() else { return nil }
    return .rateLimited(
      .keysPerDay,
      retryAfterSeconds: Judge.seconds(until: first.adding(seconds: day), from: now, atMost: day))
  }
}

extension JudgingContext {
  /// The time in the sender's queue: the store's clock, but never before the time of the queue. So
  /// nothing is good for longer if the clock is set back.
  var playerTime: Instant { max(now, playerClock.time ?? now) }
}
