import MatchCore
import MatchInterfaces
import MatchWire

/// One delivery as far as it can be understood without asking the store.
struct DecodedDelivery {
  typealias Content = EventReading.Content

  let delivery: EventDelivery
  let content: Content
  /// The look-ups that judging an event needs; none if it is refused.
  let needs: Judge.Needs

  /// Reads and verifies a delivery: cheap checks first.
  init(
    _ delivery: EventDelivery, identity: ServiceIdentity, layout: QueueLayout,
    verifier: SignatureVerifier
  ) {
    self.delivery = delivery
    content = DecodedDelivery.content(of: delivery, identity, layout, verifier)
    if case .event(let received) = content {
      needs = Judge.needs(of: received.event)
    } else {
      needs = Judge.Needs()
    }
  }

  private static func content(
    of delivery: EventDelivery, _ identity: ServiceIdentity, _ layout: QueueLayout,
    _ verifier: SignatureVerifier
  ) -> Content {
    EventReading.read(delivery.body, service: identity.service, verifier: verifier) { event in
      if delivery.mayHaveOvertaken { return .overtaking(priority: delivery.priority ?? 0) }
      return refusal(of: event, in: delivery.queue, identity, layout)
    }
  }

  /// Whether the event's sender may say such a thing, and whether the queue is the right one.
  private static func refusal(
    of event: Event, in queue: Int, _ identity: ServiceIdentity, _ layout: QueueLayout
  ) -> Refusal? {
    let isFromService = event.isFromService
    if isFromService {
      guard event.player == identity.player else { return .notPermitted }
    } else if let slot = Slot(of: event), layout.queue(of: slot) != queue {
      return .wrongSlot(expected: slot.number)
    }
    if isFromService, let match = event.match, layout.queue(of: Slot(of: match)) != queue {
      return .wrongSlot(expected: Slot(of: match).number)
    }
    if case .ticked(let tick) = event.action, tick.queue != queue {
      return .wrongSlot(expected: queue)
    }
    return nil
  }
}

extension Refusal {
  /// The time of a queue comes by ticks in it, so what overtakes a tick would count as earlier than it
  /// came. Never stored: anybody may publish a copy of somebody else's event with a priority.
  fileprivate static func overtaking(priority: UInt8) -> Refusal {
    let most = EventDelivery.highestPriorityInOrder
    return .malformed("its message has priority \(priority), and \(most) is the most")
  }
}
