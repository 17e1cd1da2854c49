import MatchCore
import MatchInterfaces
import MatchWire

/// One delivery as far as it can be understood without asking the store.
struct DecodedDelivery {
  /// The outcome of reading a delivery.
  enum Content {
    /// An event with a valid signature of its key.
    case event(ReceivedEvent)
    /// A message that cannot be handled; the sender is told, if possible.
    case refused(Refusal, event: EventID?)
  }

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
    let signed: SignedPayload
    do throws(Refusal) {
      signed = try Envelope.decode(delivery.body)
    } catch {
      return .refused(error, event: nil)
    }
    let event: Event
    do throws(Refusal) {
      event = try PayloadCodec.decodeEvent(signed.payload)
    } catch {
      return .refused(error, event: PayloadCodec.eventID(of: signed.payload))
    }
    guard event.service == identity.service else {
      return .refused(.wrongService(identity.service), event: event.id)
    }
    let isFromService = event.isFromService
    if isFromService {
      guard event.player == identity.player else {
        return .refused(.notPermitted, event: event.id)
      }
    } else if let slot = Slot(of: event), layout.queue(of: slot) != delivery.queue {
      return .refused(.wrongSlot(expected: slot.number), event: event.id)
    }
    if isFromService, let match = event.match,
      layout.queue(of: Slot(of: match)) != delivery.queue
    {
      return .refused(.wrongSlot(expected: Slot(of: match).number), event: event.id)
    }
    if case .ticked(let tick) = event.action, tick.queue != delivery.queue {
      return .refused(.wrongSlot(expected: delivery.queue), event: event.id)
    }
    guard verifier.isValid(signed, isFromService ? .service : .event) else {
      return .refused(.badSignature, event: event.id)
    }
    return .event(ReceivedEvent(event: event, signed: signed))
  }
}
