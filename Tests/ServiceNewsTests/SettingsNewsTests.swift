import CubePlay
import MatchCore
import MatchWire
import ServiceNews
import Testing

@Suite("Settings of the service as the game shows them")
struct SettingsNewsTests {
  @Test("The service's settings are all there, reminders beside their switch")
  func news() throws {
    let devices = [
      Device(name: try #require(DeviceName("phone")), token: nil, permission: .denied),
      Device(name: try #require(DeviceName("watch")), token: "t", permission: .provisional),
    ]
    let view = SettingsView(
      PlayerSettings(muted: [.yourTurn], reminders: false),
      devices: devices.map { RegisteredDevice($0) })
    let blocks = BlockList(
      players: [.init(player: Made.grace, name: Made.name("grace"), since: Made.now)])
    let values = SettingsValues(view, blocks, now: Made.now)
    #expect(values.displayName == "" && values.blocked == ["grace"])
    #expect(values.notifications.count == PushJob.Kind.optional.count + 1)
    #expect(values.notifications.filter { !$0.isOn }.map(\.name) == ["yourTurn", "reminders"])
    let last = values.notifications.suffix(5).map(\.name)
    #expect(last == ["reminders", "turnRunningOut", "dailyEndsSoon", "nudged", "rematchWaits"])
    #expect(
      values.devices == [
        DeviceSetting(name: "phone", permission: .denied, hasToken: false),
        DeviceSetting(name: "watch", permission: .provisional, hasToken: true),
      ])
  }

  @Test(
    "The wishes come from the service and go back as they are; each option is the service's own")
  func wishes() throws {
    let from = try #require(MinuteOfDay("22:00"))
    let until = try #require(MinuteOfDay("07:30"))
    let hours = QuietHours(from: from, until: until, late: .dropped)
    let push = PushPreferences(
      timeZone: TimeZoneName("Europe/Berlin"), language: .german, quietHours: hours,
      isBundled: false, takesNudges: false, digest: MinuteOfDay("08:00"), review: .sunday)
    let blocks = BlockList(players: [])
    let values = SettingsValues(
      SettingsView(PlayerSettings(push: push), devices: []), blocks, now: Made.now)
    #expect(
      WishText.allCases.map { values.wishes[$0] } == ["22:00", "07:30", "Europe/Berlin", "08:00"])
    #expect(
      WishChoice.allCases.map { values.wishes[$0] } == ["dropped", "de", "sunday", "off", "off"])
    let edits: [SettingsEdit] = [
      .quietHours(from: "22:00", until: "07:30", late: "dropped"),
      .wish(.timeZone, "Europe/Berlin"), .wish(.digest, "08:00"), .choice(.language, "de"),
      .choice(.review, "sunday"), .choice(.bundle, "off"), .choice(.nudges, "off"),
    ]
    var settings = PlayerSettings()
    settings.apply(SettingsChanges(edits).settings)
    #expect(settings.push == push)
    settings.apply(
      SettingsChanges([
        .quietHours(from: "", until: "", late: "silent"), .wish(.timeZone, ""),
        .wish(.digest, ""), .choice(.language, "en"), .choice(.review, "none"),
        .choice(.bundle, "on"), .choice(.nudges, "on"),
      ]).settings)
    #expect(settings.push == PushPreferences())
    #expect(WishChoice.late.options == QuietHours.Late.allCases.map(\.rawValue))
    #expect(WishChoice.language.options == PushLanguage.allCases.map(\.rawValue))
    #expect(WishChoice.review.options == ["none"] + Weekday.allCases.map(\.rawValue))
  }

  @Test("A device's news are the way to it, its last arrival, and a later answer")
  func deviceNews() {
    func news(_ service: String, _ arrived: Int64?, _ answered: Int64?) -> String? {
      let view = SettingsView(
        displayName: nil, kinds: [:], reminders: true,
        devices: [
          DeviceView(
            device: "d", service: service, permission: "authorized", hasToken: true,
            arrivedAt: arrived.map { Made.now.adding(seconds: -$0) },
            answer: answered == nil ? nil : "410 Gone",
            answeredAt: answered.map { Made.now.adding(seconds: -$0) })
        ])
      return SettingsValues(view, BlockList(players: []), now: Made.now).devices.first?.news
    }
    #expect(news("app", nil, nil) == "")
    #expect(news("webPush", nil, nil) == "a browser")
    #expect(news("webPush", 7_200, 7_200) == "a browser, last told 2 h ago")
    #expect(news("apns", 7_200, 60) == "a device of Apple's, last told 2 h ago, 410 Gone")
    #expect(news("later", nil, 60) == "410 Gone")
  }

  @Test("Saving sends one change of settings, and one event for each device and player")
  func changes() {
    let changes = SettingsChanges([
      .displayName("Ada"), .notification("yourTurn", isOn: false),
      .notification("reminders", isOn: true), .device("phone", .authorized),
      .deviceRemoved("watch"), .blocked("grace"), .unblocked("alan"),
    ])
    #expect(
      changes.settings
        == SettingsChange(
          displayName: DisplayName("Ada").map { .set($0) }, kinds: [.yourTurn: false],
          reminders: true))
    #expect(changes.devices.map(\.name.text) == ["phone"])
    #expect(changes.removed.map(\.text) == ["watch"])
    #expect(changes.players.map(\.name) == ["grace", "alan"])
    #expect(changes.players.map(\.isBlocked) == [true, false])
    #expect(SettingsChanges([.displayName("")]).settings.displayName == .removed)
  }

  @Test("The checks are the service's own")
  func checks() {
    let checks = FieldChecks.live
    #expect(checks.playerName("ada") == nil && checks.playerName("a b c") != nil)
    #expect(checks.displayName("Ada L.") == nil && checks.displayName(" Ada") != nil)
    #expect(checks.deviceName("my-phone.2") == nil && checks.deviceName("my phone") != nil)
    #expect(checks.turnLimit("12h") == nil)
    #expect(checks.turnLimit("soon") == "3d, 12h, 90m or 45s")
    #expect(checks.turnLimit("9s") == "10s to 30d" && checks.turnLimit("31d") == "10s to 30d")
    #expect(checks.code("7k3qx2m9") == nil && checks.code("7K3") != nil)
    #expect(
      checks.time("07:30") == nil && checks.time("7:30") != nil && checks.time("24:00") != nil)
    #expect(checks.timeZone("Europe/Berlin") == nil && checks.timeZone("Berlin time") != nil)
    #expect(checks.deviceLimit == Device.limit)
  }
}
