import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedBroker {
  /// What a player sees of one publication at once.
  enum Sending {
    /// On its way; confirm and reply may come.
    case sent
    /// The connection broke: it may have arrived or not.
    case cut
    /// An alarm is on: it was not sent.
    case blocked
  }

  /// The largest message that the broker takes, in bytes.
  static let messageByteLimit = 131_072

  /// A player publishes something; a query is worth nothing after its time.
  func publish(
    _ message: PlayerMessage, correlationID: String, timeout: Duration, over link: Link
  ) -> Sending {
    guard link.isOpen else { return .cut }
    guard message.body.count <= SimulatedBroker.messageByteLimit else {
      // The broker ends the channel of who sends more than it takes.
      drop(link)
      return .cut
    }
    let (target, sent) = addressed(
      message, timeout, replyTo: link.replyTo, correlationID)
    let isCut = faults.strikes(.lostConnection)
    // Cut before or after the broker has it.
    if isCut, random.happens(0.5) {
      drop(link)
      return .cut
    }
    do throws(Obstacle) {
      let receipt = try publish(target, sent, from: link)
      link.requests.append((correlationID, receipt))
    } catch {
      return error == .blocked ? .blocked : .cut
    }
    guard isCut else { return .sent }
    drop(link)
    return .cut
  }

  private func addressed(
    _ message: PlayerMessage, _ timeout: Duration, replyTo: String, _ correlationID: String
  ) -> (Target, Message) {
    var sent = Message(body: message.body, replyTo: replyTo, correlationID: correlationID)
    switch message.destination {
    case .events(let slot): return (.events(layout.queue(of: slot)), sent)
    case .queries:
      sent.expiresAt = clock.now.adding(timeout)
      return (.queries, sent)
    }
  }

  /// Takes the confirms, refusals and replies that have arrived.
  func collect(
    _ link: Link
  ) -> (
    confirms: [String], refusals: [String], replies: [(correlationID: String, body: [UInt8])]
  ) {
    let now = clock.now
    var (confirms, refusals): ([String], [String]) = ([], [])
    link.requests.removeAll { request in
      guard let verdict = request.receipt.verdict(at: now) else { return false }
      if verdict == .confirmed {
        confirms.append(request.correlationID)
      } else {
        refusals.append(request.correlationID)
      }
      return true
    }
    let replies = link.replies.filter { $0.at <= now }.map { ($0.correlationID, $0.body) }
    link.replies.removeAll { $0.at <= now }
    return (confirms, refusals, replies)
  }

  /// Hands a reply to whom it is for, if there is still somebody.
  func reply(to address: String, correlationID: String, body: [UInt8], at time: Instant) {
    guard let link = links[address] else { return }
    var time = time
    if faults.strikes(.delay) {
      time = time.adding(microseconds: Int64(random.number(in: 10_000...8_000_000)))
    }
    link.replies.append((correlationID, body, time))
  }
}

extension Instant {
  /// The time so much later.
  func adding(_ duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    return adding(microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }
}
