public import MatchCore
import MatchInterfaces
public import MatchWire

extension Player {
  /// Sends a player's act, and waits for its reply.
  ///
  /// Pending events are sent first. If one of them is the same wish (see `Intent`), its reply is
  /// the answer and nothing new is sent. If one is about the same thing (see `Event.Subject`) and
  /// still without an answer, nothing new is sent either.
  ///
  /// - Returns: The reply, which may be a refusal; refusals are final.
  /// - Throws: `ClientError.unreachable` where the broker certainly does not have the event: it is
  ///   forgotten; `.pending` where there is no answer yet: the event is kept, and the caller has
  ///   nothing to remember; `.earlierPending` and others of `ClientError` where nothing was sent.
  public func send(_ action: Event.Action) throws(ClientError) -> ReceivedReply {
    try send(Intent(action)) { () throws(ClientError) in action }
  }

  /// Sends the pending events again, and reports each to `onNotice`. Callers that send nothing
  /// themselves call this first.
  ///
  /// Does nothing while another program of the profile holds the lock: that one is sending already.
  ///
  /// - Throws: `ClientError.unreachable` where the broker cannot be reached.
  public func resendPending() throws(ClientError) {
    do throws(ClientError) {
      try locked(patience: .zero) { () throws(ClientError) in
        _ = try resend(for: nil, try pendingNow())
      }
    } catch {
      guard case .profile(.lockHeld) = error else { throw error }
    }
  }

  /// Keeps a player's act without sending it, and asks the service nothing. The same act sends it, and
  /// so does any call that sends pending events.
  ///
  /// - Returns: Whether it is kept. A program that does not know its service yet cannot make an event.
  /// - Throws: `ClientError.earlierPending` where another wish about the same thing has no answer.
  package func keep(_ action: Event.Action) throws(ClientError) -> Bool {
    guard let service = profile.service, profile.rootKey != nil else { return false }
    return try locked { () throws(ClientError) in
      let intent = Intent(action)
      let pending = try pendingNow()
      if let earlier = pending.events.last(where: { $0.isAboutSame(as: intent) }) {
        if earlier.intent == intent, !pending.held.contains(earlier.id) { return true }
        throw .earlierPending(earlier, .unknown)
      }
      let event = Event(service: service, id: newID(), player: player, action: action)
      let new = try sign(event, Unsent(action: action))
      note(made: new)
      try Player.files(try store.savePending(new))
      write(new, .sent)
      return true
    }
  }

  /// From here on the same wish said again is one wish with an event only if that event's program has
  /// ended by now: commands that run at the same time are as many wishes.
  package func resumeOnlyEarlier() throws(ClientError) {
    let pending = try Player.files(try store.loadPending())
    for name in pending.damaged { onNotice(.damaged(file: name)) }
    earlier = Set(pending.free.map(\.id))
  }

  private func note(made event: PendingEvent) {
    if earlier != nil { made.insert(event.id) }
  }

  /// Whether an event may be the same wish as one that is said now.
  package func resumes(_ event: EventID) -> Bool {
    guard let earlier else { return true }
    return earlier.contains(event) || made.contains(event)
  }

  /// Whether an event has no answer yet.
  public func isPending(_ event: EventID) throws(ClientError) -> Bool {
    let pending = try Player.files(try store.loadPending())
    return pending.events.contains { $0.id == event }
  }

  /// Sends the action of `makeAction`, unless the same intent is pending.
  func send(
    _ intent: Intent?, _ makeAction: () throws(ClientError) -> Event.Action
  ) throws(ClientError) -> ReceivedReply {
    try deliver(intent) { () throws(ClientError) in Unsent(action: try makeAction()) }.reply
  }

  /// An event that is not made yet.
  struct Unsent {
    var action: Event.Action
    /// Nil: this player.
    var player: PlayerID?
    /// The code of an invitation of a device.
    var code: DeviceCode?
    /// Nil: this player's.
    var signer: Signer?
  }

  /// Sends the event of `make`, unless the same intent is pending. Gives the event that was
  /// answered.
  func deliver(
    _ intent: Intent?, _ make: () throws(ClientError) -> Unsent
  ) throws(ClientError) -> (event: PendingEvent, reply: ReceivedReply) {
    let service = try pinnedService()
    return try besideOthers(intent) { pending throws(ClientError) in
      switch try resend(for: intent, pending) {
      case (let event, .replied(let reply))? where reply.isLasting: return (event, reply)
      case (_, .pending(let event, let reason))?: throw .pending(event.id, reason)
      case (_, .replied(let reply))?: if reply.isAboutClock { _ = try? measureClock() }
      case nil: break
      }
      noticeSetClock()
      let unsent = try make()
      func sendNow() throws(ClientError) -> (event: PendingEvent, reply: ReceivedReply) {
        let event = Event(
          service: service, id: newID(), player: unsent.player ?? player, action: unsent.action)
        return try sendNew(sign(event, unsent))
      }
      let (event, reply) = try sendNow()
      // An event that was new and is refused for its time did not happen.
      guard reply.isAboutClock, isMended() else { return (event, reply) }
      untold.removeAll { $0.id == event.id }
      try Player.files(try store.removePending(event.id))
      return try sendNow()
    }
  }

  /// Does something under the profile's lock, once no other program that runs has an event about the
  /// same thing.
  ///
  /// - Throws: `ClientError.earlierPending` where one has it for too long.
  private func besideOthers<Value>(
    _ intent: Intent?, _ body: (PendingEvents) throws(ClientError) -> Value
  ) throws(ClientError) -> Value {
    let pause = Duration.milliseconds(100)
    var waited = Duration.zero
    while true {
      var other: PendingEvent?
      let value = try locked { () throws(ClientError) -> Value? in
        let pending = try pendingNow()
        other = pending.held(about: intent)
        return other == nil ? try body(pending) : nil
      }
      if let value { return value }
      if let other, waited >= patience.lock { throw .earlierPending(other, .unanswered) }
      clock.sleep(pause)
      waited += pause
    }
  }

  private func sendNew(
    _ pending: PendingEvent
  ) throws(ClientError) -> (event: PendingEvent, reply: ReceivedReply) {
    note(made: pending)
    try Player.files(try store.savePending(pending))
    write(pending, .sent)
    onInFlight(pending.id)
    defer { onInFlight(nil) }
    let resolution = try exchangeNew(pending)
    for (event, reply) in late.values.sorted(by: { $0.event.id < $1.event.id }) {
      try report(.replied(reply), of: event)
    }
    late = [:]
    switch resolution {
    case .replied(let reply):
      try hand(pending)
      return (pending, reply)
    case .pending(_, let reason): throw .pending(pending.id, reason)
    }
  }

  /// Sends an event for the first time, and forgets it where the broker certainly did not get it,
  /// so that it does not happen unasked later.
  private func exchangeNew(_ event: PendingEvent) throws(ClientError) -> Resolution {
    do throws(ClientError) {
      return try exchange(event, timeout: patience.reply)
    } catch {
      if case .unreachable = error {
        write(event, .unsent)
        try forget(event)
      }
      throw error
    }
  }

  /// Sends an event again that may have arrived before. It stays pending if the broker is
  /// unreachable now.
  private func exchangeAgain(
    _ event: PendingEvent, timeout: Duration
  ) throws(ClientError) -> Resolution {
    write(event, .resent)
    do throws(ClientError) {
      return try exchange(event, timeout: timeout)
    } catch {
      guard case .unreachable(let failure) = error else { throw error }
      return .pending(event, .bus(failure))
    }
  }

  private func sign(
    _ event: Event, _ unsent: Unsent
  ) throws(ClientError) -> PendingEvent {
    do throws(Refusal) {
      let envelope = Envelope.encode(try (unsent.signer ?? signer).sign(event))
      guard let pending = PendingEvent(event: event, envelope: envelope, code: unsent.code) else {
        throw Refusal.notPermitted
      }
      return pending
    } catch {
      throw .tooLarge(error.message)
    }
  }
}

extension Player {
  /// The events without an answer, apart from those whose answers were told.
  private func pendingNow() throws(ClientError) -> PendingEvents {
    try forgetTold()
    let pending = try Player.files(try store.loadPending())
    for name in pending.damaged { onNotice(.damaged(file: name)) }
    return pending
  }

  /// Sends the pending events, the oldest first. Gives the fate of the event with that intent, and
  /// reports the others.
  private func resend(
    for intent: Intent?, _ pending: PendingEvents
  ) throws(ClientError) -> (event: PendingEvent, resolution: Resolution)? {
    let events = pending.free
    guard !events.isEmpty else { return nil }
    let (resolutions, failure) = try exchange(events)
    // An old wish is no answer to the same wish said again, if another wish about the same thing
    // came between them.
    let newest = events.last { $0.isAboutSame(as: intent) }
    var wanted: (event: PendingEvent, resolution: Resolution)?
    var waiting: (event: PendingEvent, reason: PendingReason)?
    for (event, resolution) in resolutions {
      // The answer may have come during the wait for the answer to a later event.
      let resolution = late.removeValue(forKey: event.id).map { .replied($0.reply) } ?? resolution
      if event == newest, event.intent == intent, resumes(event.id) {
        wanted = (event, resolution)
        continue
      }
      try report(resolution, of: event)
      if event.isAboutSame(as: intent), case .pending(_, let reason) = resolution {
        waiting = waiting ?? (event, reason)
      }
    }
    // Without a connection no new event is sent: it must not happen unasked later.
    if let failure, wanted == nil { throw .unreachable(failure) }
    if let waiting, wanted == nil { throw .earlierPending(waiting.event, waiting.reason) }
    if let wanted, case .replied(let reply) = wanted.resolution {
      if reply.isLasting { try hand(wanted.event) } else { try forget(wanted.event) }
    }
    return wanted
  }

  /// Sends events one after the other, until there is no connection. Drops events that are too old,
  /// and postpones those that would overtake an earlier one.
  private func exchange(
    _ events: [PendingEvent]
  ) throws(ClientError) -> (resolutions: [(PendingEvent, Resolution)], failure: BusError?) {
    var resolutions: [(PendingEvent, Resolution)] = []
    let start = clock.uptimeNanoseconds()
    for event in events {
      if let reply = late[event.id]?.reply {
        resolutions.append((event, .replied(reply)))
        continue
      }
      if event.isExpired(at: now), isSureOfTime(), event.isExpired(at: now) {
        try drop(event)
        continue
      }
      if let earlier = resolutions.first(where: { isWaiting($0, before: event) })?.0 {
        resolutions.append((event, .pending(event, .behind(earlier.id))))
        continue
      }
      let resolution = try exchangeAgain(event, timeout: resendTimeout(since: start))
      resolutions.append((event, resolution))
      if case .pending(_, .bus(let error)) = resolution, error.isAboutConnection {
        return (resolutions, error)
      }
    }
    return (resolutions, nil)
  }

  private func isWaiting(
    _ earlier: (event: PendingEvent, resolution: Resolution), before event: PendingEvent
  ) -> Bool {
    guard case .pending = earlier.resolution, late[earlier.event.id] == nil else { return false }
    return earlier.event.isAboutSame(as: event.intent)
  }

  /// The rest of the time for resending, but enough for a service that is there to answer.
  private func resendTimeout(since start: UInt64) -> Duration {
    let spent = Duration.nanoseconds(Int64(clamping: clock.uptimeNanoseconds() &- start))
    return max(.milliseconds(500), patience.resend - spent)
  }

  /// Tells the fate of an event, and only then forgets it if it is answered.
  private func report(
    _ resolution: Resolution, of event: PendingEvent
  ) throws(ClientError) {
    switch resolution {
    case .replied(let reply):
      onNotice(.answered(event, reply))
      try forget(event)
    case .pending(_, let reason): onNotice(.stillPending(event, reason))
    }
  }

  private func drop(_ event: PendingEvent) throws(ClientError) {
    write(event, .dropped)
    onNotice(.dropped(event))
    try forget(event)
  }
}
