import CustomDump
import MatchCore
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Settings, devices and inbox at the prompt")
struct NotificationCommandTests {
  /// A lab whose service notes all requests and answers with these settings.
  private static func lab(
    _ settings: SettingsView = SettingsView(PlayerSettings(), devices: [])
  ) -> CommandLab {
    let lab = CommandLab()
    lab.service.onQuery = { kind in
      switch kind {
      case .settings: .answer(settings)
      case .inbox: .answer(InboxView(items: []))
      default: nil
      }
    }
    lab.service.onEvent = { _ in .reply(.accepted(.noted)) }
    return lab
  }

  @Test("Kinds, reminders and devices are tables, with notifications' name for the player")
  func settings() {
    let lab = Self.lab(
      SettingsView(
        displayName: "Ada L.", kinds: ["matchEnded": false, "yourTurn": true], reminders: false,
        devices: [DeviceView(device: "phone", permission: "denied", hasToken: true)]))
    expectNoDifference(
      lab.run("settings").output,
      """
      Name in notifications: Ada L.

      Notification  State
      matchEnded    off
      yourTurn      on
      reminders     off

      Device  Permission
      phone   denied

      """)
    #expect(Self.lab().run("devices").output.hasSuffix("\nNo device is known to the service.\n"))
  }

  @Test("Settings are sent as they were said, and impossible values are refused here")
  func changes() throws {
    let lab = Self.lab(
      SettingsView(
        displayName: nil, kinds: [:], reminders: true,
        devices: [DeviceView(device: "phone", permission: "denied", hasToken: false)]))
    let phone = try #require(DeviceName("phone"))
    for line in [
      "settings set reminders off", "settings set dailyReady on", "settings name",
      "devices add phone --permission denied", "devices remove phone", "inbox --all-seen",
      "inbox --seen 00000000-0000-0000-0000-000000009abc",
    ] { #expect(lab.run(line).status == 0, "\(line)") }
    expectNoDifference(
      lab.service.events.map(\.action),
      [
        .settingsChanged(SettingsChange(reminders: false)),
        .settingsChanged(SettingsChange(kinds: [.dailyReady: true])),
        .settingsChanged(SettingsChange(displayName: .removed)),
        .deviceRegistered(Device(name: phone, token: nil, permission: .denied)),
        .deviceRemoved(phone), .inboxSeen(.all),
        .inboxSeen(.one(PushJobID(rawValue: 0x9abc))),
      ])
    for line in [
      "settings set yourturn on", "settings set all maybe", "devices add ph/one",
      "devices add phone --permission yes", "inbox --seen 9xyz",
      "inbox --all-seen --seen 00000000-0000-0000-0000-000000009abc",
    ] { #expect(lab.run(line).status == 64, "\(line)") }
    #expect(lab.service.events.count == 7)
  }

  @Test("The inbox lists sent notifications with their times and matches")
  func inbox() {
    let lab = CommandLab()
    let job = PushJob(
      id: PushJobID(rawValue: 0x9abc), kind: .yourTurn, player: Made.ada,
      match: Made.match(0x1234), turn: 3)
    let item = InboxItem(
      job: job, title: "Your turn", body: "Play against grace.",
      sentAt: Made.now.adding(seconds: -7_200))
    lab.service.onQuery = { if case .inbox = $0 { .answer(InboxView(items: [item])) } else { nil } }
    expectNoDifference(
      lab.run("inbox").output,
      """
      9abc  Your turn, 2 h ago, match 1234
            Play against grace.

      """)
    #expect(Self.lab().run("inbox").output == "Nothing that you have not seen.\n")
  }

  @Test("A notification is named by the last digits of its id, as far as no other has them")
  func shortID() throws {
    let lab = Self.lab()
    let items = [0x1_9abc, 0x2_9abc, 0x1234].map { number in
      InboxItem(
        job: PushJob(id: PushJobID(rawValue: number), kind: .dailyReady, player: Made.ada),
        title: "Today's challenge", body: "It is there.", sentAt: Made.now)
    }
    lab.service.onQuery = { if case .inbox = $0 { .answer(InboxView(items: items)) } else { nil } }
    #expect(lab.run("inbox").output.contains("19abc  Today's challenge, now\n"))
    #expect(lab.run("inbox --seen 9abc").status == 64)
    #expect(lab.run("inbox --seen ffff").status == 3)
    #expect(lab.service.events == [])
    #expect(lab.run("inbox --seen 1234").status == 0)
    #expect(lab.run("inbox --seen 29ABC").status == 0)
    expectNoDifference(
      lab.service.events.map(\.action),
      [0x1234, 0x2_9abc].map { .inboxSeen(.one(PushJobID(rawValue: $0))) })
  }
}
