import MatchCore
import MatchWire

extension SimulatedBroker {
  /// What a player sees of one publication at once.
  enum Publication {
    /// On its way; confirm and reply may come.
    case sent
    /// The connection broke: it may have arrived or not.
    case cut
  }

  /// A player publishes an event.
  func publish(
    _ slot: Slot, _ body: [UInt8], correlationID: String, over link: Link
  ) -> Publication {
    guard link.isOpen else { return .cut }
    if faults.strikes(.lostConnection) {
      // Cut before or after the broker has it.
      if random.happens(0.5) {
        publishEvent(slot, body, replyTo: link.replyTo, correlationID: correlationID)
      }
      drop(link)
      return .cut
    }
    publishEvent(slot, body, replyTo: link.replyTo, correlationID: correlationID)
    if let time = confirmTime() { link.confirms.append((correlationID, time)) }
    return .sent
  }

  /// Takes the confirms and replies that have arrived.
  func collect(
    _ link: Link
  ) -> (confirms: [String], replies: [(correlationID: String, body: [UInt8])]) {
    let now = clock.now
    let confirms = link.confirms.filter { $0.at <= now }.map(\.correlationID)
    link.confirms.removeAll { $0.at <= now }
    let replies = link.replies
    link.replies = []
    return (confirms, replies)
  }
}
