import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let guarding: [StoreCase] = [
    // Failure: StoreError.duplicate
    StoreCase("One stale version in a batch of many: nothing of it is committed") { stores in
      let lab = StoreLab(stores.worker)
      let (crowd, ids) = try lab.soloGames(16)
      for stale in [0, 7, 15] {
        let turns = try zip(ids, crowd).map { id, player in
          try lab.event(lab.turn(in: #require(try lab.match(id))), by: player)
        }
        let (write, _) = try lab.judge(turns)
        // Another worker is faster with one of them.
        let other = StoreLab(stores.otherWorker, number: UInt8(stale + 1))
        try other.act(
          other.turn(in: #require(try other.match(ids[stale]))), by: crowd[stale])
        let before = try stores.check.stored(ids)
        #expect(try storeError { try stores.worker.commit(write) }.isConflict)
        expectNoDifference(try stores.check.stored(ids), before)
        var lookup = Lookup()
        lookup.events = turns.map(\.key)
        #expect(try stores.worker.lookUp(lookup).replies.isEmpty)
      }
    },
    StoreCase("A refusal derived from a match that has changed since is not stored") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let early = try lab.event(lab.turn(in: #require(try lab.match(id))), by: .bob)
      let (write, replies) = try lab.judge([early])
      #expect(replies == [.refused(.notYourTurn(whose: TestPlayer.ann.id))])
      #expect(write.changes == [])
      let other = StoreLab(stores.otherWorker, number: 1)
      try other.act(other.turn(in: #require(try other.match(id))), by: .ann)
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      var lookup = Lookup()
      lookup.events = [early.key]
      #expect(try stores.worker.lookUp(lookup).replies.isEmpty)
    },
    StoreCase("A match that exists, and an event that was answered, are conflicts") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let asked = try lab.event(
        .matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), by: .ann)
      let (write, _) = try lab.judge([asked])
      try stores.worker.commit(write)
      #expect(try storeError { try stores.otherWorker.commit(write) }.isConflict)

      var again = BatchWrite(now: lab.now)
      again.replies = write.replies
      again.outbox = [
        PushJob(
          .matchEnded, to: TestPlayer.ann.id, match: asked.newMatch, causedBy: asked.event)
      ]
      #expect(try storeError { try stores.otherWorker.commit(again) }.isConflict)
      #expect(try stores.check.jobs(nil, 10) == [])
      var missing = BatchWrite(now: lab.now)
      missing.unchanged = [MatchID(rawValue: 77): 1]
      #expect(try storeError { try stores.worker.commit(missing) }.isConflict)
    },
    StoreCase("Names and keys are taken once") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      func registration(
        _ player: PlayerID, _ name: String, _ key: PublicKey
      ) -> BatchWrite {
        var write = BatchWrite(now: lab.now)
        let name = TestPlayer(name, seedByte: 0).name
        write.registrations = [Registration(player: player, name: name, key: key, at: lab.now)]
        return write
      }
      let bob = TestPlayer.bob
      for write in [
        registration(TestPlayer.ann.id, "other", bob.key),
        registration(bob.id, "ANN", bob.key),
        registration(bob.id, "other", TestPlayer.ann.key),
      ] {
        #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      }
      #expect(try stores.reader.players([bob.id]).isEmpty)
    },
    StoreCase("A row that another match already has cannot be written, and is rejected") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let code = try #require(ShareCode("CODE1"))
      var write = BatchWrite(now: lab.now)
      write.codes = [.init(code: code, match: MatchID(rawValue: 1))]
      try stores.worker.commit(write)
      write.codes = [.init(code: code, match: MatchID(rawValue: 2))]
      #expect(try storeError { try stores.worker.commit(write) }.isRejected)
      #expect(try stores.reader.matchByCode(code) == MatchID(rawValue: 1))
    },
    StoreCase("A step that adds no entry is a conflict where the match has changed since") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      try lab.playOut(id)
      let other = StoreLab(stores.otherWorker, number: 1)
      // Both look at the match before either writes: only its version tells the second one.
      let (offer, _) = try lab.judge([try lab.event(.rematchRequested(id), by: .ann)])
      let (late, _) = try other.judge([try other.event(.rematchRequested(id), by: .bob)])
      #expect(offer.changes.allSatisfy { $0.entries.isEmpty } && offer.changes.count == 1)
      try stores.worker.commit(offer)
      let before = try stores.check.stored([id])
      #expect(try storeError { try stores.otherWorker.commit(late) }.isConflict)
      let (decline, _) = try lab.judge([try lab.event(.rematchDeclined(id), by: .bob)])
      let (twice, _) = try other.judge([try other.event(.rematchDeclined(id), by: .bob)])
      #expect(twice.changes.allSatisfy { $0.entries.isEmpty } && twice.changes.count == 1)
      try stores.worker.commit(decline)
      #expect(try storeError { try stores.otherWorker.commit(twice) }.isConflict)
      #expect(try stores.check.stored([id]) != before)
    },
    StoreCase("A clock of a queue goes on only from where it was judged by") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      var write = BatchWrite(now: lab.now)
      let first = QueueClock(time: lab.now)
      var second = first
      second.ticked(at: lab.now.adding(seconds: 8))
      second.resumed(at: lab.now.adding(seconds: 9))
      #expect(second.creditMicroseconds == 7_000_000)
      write.clocks = [3: ClockChange(after: first), 4: ClockChange(after: first)]
      try stores.worker.commit(write)
      write.clocks = [3: ClockChange(before: first, after: second)]
      try stores.worker.commit(write)
      let stored = [3: second, 4: first]
      expectNoDifference(try stores.worker.queueClocks(), stored)
      expectNoDifference(try stores.scheduler.queueClocks(), stored)
      // A worker that was replaced has its old clock still, or knows of no clock. A new one has
      // read the clock before the last tick was written, or with another credit.
      var third = second
      third.ticked(at: lab.now.adding(seconds: 9))
      let odd = QueueClock(time: second.time, creditMicroseconds: 1)
      let unheld = QueueClock(
        time: second.time, creditMicroseconds: second.creditMicroseconds, outage: second.outage)
      for before in [first, QueueClock(), odd, unheld] {
        for other in [nil, 4, 5] {
          write.clocks = [3: ClockChange(before: before, after: third)]
          if let other {
            let known = other == 4 ? first : QueueClock()
            write.clocks[other] = ClockChange(before: known, after: third)
          }
          #expect(try storeError { try stores.otherWorker.commit(write) }.isConflict)
        }
      }
      expectNoDifference(try stores.worker.queueClocks(), stored)
      write.clocks = [
        3: ClockChange(before: second, after: third), 5: ClockChange(after: third),
      ]
      try stores.otherWorker.commit(write)
      expectNoDifference(try stores.worker.queueClocks(), [3: third, 4: first, 5: third])
    },
  ]
}
