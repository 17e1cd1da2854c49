import MatchCore
import MatchInterfaces
import MatchWire

/// The senders' own log: every event that was sent, whether it was confirmed, and what was
/// answered. It is what the service's store is compared with.
final class SenderLog {
  /// What a sender knows of an event.
  enum Stage {
    /// Sent, and to be sent again should no answer come by then.
    case waiting(until: Instant)
    /// Answered for good.
    case answered
    /// Its sender does not ask for it any more.
    case abandoned
  }

  /// One event as its sender knows it.
  struct Sent {
    var key: EventKey
    var action: Event.Action
    var slot: Slot
    var payloadHash: Hash
    var body: [UInt8]
    var stage: Stage
    /// Whether the broker said that it has it.
    var isConfirmed = false
    /// Whether it was answered by a refusal that is never stored.
    var wasRefusedForNow = false
    /// The answers that count, each once.
    var replies: [[UInt8]] = []
    /// When the first answer that counts arrived.
    var answeredAt: Instant?

    var isWaiting: Bool {
      if case .waiting = stage { true } else { false }
    }
  }

  private(set) var sent: [Sent] = []

  /// Notes an event before it is sent.
  func add(_ event: Event, _ signed: SignedPayload, slot: Slot, until: Instant) -> Int {
    sent.append(
      Sent(
        key: EventKey(player: event.player, event: event.id), action: event.action, slot: slot,
        payloadHash: Hash(sha256Of: signed.payload), body: Envelope.encode(signed),
        stage: .waiting(until: until)))
    return sent.count - 1
  }

  func update(_ index: Int, _ change: (inout Sent) -> Void) { change(&sent[index]) }

  /// Confirmed events that are nowhere: neither answered in the store nor in a queue, dead events
  /// or dead letters, nor refused by a kind that is never stored.
  ///
  /// Left out is what may be refused for now without anybody hearing of it: a registration, since
  /// what a stranger signed and nobody could handle is dropped, and an invitation, since the one
  /// that it crosses may have been accepted just then.
  func lost(store: SimulatedStore, broker: SimulatedBroker) -> [Sent] {
    let isMissing = { (sent: Sent) -> Bool in
      switch sent.action {
      case .playerRegistered: return false
      case .matchRequested(let request):
        if case .player = request.opponent { return false }
      default: break
      }
      return sent.isConfirmed && !sent.wasRefusedForNow && store.replies[sent.key] == nil
    }
    var missing = sent.indices.filter { isMissing(sent[$0]) }
    guard !missing.isEmpty else { return [] }
    let messages = broker.eventMessages + broker.dead
    let somewhere = Set(messages.compactMap { $0.correlationID.flatMap { Int($0) } })
    missing.removeAll { somewhere.contains($0) }
    let dead = Set(store.deadEvents.map { EventKey(player: $0.player, event: $0.event) })
    return missing.map { sent[$0] }.filter { !dead.contains($0.key) }
  }
}
