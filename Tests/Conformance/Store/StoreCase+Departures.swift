import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  /// Accounts that end.
  static let departures: [StoreCase] = [
    StoreCase("A player who asks is gone after 72 hours, and not before") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      try stores.age(Departure.waitSeconds)
      try lab.act(.settingsChanged(SettingsChange(isLeaving: true)), by: .ann)
      let at = try #require(try stores.reader.settings(TestPlayer.ann.id).leavesAt)
      #expect(at == lab.now.adding(seconds: Departure.waitSeconds))
      #expect(try stores.reader.currentMatches(TestPlayer.ann.id, 9, 9) == .init(leavesAt: at))
      #expect(try stores.reader.currentMatches(TestPlayer.bob.id, 9, 9) == .init())
      try stores.age(Departure.waitSeconds - 600)
      try sweep(stores)
      #expect(try stores.check.gone(nil, 10) == [])
      // To ask again changes nothing.
      try lab.act(.settingsChanged(SettingsChange(isLeaving: true)), by: .ann)
      try stores.age(1_200)
      try sweep(stores)
      expectNoDifference(
        try stores.check.gone(nil, 10), [GonePlayer(player: TestPlayer.ann.id)])
      #expect(try stores.check.gone(TestPlayer.ann.id, 10) == [])
      let row = try #require(try stores.reader.players([TestPlayer.ann.id])[TestPlayer.ann.id])
      #expect(row.name == Departure.name && !row.isBot)
      #expect(try stores.reader.player(TestPlayer.ann.name) == nil)
      var lookup = Lookup()
      lookup.keys = [TestPlayer.ann.key]
      lookup.players = [TestPlayer.ann.id, TestPlayer.bob.id]
      let found = try stores.worker.lookUp(lookup)
      #expect(found.keys[TestPlayer.ann.key]?.isRevoked == true)
      #expect(found.players == [TestPlayer.bob.id])
    },
    StoreCase("A player who takes it back stays, and the wait begins anew") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try stores.age(Departure.waitSeconds)
      try lab.act(.settingsChanged(SettingsChange(isLeaving: true)), by: .ann)
      try stores.age(Departure.waitSeconds - 600)
      try lab.act(.settingsChanged(SettingsChange(isLeaving: false)), by: .ann)
      #expect(try stores.reader.settings(TestPlayer.ann.id).leavesAt == nil)
      #expect(try stores.reader.currentMatches(TestPlayer.ann.id, 9, 9) == .init())
      try stores.age(1_200)
      try sweep(stores)
      #expect(try stores.check.gone(nil, 10) == [])
      try lab.act(.settingsChanged(SettingsChange(isLeaving: true)), by: .ann)
      try sweep(stores)
      #expect(try stores.check.gone(nil, 10) == [])
    },
    StoreCase("A key that came later has its 72 hours to take it back") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try stores.age(Departure.waitSeconds)
      try lab.act(.settingsChanged(SettingsChange(isLeaving: true)), by: .ann)
      try stores.age(Departure.waitSeconds - 600)
      let code = DeviceCode(random: 1)
      let phone = TestPlayer("phone", seedByte: 0x70)
      // An invitation counts from the time of its event.
      _ = try lab.judge([])
      try lab.act(.deviceInvited(code.hash(at: .test)), by: .ann)
      try lab.send([lab.event(.keyAdded(code), of: .ann, on: phone)])
      try stores.age(1_200)
      try sweep(stores)
      #expect(try stores.check.gone(nil, 10) == [])
      try stores.age(Departure.waitSeconds)
      try sweep(stores)
      #expect(try stores.check.gone(nil, 10).map(\.player) == [TestPlayer.ann.id])
    },
    StoreCase("A batch that was judged before the end is not committed after it") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let (write, _) = try lab.judge([
        try lab.event(.settingsChanged(SettingsChange(reminders: false)), by: .ann)
      ])
      #expect(try stores.administration.removePlayer(TestPlayer.ann.id))
      #expect(try !stores.administration.removePlayer(TestPlayer.ann.id))
      #expect(try !stores.administration.removePlayer(TestPlayer.bob.id))
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      #expect(try stores.check.gone(nil, 10) == [GonePlayer(player: TestPlayer.ann.id)])
    },
    StoreCase("The name of a player who is gone is free after 90 days") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      #expect(try stores.administration.removePlayer(TestPlayer.ann.id))
      func claim() throws -> ClaimFacts? {
        let facts = try stores.worker.resolve([
          .name(TestPlayer.ann.name, TestPlayer.bob.id, code: nil)
        ])
        stores.worker.abandon()
        return facts.first
      }
      #expect(try claim() == .nameTaken)
      try stores.age(Departure.nameReservedSeconds)
      #expect(try claim() == .free)
    },
    StoreCase("Settings, devices, invitations, words and blocks go with their player") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      try lab.act(.settingsChanged(SettingsChange(reminders: false)), by: .ann)
      let phone = try #require(DeviceName("phone"))
      try lab.act(
        .deviceRegistered(Device(name: phone, token: "x", permission: .authorized)), by: .ann)
      try lab.act(.deviceInvited(DeviceCode(random: 1).hash(at: .test)), by: .ann)
      try lab.act(.recoveryKeyNamed(TestPlayer("words", seedByte: 0x60).key), by: .ann)
      try lab.act(.playerBlocked(TestPlayer.bob.id), by: .ann)
      try lab.act(.playerBlocked(TestPlayer.ann.id), by: .bob)
      #expect(try stores.administration.removePlayer(TestPlayer.ann.id))
      expectNoDifference(
        try stores.check.gone(nil, 10), [GonePlayer(player: TestPlayer.ann.id)])
      #expect(try stores.reader.blocked(TestPlayer.bob.id) == [])
      #expect(try stores.reader.settings(TestPlayer.ann.id).devices == [])
    },
    StoreCase("A job that is owed to a player who is gone does not hold, whatever it is about") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      try lab.act(lab.turn(in: #require(try lab.match(id))), by: .ann)
      let turn = try #require(
        try stores.check.stored([id])[id]?.jobs.map(\.job).first { $0.kind == .yourTurn })
      let account = PushJob(account: TestPlayer.bob.id, stopped: EventID(rawValue: 1))
      for job in [turn, account] {
        guard case .due? = try stores.push.brief([job])[job.id] else {
          Issue.record("\(job.kind) does not hold")
          return
        }
      }
      #expect(try stores.administration.removePlayer(TestPlayer.bob.id))
      // Without devices and wishes a player who is there is told by the operator's receiver.
      for job in [turn, account] {
        #expect(try stores.push.brief([job]) == [job.id: .stale(.gone)])
      }
    },
    StoreCase("Nobody finds a player who is gone, or whose every key is revoked") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      var terms: [Terms] = []
      for (player, limit) in [(TestPlayer.ann, Int64(60)), (.bob, 61)] {
        let request = MatchRequest(opponent: .random, turnLimitSeconds: limit)
        try lab.act(.matchRequested(request), by: player)
        terms.append(request.terms)
      }
      func waiting() throws -> [Int] {
        let facts = try stores.worker.resolve(terms.map { .seat($0, for: TestPlayer.cyd.id) })
        stores.worker.abandon()
        return facts.map { fact in
          if case .waiting(let waiters) = fact { waiters.waiting.count } else { 0 }
        }
      }
      func found() throws -> LookupResult {
        var lookup = Lookup()
        lookup.players = [TestPlayer.ann.id, TestPlayer.bob.id, TestPlayer.cyd.id]
        return try stores.worker.lookUp(lookup)
      }
      #expect(try waiting() == [1, 1])
      #expect(try found().absences == [:])
      #expect(try stores.administration.removePlayer(TestPlayer.ann.id))
      #expect(try stores.administration.revokeKey(TestPlayer.bob.key))
      #expect(try waiting() == [0, 0])
      let result = try found()
      #expect(result.players == [TestPlayer.bob.id, TestPlayer.cyd.id])
      expectNoDifference(
        result.absences, [TestPlayer.ann.id: .gone, TestPlayer.bob.id: .silenced])
    },
    StoreCase("Matches of a player who is gone are found until they are over; offers go at once") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let over = try lab.begin()
      try lab.act(.matchForfeited(over), by: .ann)
      try lab.act(.rematchRequested(over), by: .bob)
      let running = try lab.begin()
      let open = try lab.event(
        .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 3_600)), by: .bob)
      try lab.send([open])
      #expect(try stores.administration.removePlayer(TestPlayer.bob.id))
      #expect(try stores.reader.rematchOffers(TestPlayer.ann.id, 10) == [])
      func left(after row: SchedulerStore.Overdue? = nil) throws -> [SchedulerStore.Overdue] {
        let now = try stores.scheduler.now().adding(seconds: 1)
        return try stores.scheduler.overdue(now, row, 10)
      }
      let found = try left()
      #expect(Set(found.map(\.match)) == [running, open.newMatch] && found.count == 2)
      #expect(found.allSatisfy { $0.gone == TestPlayer.bob.id && $0.turn == 1 })
      #expect(try left(after: found.first) == Array(found.dropFirst()))
      // The housekeeper does not count them as ended before they are.
      try sweep(stores)
      #expect(try left() == found)
      try lab.act(.matchForfeited(running), by: .ann)
      try sweep(stores)
      #expect(try left().map(\.match) == [open.newMatch])
      expectNoDifference(
        try stores.check.gone(nil, 10), [GonePlayer(player: TestPlayer.bob.id)])
    },
  ]

  /// Does the work of the housekeeper.
  private static func sweep(_ stores: StoreSet) throws {
    try stores.scheduler.rotatePartitions(try stores.scheduler.now(), .zero)
  }
}
