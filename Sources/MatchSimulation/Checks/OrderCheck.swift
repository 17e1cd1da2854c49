import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Checks that the events of a match are judged in the order in which they arrived in its queue: no
/// event is answered while an earlier one still waits there.
struct OrderCheck {
  /// An event that was passed over, and the one that was judged before it.
  private struct Suspicion {
    var passedOver: Int
    var judged: EventKey
  }

  private var suspicions: [Suspicion] = []
  private var byBody: [[UInt8]: Int] = [:]
  private var byKey: [EventKey: Int] = [:]
  private var indexed = 0

  /// Looks at what waits at the moment when a batch has become true.
  mutating func committed(_ write: BatchWrite, _ world: World) {
    index(world.senders.sent)
    for reply in write.replies {
      guard let judged = byKey[reply.key].map({ world.senders.sent[$0] }),
        let match = match(of: judged, world),
        let serial = world.broker.arrivals.firstSerial(of: judged.body)
      else { continue }
      let queue = world.layout.queue(of: Slot(of: match))
      for message in world.broker.queues[queue].ready where message.serial < serial {
        guard let place = byBody[message.body] else { continue }
        let earlier = world.senders.sent[place]
        if self.match(of: earlier, world) == match, world.store.replies[earlier.key] == nil {
          suspicions.append(Suspicion(passedOver: place, judged: reply.key))
        }
      }
    }
  }

  /// What was passed over and judged in the end. What was refused for now had its turn before.
  func violations(_ world: World) -> [String] {
    suspicions.compactMap { suspicion in
      let sent = world.senders.sent[suspicion.passedOver]
      guard world.store.replies[sent.key]?.payloadHash == sent.payloadHash, !sent.wasRefusedForNow
      else { return nil }
      return "event \(suspicion.judged.event) was judged before event \(sent.key.event), "
        + "which was in the queue before it"
    }
  }

  private func match(of sent: SenderLog.Sent, _ world: World) -> MatchID? {
    Event(
      service: world.identity.service, id: sent.key.event, player: sent.key.player,
      action: sent.action
    ).match
  }

  private mutating func index(_ sent: [SenderLog.Sent]) {
    for place in indexed..<sent.count {
      byBody[sent[place].body] = place
      byKey[sent[place].key] = place
    }
    indexed = sent.count
  }
}
