import MatchCore
import MatchInterfaces

extension Life {
  /// A worker's store as this process reaches it.
  func worker(_ raw: WorkerStore, _ bug: PlantedBug?) -> WorkerStore {
    WorkerStore(
      lookUp: { lookup throws(StoreError) in
        try self.onStore("looks up") { () throws(StoreError) in try raw.lookUp(lookup) }
      },
      settle: { claims throws(StoreError) in
        try self.onStore("settles") { () throws(StoreError) in try raw.settle(claims) }
      },
      commit: { write throws(StoreError) in
        var write = write
        if bug == .replyNotStored { write.replies = [] }
        guard bug == .outboxOutsideTransaction, !write.outbox.isEmpty else {
          return try self.onWrite("commits") { () throws(StoreError) in try raw.commit(write) }
        }
        var later = BatchWrite(now: write.now)
        later.outbox = write.outbox
        write.outbox = []
        try self.onWrite("commits") { () throws(StoreError) in try raw.commit(write) }
        try self.onWrite("commits") { () throws(StoreError) in try raw.commit(later) }
      },
      abandon: { if !self.isDead { raw.abandon() } },
      heartbeat: { id throws(StoreError) in
        try self.onWrite("lives") { () throws(StoreError) in try raw.heartbeat(id) }
      },
      leave: { id throws(StoreError) in
        try self.onWrite("leaves") { () throws(StoreError) in try raw.leave(id) }
      },
      queueClocks: { () throws(StoreError) in
        try self.onStore("reads the clocks", raw.queueClocks)
      })
  }

  /// A worker's broker as this process reaches it.
  func worker(_ raw: WorkerBus, _ bug: PlantedBug?) -> WorkerBus {
    let isHasty = bug == .acknowledgeBeforeCommit
    return WorkerBus(
      consume: { queues throws(BusError) in
        try self.onBus("consumes") { () throws(BusError) in try raw.consume(queues) }
      },
      receive: { limit, wait throws(BusError) in
        let deliveries = try self.onBus("receives") { () throws(BusError) in
          try raw.receive(limit, wait)
        }
        if isHasty, let last = deliveries.last { try raw.acknowledge(last.tag) }
        return deliveries
      },
      acknowledge: { tag throws(BusError) in
        try self.onBus("acknowledges") { () throws(BusError) in
          if !isHasty { try raw.acknowledge(tag) }
        }
      },
      publish: { outgoing throws(BusError) in
        try self.onBus("publishes") { () throws(BusError) in try raw.publish(outgoing) }
      },
      confirmed: { () throws(BusError) in try self.onBus("reads confirms", raw.confirmed) },
      serveHeartbeats: raw.serveHeartbeats, close: { self.closeBus(raw.close) })
  }

  func closeBus(_ close: () -> Void) {
    if !isDead { close() }
  }
}
