import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Checks that a queue is judged in the order of arrival. No event is answered, and no tick lets
/// time pass, while an earlier event of a match still waits there.
struct OrderCheck {
  /// An event that was passed over, and the later one that was judged before it.
  private struct Suspicion {
    var passedOver: Int
    var judged: String
  }

  private var suspicions: [Suspicion] = []

  /// Looks at the waiting events at the moment of a commit.
  mutating func committed(_ write: BatchWrite, _ world: World) {
    var newest: [Int: (serial: Int, name: String)] = [:]
    for reply in write.replies {
      guard let judged = world.senders.event(reply.key),
        let serial = world.broker.arrivals.firstSerial(of: judged.body),
        let slot = Slot(of: judged.event(of: world.identity.service))
      else { continue }
      let queue = world.layout.queue(of: slot)
      if serial > newest[queue]?.serial ?? 0 {
        newest[queue] = (serial, "event \(reply.key.event)")
      }
    }
    for queue in Set(newest.keys).union(write.clocks.keys) {
      let waiting = waiting(in: queue, world)
      guard !waiting.isEmpty else { continue }
      if let time = write.clocks[queue]?.after.time,
        let serial = serial(ofTick: time, in: queue, world),
        serial > newest[queue]?.serial ?? 0
      {
        newest[queue] = (serial, "the tick of \(time)")
      }
      guard let judged = newest[queue] else { continue }
      for (place, serial) in waiting where serial < judged.serial {
        suspicions.append(Suspicion(passedOver: place, judged: judged.name))
      }
    }
  }

  /// The events that were passed over and judged in the end. Events that may have been refused for
  /// now are left out: they had their turn before.
  func violations(_ world: World) -> [String] {
    suspicions.compactMap { suspicion in
      let sent = world.senders.sent[suspicion.passedOver]
      guard world.store.replies[sent.key]?.payloadHash == sent.payloadHash,
        !sent.wasRefusedForNow, !sent.mayBeRefusedForNow
      else { return nil }
      return "\(suspicion.judged) was judged before event \(sent.key.event), "
        + "which was in the queue before it"
    }
  }

  /// The events of matches that wait in a queue without an answer, with their places in the order
  /// of arrival.
  private func waiting(in queue: Int, _ world: World) -> [(place: Int, serial: Int)] {
    world.broker.queues[queue].ready.compactMap { message in
      guard let place = world.senders.index(of: message.body) else { return nil }
      let sent = world.senders.sent[place]
      guard sent.event(of: world.identity.service).match != nil,
        world.store.replies[sent.key] == nil
      else { return nil }
      return (place, message.serial)
    }
  }

  private func serial(ofTick time: Instant, in queue: Int, _ world: World) -> Int? {
    let arrivals = world.broker.arrivals
    let tick = arrivals.messages[queue, default: []].last { message in
      guard message.replyTo == nil, let signed = try? Envelope.decode(message.body),
        let event = try? PayloadCodec.decodeEvent(signed.payload),
        case .ticked(let tick) = event.action
      else { return false }
      return tick.queue == queue && tick.time == time
    }
    // It may have arrived more than once.
    return tick.flatMap { arrivals.firstSerial(of: $0.body) }
  }
}
