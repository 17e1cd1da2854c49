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
    let view = SettingsView(PlayerSettings(muted: [.yourTurn], reminders: false), devices: devices)
    let blocks = BlockList(
      players: [.init(player: Made.grace, name: Made.name("grace"), since: Made.now)])
    let values = SettingsValues(view, blocks)
    #expect(values.displayName == "" && values.blocked == ["grace"])
    #expect(values.notifications.count == PushJob.Kind.optional.count + 1)
    #expect(values.notifications.filter { !$0.isOn }.map(\.name) == ["yourTurn", "reminders"])
    let last = values.notifications.suffix(3).map(\.name)
    #expect(last == ["reminders", "turnRunningOut", "dailyEndsSoon"])
    #expect(
      values.devices == [
        DeviceSetting(name: "phone", permission: .denied, hasToken: false),
        DeviceSetting(name: "watch", permission: .provisional, hasToken: true),
      ])
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
    #expect(checks.deviceLimit == Device.limit)
  }
}
