import MatchCore
import MatchInterfaces

extension Life {
  /// The scheduler's store as this process reaches it.
  func scheduler(_ raw: SchedulerStore) -> SchedulerStore {
    SchedulerStore(
      lead: { () throws(StoreError) in try self.onStore("wants to lead", isIdle: true, raw.lead) },
      now: { () throws(StoreError) in try self.onStore("asks the time", isIdle: true, raw.now) },
      queueClocks: { () throws(StoreError) in
        try self.onStore("reads the clocks", isIdle: true, raw.queueClocks)
      },
      overdue: { before, limit throws(StoreError) in
        try self.onStore("looks for deadlines", isIdle: true) { () throws(StoreError) in
          try raw.overdue(before, limit)
        }
      },
      daily: { key throws(StoreError) in
        try self.onStore("looks for the daily", isIdle: true) { () throws(StoreError) in
          try raw.daily(key)
        }
      },
      keepDaily: { daily throws(StoreError) in
        try self.onWrite("deals the daily") { () throws(StoreError) in
          try raw.keepDaily(daily)
        }
      },
      rank: { limit throws(StoreError) in
        try self.onWrite("ranks", isIdle: true) { () throws(StoreError) in try raw.rank(limit) }
      },
      fanOutDaily: { key, limit throws(StoreError) in
        try self.onWrite("tells of the daily", isIdle: true) { () throws(StoreError) in
          try raw.fanOutDaily(key, limit)
        }
      },
      rotatePartitions: { now throws(StoreError) in
        try self.onWrite("rotates", isIdle: true) { () throws(StoreError) in
          try raw.rotatePartitions(now)
        }
      })
  }

  /// The scheduler's broker as this process reaches it.
  func scheduler(_ raw: SchedulerBus) -> SchedulerBus {
    SchedulerBus(
      publish: { messages throws(BusError) in
        try self.onBus("ticks") { () throws(BusError) in try raw.publish(messages) }
      },
      close: { self.closeBus(raw.close) })
  }

  /// The relay's store as this process reaches it.
  func relay(_ raw: RelayStore) -> RelayStore {
    RelayStore(
      claim: { age, limit throws(StoreError) in
        try self.onStore("claims", isIdle: true) { () throws(StoreError) in
          try raw.claim(age, limit)
        }
      },
      finish: { confirmed throws(StoreError) in
        try self.onWrite("finishes", isIdle: true) { () throws(StoreError) in
          try raw.finish(confirmed)
        }
      })
  }

  /// The rater's store as this process reaches it.
  func rater(_ raw: RaterStore) -> RaterStore {
    RaterStore(
      take: { limit throws(StoreError) in
        try self.onStore("takes matches to rate", isIdle: true) { () throws(StoreError) in
          try raw.take(limit)
        }
      },
      finish: { results, already throws(StoreError) in
        try self.onWrite("rates") { () throws(StoreError) in
          try raw.finish(results, already)
        }
      },
      recount: { () throws(StoreError) in
        try self.onWrite("counts the ladder", isIdle: true, raw.recount)
      })
  }

  /// The relay's broker as this process reaches it.
  func relay(_ raw: RelayBus) -> RelayBus {
    RelayBus(
      publish: { jobs throws(BusError) in
        try self.onBus("relays") { () throws(BusError) in try raw.publish(jobs) }
      },
      close: { self.closeBus(raw.close) })
  }

  /// The push worker's store as this process reaches it.
  func push(_ raw: PushStore) -> PushStore {
    PushStore(
      delivered: { ids throws(StoreError) in
        try self.onStore("looks for deliveries") { () throws(StoreError) in
          try raw.delivered(ids)
        }
      },
      isDue: { job throws(StoreError) in
        try self.onStore("asks whether it is due") { () throws(StoreError) in
          try raw.isDue(job)
        }
      },
      name: { player throws(StoreError) in
        try self.onStore("asks for a name") { () throws(StoreError) in try raw.name(player) }
      },
      opponent: { player, match throws(StoreError) in
        try self.onStore("asks for the opponent") { () throws(StoreError) in
          try raw.opponent(player, match)
        }
      },
      record: { job, fate throws(StoreError) in
        try self.onWrite("records a delivery") { () throws(StoreError) in
          try raw.record(job, fate)
        }
      })
  }

  /// The push worker's broker as this process reaches it.
  func push(_ raw: PushBus) -> PushBus {
    PushBus(
      receive: { limit, wait throws(BusError) in
        try self.onBus("receives", isIdle: true) { () throws(BusError) in
          try raw.receive(limit, wait)
        }
      },
      acknowledge: { tag throws(BusError) in
        try self.onBus("acknowledges") { () throws(BusError) in try raw.acknowledge(tag) }
      },
      retry: { delivery, delay throws(BusError) in
        try self.onBus("puts off") { () throws(BusError) in try raw.retry(delivery, delay) }
      },
      close: { self.closeBus(raw.close) })
  }
}
