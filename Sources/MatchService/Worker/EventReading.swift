package import MatchCore
package import MatchInterfaces
import MatchWire

/// An event's bytes as far as they can be judged without asking the store: cheap checks first. A
/// worker and a gateway refuse them alike.
package enum EventReading {
  /// The outcome of reading bytes.
  package enum Content {
    /// An event with valid signatures of its key and of the key that it brings in, if any.
    case event(ReceivedEvent)
    /// A message that cannot be handled; the sender is told, if possible.
    case refused(Refusal, event: EventID?)
  }

  /// Reads and verifies bytes. `place` refuses an event that came by a wrong way.
  package static func read(
    _ body: [UInt8], service: ServiceID, verifier: SignatureVerifier, place: (Event) -> Refusal?
  ) -> Content {
    let signed: SignedPayload
    do throws(Refusal) {
      signed = try Envelope.decode(body)
    } catch {
      return .refused(error, event: nil)
    }
    let event: Event
    do throws(Refusal) {
      event = try PayloadCodec.decodeEvent(signed.payload)
    } catch {
      return .refused(error, event: PayloadCodec.eventID(of: signed.payload))
    }
    guard event.service == service else {
      return .refused(.wrongService(service), event: event.id)
    }
    if let refusal = place(event) { return .refused(refusal, event: event.id) }
    if case .recoveryKeyNamed(let named) = event.action, !Ed25519.isAcceptable(named.key) {
      return .refused(.malformed("key is no key that can sign"), event: event.id)
    }
    guard verifier.isValid(signed, event.isFromService ? .service : .event) else {
      return .refused(.badSignature, event: event.id)
    }
    if let proof = event.newKeyProof(sender: signed.key), !verifier.isValid(proof, .newKey) {
      return .refused(.badSignature, event: event.id)
    }
    return .event(ReceivedEvent(event: event, signed: signed))
  }
}
