import MatchCore
import MatchInterfaces

extension Life {
  /// A worker's store as this process reaches it.
  func worker(_ raw: WorkerStore) -> WorkerStore {
    WorkerStore(
      lookUp: { lookup throws(StoreError) in
        try self.onStore("looks up") { () throws(StoreError) in try raw.lookUp(lookup) }
      },
      settle: { claims throws(StoreError) in
        try self.onStore("settles") { () throws(StoreError) in try raw.settle(claims) }
      },
      commit: { write throws(StoreError) in
        try self.onWrite("commits") { () throws(StoreError) in try raw.commit(write) }
      },
      abandon: { if !self.isDead { raw.abandon() } },
      standing: { id throws(StoreError) in
        try self.onStore("looks for others", isIdle: true) { () throws(StoreError) in
          try raw.standing(id)
        }
      },
      heartbeat: { id throws(StoreError) in
        try self.onWrite("lives", isIdle: true) { () throws(StoreError) in try raw.heartbeat(id) }
      },
      leave: { id throws(StoreError) in
        try self.onWrite("leaves") { () throws(StoreError) in try raw.leave(id) }
      },
      queueClocks: { () throws(StoreError) in
        try self.onStore("reads the clocks", isIdle: true, raw.queueClocks)
      },
      layout: { () throws(StoreError) in
        try self.onStore("reads the layout", isIdle: true, raw.layout)
      },
      reconnect: { () throws(StoreError) in
        try self.onStore("connects anew", isIdle: true, raw.reconnect)
      },
      trial: { step, message throws(StoreError) in
        try self.onWrite("tries") { () throws(StoreError) in try raw.trial(step, message) }
      },
      workWhileWaiting: { work in
        // The session that keeps it is this life's own.
        raw.workWhileWaiting { [weak self] in self?.isDead == false && work() }
      })
  }

  /// A worker's broker as this process reaches it.
  func worker(_ raw: WorkerBus) -> WorkerBus {
    WorkerBus(
      consume: { queues throws(BusError) in
        try self.onBus("consumes") { () throws(BusError) in try raw.consume(queues) }
      },
      receive: { limit, wait throws(BusError) in
        try self.onBus("receives", isIdle: true) { () throws(BusError) in
          try raw.receive(limit, wait)
        }
      },
      acknowledge: { tag throws(BusError) in
        let bodies = self.connection.unacknowledged.filter { $0.tag <= tag }.map(\.message.body)
        do throws(BusError) {
          try self.onBus("acknowledges") { () throws(BusError) in try raw.acknowledge(tag) }
        } catch {
          self.senders.miss(bodies)
          throw error
        }
      },
      publish: { outgoing throws(BusError) in
        self.senders.hear(outgoing, except: self.strangers)
        try self.onBus("publishes") { () throws(BusError) in try raw.publish(outgoing) }
      },
      confirmed: { () throws(BusError) in
        try self.onBus("reads confirms", isIdle: true, raw.confirmed)
      },
      serveHeartbeats: raw.serveHeartbeats, close: { self.closeBus(raw.close) })
  }

  func closeBus(_ close: () -> Void) {
    if !isDead { close() }
  }
}
