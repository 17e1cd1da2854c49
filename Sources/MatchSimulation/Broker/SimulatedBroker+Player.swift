import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// The arrivals over a player's connection.
  struct CollectedMessages {
    var confirms: [String] = []
    var refusals: [String: BusError] = [:]
    var replies: [(correlationID: String, body: [UInt8])] = []

    /// The answer to a request. Only the reply to this request is its reply.
    func answer(to id: String) throws(BusError) -> PlayerAnswer {
      if let reply = replies.first(where: { $0.correlationID == id }) { return .reply(reply.body) }
      if let refusal = refusals[id] { throw refusal }
      return confirms.contains(id) ? .confirmed : .unknown
    }
  }

  /// The largest message that the broker takes, in bytes.
  static let messageByteLimit = 131_072

  /// A player publishes a message. A query is worthless after its time.
  /// - Returns: Whether it is under way. If not, the connection broke, and it may or may not have
  ///   arrived.
  /// - Throws: `refused` if the broker certainly does not have it.
  func publish(
    _ message: PlayerMessage, correlationID: String, timeout: Duration, over link: Link
  ) throws(BusError) -> Bool {
    var sent = Message(
      body: message.body, replyTo: link.replyTo, correlationID: correlationID)
    if message.destination == .queries { sent.expiresAt = clock.now.adding(timeout) }
    return try publish(sent, to: message.destination, correlationID, over: link)
  }

  /// Publishes a message with any properties. Answers come under its correlation id, or under an
  /// empty one.
  /// - Returns: Whether it is under way, as above.
  /// - Throws: `refused` if the broker certainly does not have it.
  func publish(
    _ message: PlayerMessage, with properties: SenderProperties, over link: Link
  ) throws(BusError) -> Bool {
    let lifetime: Duration?
    switch properties.lifetime {
    case .success(let duration): lifetime = duration
    case .failure:
      drop(link)
      throw .refused("the expiration is no number of milliseconds")
    }
    let sent = Message(
      body: message.body, replyTo: properties.replyTo, correlationID: properties.correlationID,
      priority: properties.priority, headers: properties.headers, lifetime: lifetime)
    return try publish(
      sent, to: message.destination, properties.correlationID ?? "", over: link)
  }

  private func publish(
    _ message: Message, to destination: PlayerMessage.Destination, _ correlationID: String,
    over link: Link
  ) throws(BusError) -> Bool {
    guard link.isOpen else { return false }
    guard message.body.count <= SimulatedBroker.messageByteLimit else {
      // The broker ends the channel of a sender that exceeds its limit.
      drop(link)
      throw .refused("the message is larger than the broker takes")
    }
    let target: Target
    switch destination {
    case .events(let slot): target = .events(layout.queue(of: slot))
    case .queries: target = .queries
    }
    return try publish(message, to: target, correlationID, over: link)
  }

  /// Publishes a message of a size that the broker takes.
  func publish(
    _ message: Message, to target: Target, _ correlationID: String, over link: Link
  ) throws(BusError) -> Bool {
    guard link.isOpen else { return false }
    let isCut = faults.strikes(.lostConnection)
    // Cut before or after the broker has it.
    if isCut, random.happens(0.5) {
      drop(link)
      return false
    }
    do throws(Obstacle) {
      let receipt = try publish(target, message, from: link)
      link.requests.append((correlationID, receipt))
    } catch {
      guard error == .blocked else { return false }
      throw .refused("an alarm is on")
    }
    guard isCut else { return true }
    drop(link)
    return false
  }

  /// Takes the confirms, refusals and replies that have arrived.
  func collect(_ link: Link) -> CollectedMessages {
    let now = clock.now
    var arrivals = CollectedMessages()
    link.requests.removeAll { request in
      guard let verdict = request.receipt.verdict(at: now) else { return false }
      switch verdict {
      case .confirmed: arrivals.confirms.append(request.correlationID)
      case .refused: arrivals.refusals[request.correlationID] = .refused("the queue is full")
      case .returned:
        arrivals.refusals[request.correlationID] = .unroutable("no queue takes the message")
      }
      return true
    }
    arrivals.replies = link.replies.filter { $0.at <= now }.map { ($0.correlationID, $0.body) }
    link.replies.removeAll { $0.at <= now }
    return arrivals
  }

  /// Hands a reply to its receiver, if there still is one.
  func reply(to address: String, correlationID: String, body: [UInt8], at time: Instant) {
    guard let link = links[address] else { return }
    var time = time
    if faults.strikes(.delay) {
      time = time.adding(microseconds: Int64(random.number(in: 10_000...8_000_000)))
    }
    link.replies.append((correlationID, body, time))
  }
}

extension SimulatedBroker.Link {
  /// Whether there is nothing left to wait for: there is a reply or a refusal, or the connection is
  /// gone.
  func hasWord(on id: String, at now: Instant) -> Bool {
    !isOpen || replies.contains { $0.correlationID == id && $0.at <= now }
      || requests.contains {
        $0.correlationID == id && ($0.receipt.verdict(at: now) ?? .confirmed) != .confirmed
      }
  }
}

extension Instant {
  /// The time after a duration.
  func adding(_ duration: Duration) -> Instant {
    adding(microseconds: duration.wholeMicroseconds)
  }
}
