import MatchCore
import MatchInterfaces
public import MatchWire

extension Player {
  /// The fate of an event that was sent.
  enum Resolution {
    case replied(ReceivedReply)
    case pending(PendingEvent, PendingReason)
  }

  /// Sends an event until it is answered, or until this call can hope for no answer. The event is
  /// kept even if it is answered: the caller forgets it after telling the answer.
  ///
  /// - Throws: `ClientError.unreachable` where the broker certainly did not get it by this call.
  func exchange(_ event: PendingEvent, timeout: Duration) throws(ClientError) -> Resolution {
    var reason = PendingReason.unknown
    for attempt in 1...max(1, patience.attempts) {
      switch request(event, timeout: timeout) {
      case .failed(.bus(let error)) where attempt == 1: throw .unreachable(error)
      case .failed(let reason): return .pending(event, reason)
      case .received(let id, let reply) where id != nil && id != event.id:
        try completeLate(id, reply)
        reason = .foreignReply
      case .received(_, let reply) where reply.isUnavailable:
        reason = .unavailable
        if attempt < patience.attempts { backOff(attempt: attempt) }
      // A copy may still be on its way, so that a new event would be a second wish.
      case .received(_, .refused(_, _, .rateLimited(.eventsPerMinute, let seconds)?)):
        return .pending(event, .rateLimited(retryAfterSeconds: seconds))
      case .received(_, let reply):
        try complete(event, reply)
        return .replied(reply)
      }
    }
    return .pending(event, reason)
  }

  private enum Response {
    case received(EventID?, ReceivedReply)
    case failed(PendingReason)
  }

  private func request(_ event: PendingEvent, timeout: Duration) -> Response {
    let message = PlayerMessage(destination: .events(event.slot), body: event.envelope)
    let answer: PlayerAnswer
    do throws(BusError) {
      answer = try bus.request(message, timeout)
    } catch {
      return .failed(.bus(error))
    }
    guard case .reply(let bytes) = answer else {
      return .failed(answer == .confirmed ? .unanswered : .unknown)
    }
    do throws(ReplyFault) {
      let (id, reply) = try ReplyCodec.decode(bytes)
      return .received(id, reply)
    } catch {
      return .failed(.unreadable(error))
    }
  }

  private func complete(_ event: PendingEvent, _ reply: ReceivedReply) throws(ClientError) {
    switch reply {
    case .accepted(let acceptance):
      switch acceptance {
      case .registered(let id, let name) where event.event.player == player:
        try remember { ($0.player, $0.name) = (id, name) }
      case .keyAdded(let id, let name) where event.event.player == id:
        // Its copies have to name the player, too. The key is first: a program that ends between the
        // two asks again, and a copy is never one without a player.
        if let key = try Player.files(try store.loadKey()) {
          try Player.files(try store.saveKey(key.speaking(for: id)))
        }
        try remember { ($0.player, $0.name) = (id, name) }
      default: break
      }
      write(event, .accepted, receipt: Receipt(acceptance))
    case .refused(let name, _, _): write(event, .refused, refusal: name)
    }
  }

  /// Forgets an event whose answer has been told. If the program ends before, the next one asks for
  /// the answer again, and gets the same.
  func forget(_ event: PendingEvent) throws(ClientError) {
    try Player.files(try store.removePending(event.id))
    made.remove(event.id)
  }

  /// Forgets the events whose answers earlier calls have returned, see `keepsUntilTold`. To be
  /// called when the answers were told.
  ///
  /// - Throws: `ClientError.profile` where a file cannot be removed: that answer is told again.
  public func forgetTold() throws(ClientError) {
    while let event = untold.last {
      try forget(event)
      untold.removeLast()
    }
  }

  /// The answer to an event is about to be returned.
  func hand(_ event: PendingEvent) throws(ClientError) {
    guard keepsUntilTold else { return try forget(event) }
    untold.append(event)
  }

  /// A reply to another event than the sent one. If that event is pending, it is answered now.
  private func completeLate(_ id: EventID?, _ reply: ReceivedReply) throws(ClientError) {
    let pending = try Player.files(try store.loadPending())
    guard let event = pending.events.first(where: { $0.id == id }), !reply.isForNow,
      late[event.id] == nil
    else { return }
    try complete(event, reply)
    late[event.id] = (event, reply)
  }

  /// Writes the journal; its loss hinders nothing.
  func write(
    _ event: PendingEvent, _ what: JournalLine.What, refusal: String? = nil,
    receipt: Receipt? = nil
  ) {
    do throws(ProfileError) {
      try store.journal(
        JournalLine(
          at: clock.now(), event: event.id, type: event.event.action.typeName, what: what,
          refusal: refusal, receipt: receipt))
    } catch {
      onNotice(.journalFailed(error))
    }
  }
}

extension ReceivedReply {
  /// Whether the service could not say, so that the same event may be sent again.
  var isUnavailable: Bool {
    if case .refused(_, _, .unavailable?) = self { true } else { false }
  }

  /// Whether the same event is to be sent again, so that this is no answer to it.
  var isForNow: Bool {
    if case .refused(_, _, .rateLimited(.eventsPerMinute, _)?) = self {
      true
    } else {
      isUnavailable
    }
  }

  /// Whether the reply is about the request itself; a complaint about the clock and the like holds
  /// for one attempt only.
  public var isLasting: Bool {
    switch self {
    case .accepted: true
    case .refused(_, _, let refusal): !(refusal?.isAboutAttempt ?? false)
    }
  }
}

extension BusError {
  /// Whether nothing at all can be sent at the moment.
  var isAboutConnection: Bool {
    switch self {
    case .disconnected, .notPermitted, .unroutable, .unavailable: true
    case .refused, .timedOut: false
    }
  }
}
