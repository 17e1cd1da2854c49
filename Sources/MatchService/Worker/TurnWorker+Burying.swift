import Logging
import MatchCore
import MatchInterfaces
import MatchWire

/// Events that a worker cannot handle.
extension TurnWorker {
  /// Keeps an event that could not be handled for a person to look at, and goes on. Strangers'
  /// messages are only counted.
  /// - Parameter damaged: The match whose damage is the reason; the event may name another one.
  func bury(
    _ intake: DecodedDelivery, reason: String, damaged: MatchID? = nil
  ) throws(Interruption) {
    let reason = damaged.map { "match \($0) is damaged: \(reason)" } ?? reason
    let delivery = intake.delivery
    var event: Event?
    if case .event(let received) = intake.content { event = received.event }
    try onStore { () throws(StoreError) in
      guard case .event(let received) = intake.content else { return }
      let event = received.event
      // A tick is of no use later, and the next one says more.
      if case .ticked = event.action { return store.abandon() }
      // The deadline of a damaged match is sent again as long as the match runs.
      if case .deadlinePassed = event.action, damaged != nil { return store.abandon() }
      var lookup = Lookup()
      lookup.keys = [received.signed.key]
      let known = try store.lookUp(lookup)
      let owner = known.keys[received.signed.key]
      guard event.isFromService || owner?.player == event.player && owner?.isRevoked == false else {
        return store.abandon()
      }
      var write = BatchWrite(now: known.now)
      write.dead = [
        DeadEvent(
          queue: delivery.queue, player: event.player, event: event.id, reason: reason,
          body: delivery.body)
      ]
      try store.commit(write)
    }
    try onBus(try bus.acknowledge(delivery.tag))
    // Not before: what fails above is done again.
    meters.countBuried()
    logBurial(of: delivery, event, damaged: damaged, reason: reason)
    guard let replyTo = delivery.replyTo, case .event(let received) = intake.content else { return }
    let body = ReplyCodec.encode(.refused(.unavailable), event: received.event.id)
    try onBus(
      try bus.publish([
        .reply(to: replyTo, correlationID: delivery.correlationID ?? "", body: body)
      ]))
  }

  private func logBurial(
    of delivery: EventDelivery, _ event: Event?, damaged: MatchID? = nil, reason: String
  ) {
    var metadata: Logger.Metadata = [
      "queue": .stringConvertible(delivery.queue), "reason": "\(reason)",
      "bytes": .stringConvertible(delivery.body.count),
      "hash": "\(Hash(sha256Of: delivery.body))",
    ]
    if let event {
      metadata["event"] = "\(event.id)"
      metadata["type"] = "\(event.action.typeName)"
      metadata["player"] = "\(event.player)"
      if let match = event.match { metadata["match"] = "\(match)" }
    }
    if let damaged { metadata["match"] = "\(damaged)" }
    log.error("event buried", metadata: delivery.trace.marks(metadata))
  }

  /// Gives up a message that ended one worker after another, without reading it. It is kept if it
  /// can be an event at all. Its signer is unknown.
  func bury(unread delivery: EventDelivery, lives: Int) throws(Interruption) {
    let reason =
      "delivered \(delivery.deliveryCount) times without an answer; \(lives) workers ended while they "
      + "judged it alone"
    if Envelope.sizes.contains(delivery.body.count) {
      try onStore { () throws(StoreError) in
        var write = BatchWrite(now: try store.lookUp(Lookup()).now)
        write.dead = [DeadEvent(unread: delivery, reason: reason)]
        try store.commit(write)
      }
    }
    try onBus(try bus.acknowledge(delivery.tag))
    meters.countBuried()
    logBurial(of: delivery, nil, reason: reason)
    guard let replyTo = delivery.replyTo else { return }
    let body = ReplyCodec.encode(.refused(.unavailable), event: nil)
    try onBus(
      try bus.publish([
        .reply(to: replyTo, correlationID: delivery.correlationID ?? "", body: body)
      ]))
  }
}
