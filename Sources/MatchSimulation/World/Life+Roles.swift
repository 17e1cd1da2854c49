import MatchCore
import MatchInterfaces

extension Life {
  /// The store of the scheduler and its steward as this process reaches it.
  func scheduler(_ raw: SchedulerStore) -> SchedulerStore {
    SchedulerStore(
      lead: { () throws(StoreError) in try self.onStore("wants to lead", isIdle: true, raw.lead) },
      now: { () throws(StoreError) in try self.onStore("asks the time", isIdle: true, raw.now) },
      queueClocks: { () throws(StoreError) in
        try self.onStore("reads the clocks", isIdle: true, raw.queueClocks)
      },
      layout: { () throws(StoreError) in
        try self.onStore("reads the layout", isIdle: true, raw.layout)
      },
      overdue: { before, after, limit throws(StoreError) in
        try self.onStore("looks for deadlines", isIdle: true) { () throws(StoreError) in
          try raw.overdue(before, after, limit)
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
      remindTurns: { now, limit, clock throws(StoreError) in
        try self.onWrite("reminds of turns", isIdle: true) { () throws(StoreError) in
          try raw.remindTurns(now, limit, clock)
        }
      },
      remindDaily: { key, limit throws(StoreError) in
        try self.onWrite("reminds of the daily", isIdle: true) { () throws(StoreError) in
          try raw.remindDaily(key, limit)
        }
      },
      rotatePartitions: { now, worked throws(StoreError) in
        try self.onWrite("rotates", isIdle: true) { () throws(StoreError) in
          try raw.rotatePartitions(now, worked)
        }
      },
      movers: { after, limit throws(StoreError) in
        try self.onStore("looks for who waits", isIdle: true) { () throws(StoreError) in
          try raw.movers(after, limit)
        }
      })
  }

  /// The broker of the scheduler and its steward as this process reaches it.
  func scheduler(_ raw: SchedulerBus) -> SchedulerBus {
    SchedulerBus(
      publish: { messages throws(BusError) in
        try self.onBus("ticks") { () throws(BusError) in try raw.publish(messages) }
      },
      send: { messages throws(BusError) in
        try self.onBus("ticks") { () throws(BusError) in try raw.send(messages) }
      },
      troubles: raw.troubles,
      ask: { query throws(BusError) in
        try self.onBus("asks readers", isIdle: true) { () throws(BusError) in try raw.ask(query) }
      },
      answers: { self.isDead ? [] : raw.answers() },
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
      setAside: { match, reason throws(StoreError) in
        try self.onWrite("sets aside") { () throws(StoreError) in try raw.setAside(match, reason) }
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
      brief: { jobs throws(StoreError) in
        try self.onStore("looks at jobs") { () throws(StoreError) in try raw.brief(jobs) }
      },
      record: { outcomes throws(StoreError) in
        try self.onWrite("records deliveries") { () throws(StoreError) in
          try raw.record(outcomes)
        }
      },
      bury: { jobs throws(StoreError) in
        try self.onWrite("keeps dead jobs") { () throws(StoreError) in try raw.bury(jobs) }
      },
      reconnect: { () throws(StoreError) in
        try self.onStore("connects anew", isIdle: true, raw.reconnect)
      },
      trial: { step, message throws(StoreError) in
        try self.onWrite("tries") { () throws(StoreError) in try raw.trial(step, message) }
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
      acknowledge: { tags throws(BusError) in
        try self.onBus("acknowledges") { () throws(BusError) in try raw.acknowledge(tags) }
      },
      retry: { delayed throws(BusError) in
        try self.onBus("puts off") { () throws(BusError) in try raw.retry(delayed) }
      },
      serveHeartbeats: { () throws(BusError) in
        try self.onBus("shows life", isIdle: true) { () throws(BusError) in
          try raw.serveHeartbeats()
        }
      },
      close: { self.closeBus(raw.close) })
  }
}
