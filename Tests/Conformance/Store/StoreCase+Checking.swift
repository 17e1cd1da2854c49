import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

// The rows that a check compares push jobs with.
extension StoreCase {
  static let checking: [StoreCase] = [
    StoreCase("A check hears of each player what changes the notifications that are owed") {
      stores in
      let lab = StoreLab(stores.worker)
      let crowd = (0..<5).map(TestPlayer.member)
      try lab.register(crowd)
      var expected: [PlayerID: StoredPlayer] = [:]
      for player in crowd {
        expected[player.id] = StoredPlayer(player: player.id, registeredAt: lab.now)
      }
      func agree() throws {
        let rows = crowd.map(\.id).sorted().compactMap { expected[$0] }
        expectNoDifference(try stores.check.players(nil, 9), rows)
        expectNoDifference(try stores.check.players(nil, 2), Array(rows.prefix(2)))
        expectNoDifference(try stores.check.players(rows[1].player, 2), Array(rows[2...3]))
        #expect(try stores.check.players(rows[4].player, 9) == [])
        let some = [rows[3].player, rows[0].player, TestPlayer.bob.id]
        expectNoDifference(
          try stores.check.playersByID(some).sorted { $0.player < $1.player }, [rows[0], rows[3]])
      }
      try agree()
      let (setter, seer, owner, revoked) = (crowd[0], crowd[1], crowd[2], crowd[3])
      try lab.act(.settingsChanged(SettingsChange(reminders: false)), by: setter)
      expected[setter.id]?.hasSettings = true
      var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
      write.playerChanges = [.init(player: seer.id, change: .allSeen(until: write.now))]
      try stores.worker.commit(write)
      expected[seer.id]?.hasSettings = true
      try agree()
      // A second key, a key that was removed, and one that was revoked.
      let (phone, code) = (TestPlayer("phone", seedByte: 0x70), DeviceCode(random: 7))
      try lab.act(.deviceInvited(code.hash(at: .test)), by: owner)
      try lab.send([lab.event(.keyAdded(code), of: owner, on: phone)])
      expected[owner.id]?.hasKeyChanges = true
      expected[owner.id]?.addedKeys = [phone.key: lab.now]
      #expect(try stores.administration.revokeKey(revoked.key))
      expected[revoked.id]?.hasKeyChanges = true
      try agree()
      try lab.act(.keyRemoved(phone.key), by: owner)
      try agree()
    },
    StoreCase("A check hears how far everybody was told of a day's challenge") { stores in
      let lab = StoreLab(stores.worker)
      let crowd = (0..<3).map(TestPlayer.member)
      try lab.register(crowd)
      let today = Day(containing: lab.now)
      func fanOuts(since day: Day) throws -> [StoredFanOut] { try stores.check.fanOuts(day) }
      #expect(try fanOuts(since: today) == [])
      // Another mode of the day is told to nobody.
      let keys = SoloMode.allCases.map { DailyKey(day: today, mode: $0) }
      for key in keys {
        _ = try stores.scheduler.keepDaily(
          Dealer.daily(key, lexicon: .everyWord, secret: .test))
      }
      let key = try #require(keys.first { $0.isAnnounced })
      #expect(try fanOuts(since: today) == [StoredFanOut(key: key, cursor: nil, isDone: false)])
      let players = crowd.map(\.id).sorted()
      #expect(try stores.scheduler.fanOutDaily(key, 2))
      let half = StoredFanOut(key: key, cursor: players[1], isDone: false)
      #expect(try fanOuts(since: today) == [half])
      #expect(half.hasReached(players[1]) && !half.hasReached(players[2]))
      while try stores.scheduler.fanOutDaily(key, 2) {}
      let whole = StoredFanOut(key: key, cursor: players[2], isDone: true)
      #expect(try fanOuts(since: today.previous) == [whole])
      #expect(try fanOuts(since: today.next) == [])
    },
    StoreCase("A check finds a job where it is owed, waits, or was dealt with, and nowhere else") {
      stores in
      let lab = StoreLab(stores.worker)
      let jobs = try oweJobs(5, lab)
      let claimed = try stores.relay.claim(.zero, 10)
      // One stays in the outbox, and one is with the broker alone.
      try stores.relay.finish(claimed.map(\.id).filter { $0 != jobs[0].id })
      try stores.push.record(
        .init(
          [.init(jobs[2], .delivered), .init(jobs[3], .failed)],
          held: [HeldJob(jobs[1], until: lab.now.adding(seconds: 60), .quietHours)]))
      let known = try stores.check.knownJobs(jobs.map(\.id) + [PushJobID(rawValue: 1)])
      #expect(known == Set(jobs.prefix(4).map(\.id)))
      #expect(try stores.check.knownJobs([]) == [])
    },
    StoreCase("A job that no record shows is noted once, whatever becomes of it") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      func owed(_ after: PushJobID? = nil, _ limit: Int = 100, ago: Int64 = 60) throws -> [PushJob]
      {
        try stores.check.owedJobs(stores.check.now().adding(seconds: -ago), after, limit)
      }
      // Players who have settings are told of the daily, too.
      try lab.act(.settingsChanged(SettingsChange(kinds: [.invited: false])), by: .ann)
      let key = DailyKey(day: Day(containing: lab.now))
      _ = try stores.scheduler.keepDaily(Dealer.daily(key, lexicon: .everyWord, secret: .test))
      while try stores.scheduler.fanOutDaily(key, 1) {}
      let match = try lab.begin()
      try lab.act(.matchForfeited(match), by: .bob)
      try lab.act(.rematchRequested(match), by: .ann)
      try lab.act(.rematchDeclined(match), by: .bob)
      try lab.act(.notificationTested(Event.NotificationTested()), by: .ann)
      let noted = try owed()
      let dailies = [TestPlayer.ann, .bob].map { PushJob(dailyReady: key, to: $0.id) }
      #expect(Set(noted).isSuperset(of: dailies))
      #expect(
        noted.map(\.kind.rawValue).sorted()
          == ["dailyReady", "dailyReady", "rematchDeclined", "rematchRequested", "test"])
      let stored = try stores.check.jobs(nil, 100).map(\.job).filter { !$0.kind.isInRecord }
      #expect(noted == stored)
      let pages = [try owed(nil, 2), try owed(noted[1].id, 2), try owed(noted[3].id, 2)]
      #expect(pages.flatMap(\.self) == noted && pages.map(\.count) == [2, 2, 1])
      // The broker has them, and one is owed once more.
      let claimed = try stores.relay.claim(.zero, 100)
      try stores.relay.finish(claimed.map(\.id))
      #expect(try stores.check.knownJobs(noted.map(\.id)) == [])
      var write = BatchWrite(now: lab.now)
      write.outbox = [dailies[0]]
      try stores.worker.commit(write)
      #expect(try owed() == noted)
      try stores.age(3_600)
      #expect(try owed(ago: 1_800) == [] && owed(ago: 7_200) == noted)
    },
    StoreCase("An answer about a device counts for the address that was told, and is shown") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let ann = TestPlayer.ann.id
      let name = try #require(DeviceName("phone"))
      func phone(_ token: String) -> Device {
        Device(name: name, token: token, permission: .authorized)
      }
      func answer(
        _ device: Device, _ verdict: PushStore.Answer.Verdict, _ text: String = "said"
      ) -> PushStore.Answer {
        PushStore.Answer(
          player: ann, devices: [device], provider: "webhook", verdict: verdict, status: 201,
          text: text)
      }
      func shown() throws -> RegisteredDevice? {
        let view = try stores.reader.settings(ann)
        return view.devices.first
      }
      try lab.act(.deviceRegistered(phone("one")), by: .ann)
      try stores.push.record(.init(answers: [answer(phone("one"), .refused, "no\0 \u{7}way")]))
      #expect(try shown()?.answer?.text == "no way")
      #expect(try shown()?.arrivedAt == nil)
      // Of several answers the last one is shown, and one that took it counts.
      let both = [answer(phone("one"), .taken), answer(phone("one"), .later, "busy")]
      try stores.push.record(.init(answers: both))
      #expect(try shown()?.answer?.text == "busy")
      #expect(try shown()?.arrivedAt != nil)
      // Answers about the address of before say nothing about the one of today.
      try lab.act(.deviceRegistered(phone("two")), by: .ann)
      let old = [answer(phone("two"), .taken, "two"), answer(phone("one"), .gone)]
      try stores.push.record(.init(answers: old))
      #expect(try shown()?.answer?.text == "two")
      #expect(try shown()?.arrivedAt != nil)
      // A device that is gone is forgotten, whatever is said afterwards.
      try stores.push.record(
        .init(answers: [answer(phone("two"), .gone), answer(phone("two"), .taken)]))
      #expect(try shown() == nil)
    },
  ]
}
