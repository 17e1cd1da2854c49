import CubeLexicon
import CustomDump
import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  /// Players' settings.
  static let players: [StoreCase] = [
    StoreCase(
      "A change sets the settings that it names, and the last word of a batch holds"
    ) { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      let nothing = ReaderStore.SettingsRow(settings: PlayerSettings(), devices: [])
      #expect(try stores.reader.settings(ann) == nothing)
      let name = try #require(DisplayName("Ann A."))
      try write(
        [
          (ann, .settings(SettingsChange(displayName: .set(name), kinds: [.yourTurn: false]))),
          (bob, .settings(SettingsChange(kinds: [.invited: false, .matchEnded: false]))),
          (ann, .settings(SettingsChange(kinds: [.yourTurn: true, .dailyReady: false]))),
        ], lab)
      expectNoDifference(
        try stores.reader.settings(ann).settings,
        PlayerSettings(displayName: name, muted: [.dailyReady]))
      try write(
        [
          (bob, .settings(SettingsChange(kinds: [.invited: true]))),
          (ann, .settings(SettingsChange(kinds: [.invited: false]))),
        ], lab)
      expectNoDifference(
        try stores.reader.settings(ann).settings,
        PlayerSettings(displayName: name, muted: [.dailyReady, .invited]))
      expectNoDifference(
        try stores.reader.settings(bob).settings, PlayerSettings(muted: [.matchEnded]))
      try write([(ann, .settings(SettingsChange(displayName: .removed)))], lab)
      #expect(try stores.reader.settings(ann).settings.displayName == nil)
    },
    StoreCase("Devices are kept by name, sixteen of a player, the newest") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      let phone = try device("phone", "one", .authorized)
      let changed = try device("phone", nil, .denied)
      let (other, bobs) = (
        try device("pad", "two", .provisional), try device("pad", "three", .provisional)
      )
      try write([(ann, .device(phone)), (bob, .device(bobs)), (ann, .device(other))], lab)
      #expect(try known(by: ann, stores) == [other, phone])
      #expect(try devices(of: ann, stores) == [other, phone])
      try write([(ann, .device(changed)), (ann, .deviceRemoved(other.name))], lab)
      #expect(try known(by: ann, stores) == [changed])
      #expect(try devices(of: ann, stores) == [])
      #expect(try known(by: bob, stores) == [bobs])
      try write(
        [
          (ann, .deviceRemoved(changed.name)), (bob, .device(phone)), (ann, .device(phone)),
          (bob, .deviceRemoved(phone.name)),
        ], lab)
      #expect(try known(by: ann, stores) == [phone])
      #expect(try known(by: bob, stores) == [bobs])
      try write(
        try (10..<26).map { (ann, .device(try device("d\($0)", nil, .authorized))) }, lab,
        later: 1)
      expectNoDifference(
        try known(by: ann, stores).map(\.name.text), (10..<26).map { "d\($0)" })
    },
    StoreCase("A device keeps its way and its address, and the last registration holds") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let ann = TestPlayer.ann.id
      let name = try #require(DeviceName("d"))
      let endpoint = "https://push.example/?a=\"'%"
      let routes: [Device.Route] = [
        .app(token: nil), .app(token: "t"),
        .webPush(
          try #require(
            WebPushSubscription(
              endpoint: endpoint, key: [4] + Array(0..<64), secret: Array(0..<16)))),
        .webPush(
          try #require(
            WebPushSubscription(
              endpoint: endpoint, key: [4] + Array(1...64), secret: Array(0..<16)))),
        .apns(token: String(repeating: "0f", count: 100)), .app(token: "t"),
      ]
      for route in routes {
        let device = Device(name: name, route: route, permission: .authorized)
        try write([(ann, .device(device))], lab)
        expectNoDifference(
          try stores.reader.settings(ann).devices, [RegisteredDevice(device)])
        expectNoDifference(try devices(of: ann, stores), [device])
      }
      // Each in one batch, and one after another of the same name.
      let all = try routes.enumerated().map { number, route in
        Device(name: try #require(DeviceName("d\(number)")), route: route, permission: .denied)
      }
      try write([(ann, .devicesRemoved)] + all.map { (ann, .device($0)) }, lab)
      expectNoDifference(try known(by: ann, stores), all)
    },
    StoreCase("News of a device stay where it is registered again, but for another way to it") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let ann = TestPlayer.ann.id
      func register(_ token: String, _ permission: Device.Permission) throws -> RegisteredDevice? {
        let device = try device("phone", token, permission)
        try write([(ann, .device(device))], lab)
        let row = try stores.reader.settings(ann)
        return row.devices.first
      }
      func tell(_ device: Device, _ verdict: PushStore.Answer.Verdict) throws {
        try stores.push.record(
          .init(answers: [
            .init(
              player: ann, devices: [device], provider: "webhook", verdict: verdict, status: 204,
              text: "204")
          ]))
      }
      let first = try #require(try register("a", .authorized))
      #expect(first.arrivedAt == nil && first.answer == nil)
      try tell(first.device, .later)
      #expect(try stores.reader.settings(ann).devices.first?.arrivedAt == nil)
      try tell(first.device, .taken)
      let told = try #require(try stores.reader.settings(ann).devices.first)
      #expect(told.arrivedAt != nil && told.answer?.text == "204")
      let again = try register("a", .provisional)
      #expect(again?.arrivedAt == told.arrivedAt && again?.answer == told.answer)
      let moved = try register("b", .provisional)
      #expect(moved?.arrivedAt == nil && moved?.answer == nil)
    },
    StoreCase("A change sets the wishes that it names, each by itself") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob, cyd) = (TestPlayer.ann.id, TestPlayer.bob.id, TestPlayer.cyd.id)
      let from = try #require(MinuteOfDay("22:00"))
      let until = try #require(MinuteOfDay("07:30"))
      let hours = try #require(QuietHours(from: from, until: until, late: .dropped))
      let changes: [PushChange] = [
        PushChange(timeZone: TimeZoneName("Europe/Berlin").map { .set($0) }),
        PushChange(language: .german), PushChange(quietHours: .set(hours)),
        PushChange(isBundled: false), PushChange(takesNudges: false),
        PushChange(digest: MinuteOfDay(1_439).map { .set($0) }),
        PushChange(digest: MinuteOfDay(0).map { .set($0) }), PushChange(review: .set(.sunday)),
        PushChange(review: .set(.monday)), PushChange(isBundled: true, takesNudges: true),
        PushChange(timeZone: .removed, digest: .removed), PushChange(review: .removed),
        PushChange(quietHours: .removed), PushChange(language: .english),
      ]
      var expected = PlayerSettings(muted: [.yourTurn], reminders: false)
      try write(
        [(ann, .settings(SettingsChange(kinds: [.yourTurn: false], reminders: false)))], lab)
      for change in changes {
        try write([(ann, .settings(SettingsChange(push: change)))], lab)
        expected.push.apply(change)
        expectNoDifference(try stores.reader.settings(ann).settings, expected)
      }
      #expect(expected.push == PushPreferences())
      // All in one batch, and those of two players beside each other.
      let name = try #require(DisplayName("Bob B."))
      try write(
        [(cyd, .settings(SettingsChange(push: changes[2]))), (bob, .allSeen(until: lab.now))]
          + changes[..<10].map { (bob, .settings(SettingsChange(push: $0))) }
          + [(bob, .settings(SettingsChange(displayName: .set(name))))], lab)
      var bobs = PlayerSettings(displayName: name)
      for change in changes[..<10] { bobs.push.apply(change) }
      expectNoDifference(try stores.reader.settings(bob).settings, bobs)
      expectNoDifference(
        try stores.reader.settings(cyd).settings,
        PlayerSettings(push: PushPreferences(quietHours: hours)))
      expectNoDifference(try stores.reader.settings(ann).settings, expected)
    },
    StoreCase("A job is due where its kind is wanted and a device may be told") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let ann = TestPlayer.ann.id
      let job = PushJob(id: PushJobID(rawValue: 1), kind: .matchEnded, player: ann)
      let other = PushJob(id: PushJobID(rawValue: 2), kind: .reacted, player: ann)
      #expect(try stores.push.holds(job))
      try write([(ann, .settings(SettingsChange(kinds: [.matchEnded: false])))], lab)
      #expect(try !stores.push.holds(job) && stores.push.holds(other))
      try write([(ann, .device(try device("phone", nil, .denied)))], lab)
      #expect(try !stores.push.holds(other))
      try write([(ann, .device(try device("pad", nil, .provisional)))], lab)
      #expect(try stores.push.holds(other))
      try write([(ann, .settings(SettingsChange(kinds: [.matchEnded: true])))], lab)
      #expect(try stores.push.holds(job))
    },
    StoreCase("Notifications name the opponent as the opponent wants to be called") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      let jobs = [(ann, id), (bob, id), (bob, MatchID(rawValue: 99))].enumerated().map {
        number, row in
        PushJob(
          id: PushJobID(rawValue: UInt128(number)), kind: .reacted, player: row.0,
          match: row.1)
      }
      func names() throws -> [String?] {
        try jobs.map { try stores.push.details($0)?.opponent?.name }
      }
      #expect(try names() == ["Bob", "Ann", nil])
      let name = try #require(DisplayName("Ann of Gables"))
      try write([(ann, .settings(SettingsChange(displayName: .set(name))))], lab)
      #expect(try names() == ["Bob", "Ann of Gables (Ann)", nil])
      // A display name may be anybody's: the account's own name stands beside it.
      for (text, called) in [
        ("Bob", "Bob (Ann)"), ("Bob (Bob)", "Bob (Bob) (Ann)"), ("ANN", "ANN"),
      ] {
        let other = try #require(DisplayName(text))
        try write([(ann, .settings(SettingsChange(displayName: .set(other))))], lab)
        #expect(try names() == ["Bob", called, nil])
      }
      try write([(ann, .settings(SettingsChange(displayName: .set(name))))], lab)
      let phone = try device("phone", "one", .authorized)
      try write([(bob, .device(phone))], lab)
      // A device that may not be notified: its token is given to nobody.
      try write([(bob, .device(try device("pad", "two", .denied)))], lab)
      let briefings = try stores.push.brief(jobs)
      let details = jobs.map { job -> PushStore.Details? in
        guard case .due(let details)? = briefings[job.id] else { return nil }
        return details
      }
      expectNoDifference(
        details.map { $0?.opponent }, [.init(bob, "Bob"), .init(ann, "Ann of Gables (Ann)"), nil])
      expectNoDifference(details.map { $0?.devices }, [[], [phone], [phone]])
    },
    StoreCase("A player is passed over after switching off the daily's notification") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      try write(
        [(TestPlayer.bob.id, .settings(SettingsChange(kinds: [.dailyReady: false])))], lab)
      let key = DailyKey(day: Day(containing: lab.now))
      _ = try stores.scheduler.keepDaily(
        Dealer.daily(key, lexicon: .everyWord, secret: .test))
      while try stores.scheduler.fanOutDaily(key, 1) {}
      let jobs = try stores.relay.claim(.zero, 10)
      #expect(
        Set(jobs)
          == Set(
            [TestPlayer.ann.id, TestPlayer.cyd.id].map {
              PushJob(dailyReady: key, to: $0)
            }))
      try stores.relay.finish([])
    },
  ]

  private static func device(
    _ name: String, _ token: String?, _ permission: Device.Permission
  ) throws -> Device {
    Device(name: try #require(DeviceName(name)), token: token, permission: permission)
  }

  private static func known(by player: PlayerID, _ stores: StoreSet) throws -> [Device] {
    let row = try stores.reader.settings(player)
    return row.devices.map(\.device)
  }

  private static func devices(of player: PlayerID, _ stores: StoreSet) throws -> [Device] {
    let job = PushJob(id: PushJobID(rawValue: 1), kind: .matchEnded, player: player)
    return try stores.push.details(job)?.devices ?? []
  }

  private static func write(
    _ changes: [(PlayerID, PlayerChange)], _ lab: StoreLab, later seconds: Int64 = 0
  ) throws {
    var write = BatchWrite(now: lab.now.adding(seconds: seconds))
    write.playerChanges = changes.map { BatchWrite.PlayerRow(player: $0.0, change: $0.1) }
    try lab.store.commit(write)
  }
}
