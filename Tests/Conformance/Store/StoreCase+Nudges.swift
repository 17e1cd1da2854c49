import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let nudges: [StoreCase] = [
    StoreCase("A player is reminded of a turn once, also by two workers at the same moment") {
      stores in
      let lab = StoreLab(stores.worker)
      let other = StoreLab(stores.otherWorker, number: 1)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      let id = try lab.begin()
      func facts() throws -> NudgeFacts {
        var lookup = Lookup()
        lookup.nudging = [id]
        return try stores.worker.lookUp(lookup).nudges
      }
      func write(_ turn: Int) throws -> BatchWrite {
        var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
        write.nudges = [Nudge(match: id, turn: turn, by: bob, to: ann)]
        write.outbox = write.nudges.map(\.job)
        return write
      }
      #expect(try facts() == NudgeFacts())
      let (first, second) = (try write(1), try write(1))
      try stores.worker.commit(first)
      #expect(try storeError { try stores.otherWorker.commit(second) }.isConflict)
      #expect(try facts().turns == [id: 1])
      #expect(try stores.reader.recordAndPlayers(id, []).nudgedTurn == 1)
      try stores.worker.commit(try write(2))
      #expect(try storeError { try stores.worker.commit(write(1)) }.isConflict)
      #expect(try facts().turns == [id: 2])
      // A block that came meanwhile.
      let late = try write(3)
      try other.act(.playerBlocked(bob), by: .ann)
      #expect(try storeError { try stores.worker.commit(late) }.isConflict)
      #expect(try facts().turns == [id: 2])
    },
    StoreCase("Players who want no reminders, and bots, are known before one is judged") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      func refusers() throws -> Set<PlayerID> {
        var lookup = Lookup()
        lookup.nudging = [id]
        return try stores.worker.lookUp(lookup).nudges.refusers
      }
      #expect(try refusers() == [])
      try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: .bob)
      #expect(try refusers() == [TestPlayer.bob.id])
      try lab.act(.settingsChanged(SettingsChange(push: PushChange(takesNudges: false))), by: .ann)
      #expect(try refusers() == [TestPlayer.ann.id, TestPlayer.bob.id])
      try lab.act(.settingsChanged(SettingsChange(push: PushChange(takesNudges: true))), by: .ann)
      #expect(try refusers() == [TestPlayer.bob.id])
    },
    StoreCase("A player's wish is looked at once its time has come, and its job is owed once") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let ann = TestPlayer.ann.id
      let digest = try #require(MinuteOfDay("08:00"))
      try lab.act(
        .settingsChanged(SettingsChange(push: PushChange(digest: .set(digest)))), by: .ann)
      let now = try stores.scheduler.now()
      var seen: [SchedulerStore.LocalWish] = []
      func look(_ time: Instant, next: Instant?) throws -> Int {
        try stores.scheduler.remindByLocalTime(time, 10, { _ in QueueClock() }) { wish in
          seen.append(wish)
          return SchedulerStore.LocalRound(
            jobs: [PushJob(digest: Day(containing: now), to: wish.player)], next: next)
        }
      }
      let later = now.adding(seconds: 3_600)
      #expect(try look(now.adding(seconds: 1), next: later) == 1)
      #expect(seen.map(\.player) == [ann])
      #expect(seen.first?.preferences.digest == digest)
      #expect(seen.first?.hasWaiting == false)
      #expect(try look(later.adding(seconds: -1), next: nil) == 0)
      #expect(try look(later, next: nil) == 1)
      #expect(seen.last?.dueAt == later)
      #expect(try look(later.adding(seconds: 86_400), next: nil) == 0)
    },
  ]
}
