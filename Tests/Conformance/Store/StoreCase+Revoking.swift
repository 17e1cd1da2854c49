import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let revoking: [StoreCase] = [
    StoreCase("A batch that was judged before a key was revoked is not committed after it") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let asked = try lab.event(asksAlone, by: .ann)
      let (write, _) = try lab.judge([asked])
      #expect(try stores.administration.revokeKey(TestPlayer.ann.key))
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      // A batch that is judged from now on sees the revocation, and is committed.
      let (again, _) = try lab.judge([try lab.event(asksAlone, by: .bob)])
      #expect(again.revocationCount == 1)
      try stores.worker.commit(again)
      #expect(try stores.check.matches(nil, 10).count == 1)
    },
    StoreCase("A batch that depends on no key is committed after any revocation") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      var write = BatchWrite(now: lab.now)
      write.clocks = [3: ClockChange(after: QueueClock(time: lab.now))]
      #expect(try stores.administration.revokeKey(TestPlayer.ann.key))
      try stores.worker.commit(write)
      #expect(try stores.worker.queueClocks()[3]?.time == lab.now)
    },
    StoreCase("Workers and readers find a revoked key as such, with its player") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      #expect(try stores.administration.revokeKey(TestPlayer.ann.key))
      var lookup = Lookup()
      lookup.events = [EventKey(player: TestPlayer.ann.id, event: EventID(rawValue: 1))]
      lookup.keys = [TestPlayer.ann.key, TestPlayer.bob.key]
      let known = try stores.otherWorker.lookUp(lookup)
      #expect(known.revocationCount == 1)
      #expect(
        known.keys.mapValues(\.isRevoked)
          == [TestPlayer.ann.key: true, TestPlayer.bob.key: false])
      let owners = try stores.reader.ownersAndMatches([TestPlayer.ann.key], []).owners
      let found = owners[TestPlayer.ann.key]
      #expect(found?.player == TestPlayer.ann.id)
      #expect(found?.isRevoked == true)
    },
    StoreCase("A key is revoked once, and one that nobody has not at all") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      #expect(try !stores.administration.revokeKey(TestPlayer.bob.key))
      #expect(try stores.administration.revokeKey(TestPlayer.ann.key))
      #expect(try !stores.administration.revokeKey(TestPlayer.ann.key))
      var lookup = Lookup()
      lookup.events = [EventKey(player: TestPlayer.ann.id, event: EventID(rawValue: 1))]
      #expect(try stores.worker.lookUp(lookup).revocationCount == 1)
    },
  ]
}

private let asksAlone = Event.Action.matchRequested(
  MatchRequest(opponent: .nobody, turnLimitSeconds: nil))
