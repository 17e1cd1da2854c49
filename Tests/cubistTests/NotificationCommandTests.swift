import CubePlay
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
        devices: [
          DeviceView(device: "phone", permission: "denied", hasToken: true),
          DeviceView(
            device: "browser", service: "webPush", permission: "authorized", hasToken: true,
            arrivedAt: Made.now.adding(seconds: -7_200), answer: "201 Created",
            answeredAt: Made.now.adding(seconds: -7_200)),
        ]))
    expectNoDifference(
      lab.run("settings").output,
      """
      Name in notifications: Ada L.

      Notification  State
      matchEnded    off
      yourTurn      on
      reminders     off

      Time                 State
      time zone            UTC
      quiet hours          none
      news within minutes  as one
      nudges               on
      digest               none
      review               none
      language             en

      Device   Permission  Service  Last arrived  Last answer
      phone    denied      app      never         none
      browser  authorized  webPush  2 h ago       201 Created, 2 h ago

      """)
    #expect(Self.lab().run("settings").output.hasSuffix("\nNo device is known to the service.\n"))
  }

  @Test("Commands about devices print devices alone, and programs get all settings")
  func devices() {
    #expect(Self.lab().run("devices").output == "No device is known to the service.\n")
    let lab = Self.lab(
      SettingsView(
        displayName: "Ada L.", kinds: ["matchEnded": false], reminders: false,
        devices: ["phone", "tablet"].map {
          DeviceView(device: $0, permission: "authorized", hasToken: true)
        }))
    let head = "Device  Permission  Service  Last arrived  Last answer\n"
    let phone = "phone   authorized  app      never         none\n"
    expectNoDifference(
      lab.run("devices").output,
      head + phone + "tablet  authorized  app      never         none\n")
    expectNoDifference(lab.run("devices add phone --token t").output, head + phone)
    #expect(lab.run("devices remove phone").output == "phone gets no more notifications.\n")
    for line in ["devices", "devices add phone --token t", "devices remove phone"] {
      let run = lab.run("\(line) --json")
      #expect(run.output.contains(#""kinds":{"matchEnded":false}"#), "\(line)")
    }
  }

  @Test("A test of notifications says on how many devices it can arrive, and how to add one")
  func notificationTest() {
    let none = Self.lab().run("notify test")
    #expect(none.status == 0 && none.output.hasPrefix("You have no device, so nothing will arrive"))
    #expect(none.errors.contains("cubist devices add phone --token TOKEN"))
    for (permission, hasToken, beginning) in [
      ("denied", true, "None of your devices takes notifications"),
      ("authorized", false, "None of your devices takes notifications"),
      ("provisional", true, "A notification is on its way to your device."),
    ] {
      let device = DeviceView(device: "phone", permission: permission, hasToken: hasToken)
      let run = Self.lab(
        SettingsView(displayName: nil, kinds: [:], reminders: true, devices: [device])
      )
      .run("notify test")
      #expect(run.status == 0 && run.output.hasPrefix(beginning), "\(permission)")
    }
    let devices = ["phone", "tablet"].map {
      DeviceView(device: $0, permission: "authorized", hasToken: true)
    }
    let run = Self.lab(
      SettingsView(displayName: nil, kinds: [:], reminders: true, devices: devices)
    )
    .run("notify test")
    #expect(run.output == "A notification is on its way to 2 devices.\n")
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

  @Test("The times of notifications are sent as they were said, and a wrong one is named here")
  func times() throws {
    let lab = Self.lab()
    let from = try #require(MinuteOfDay("22:00"))
    let until = try #require(MinuteOfDay("07:30"))
    let hours = try #require(QuietHours(from: from, until: until))
    for line in [
      "settings --time-zone Europe/Berlin --quiet-hours 22:00-07:30 --language de",
      "settings --quiet-hours none --no-bundle --no-nudges --time-zone none",
      "settings --digest 08:00 --review sunday", "settings --digest none --review none --bundle",
      "settings --nudges", "notify test",
    ] { #expect(lab.run(line).status == 0, "\(line)") }
    expectNoDifference(
      lab.service.events.map(\.action),
      [
        PushChange(
          timeZone: TimeZoneName("Europe/Berlin").map { .set($0) }, language: .german,
          quietHours: .set(hours)),
        PushChange(
          timeZone: .removed, quietHours: .removed, isBundled: false, takesNudges: false),
        PushChange(digest: MinuteOfDay("08:00").map { .set($0) }, review: .set(.sunday)),
        PushChange(isBundled: true, digest: .removed, review: .removed),
        PushChange(takesNudges: true),
      ].map { .settingsChanged(SettingsChange(push: $0)) }
        + [.notificationTested(Event.NotificationTested())])
    for (line, fault) in [
      ("settings --time-zone Mars!", "'Mars!' is no name of a time zone."),
      ("settings --quiet-hours 22:00", "'22:00' are no quiet hours."),
      ("settings --quiet-hours 22:00-24:00", "'22:00-24:00' are no quiet hours."),
      ("settings --quiet-hours 22:00-22:00", "their beginning is their end"),
      ("settings --quiet-hours none --quiet-late silent", "no meaning without quiet hours"),
      ("settings --quiet-late loud", "'loud' is neither silent nor dropped."),
      ("settings --digest 8:00", "'8:00' is no time of a day."),
      ("settings --review someday", "'someday' is no day."),
      ("settings --language fr", "'fr' is no language of notifications. There are en and de."),
      ("settings --bundle name", "go without `name`"),
      ("settings --no-nudges set all on", "go without `set`"),
      ("settings --quiet-late dropped", "You have no quiet hours. Say --quiet-hours, too."),
    ] {
      let run = lab.run(line)
      #expect(run.status == 64 && run.errors.contains(fault), "\(line): \(run.errors)")
    }
    #expect(lab.service.events.count == 6)
  }

  @Test("A time zone that the machine's list lacks is refused; without a list any name is taken")
  func unknownTimeZone() {
    let lab = Self.lab()
    lab.timeZones = ["Europe/Berlin"]
    let run = lab.run("settings --time-zone Mars/Base --no-nudges")
    #expect(run.status == 64 && lab.service.events == [])
    #expect(
      run.errors == """
        cubist: 'Mars/Base' is no time zone that this machine knows. Use a name such as \
        Europe/Berlin, or none for UTC.

        """)
    for line in ["settings --time-zone Europe/Berlin", "settings --time-zone none"] {
      #expect(lab.run(line).status == 0, "\(line)")
    }
    lab.timeZones = nil
    #expect(lab.run("settings --time-zone Mars/Base").status == 0)
    #expect(lab.service.events.count == 3)
  }

  @Test("The whole screen explains an unknown time zone beside its field")
  func unknownTimeZoneOnScreen() {
    let checks = FieldChecks.live(hasTimeZone: { $0 == "Europe/Berlin" })
    #expect(checks.timeZone("Mars/Base") == "a name such as Europe/Berlin")
    #expect(checks.timeZone("Mars!") != nil && checks.timeZone("Europe/Berlin") == nil)
    #expect(FieldChecks.live(hasTimeZone: { _ in nil }).timeZone("Mars/Base") == nil)
  }

  @Test("This machine's list has other names of a zone, and not everything")
  func timeZoneList() {
    for name in ["Europe/Berlin", "US/Pacific", "UTC"] {
      #expect(TimeZoneList.has(name) != false, "\(name)")
    }
    #expect(TimeZoneList.has("Mars/Base") != true)
  }

  @Test("Half of the quiet hours keeps the other half as it is")
  func halfQuiet() throws {
    let from = try #require(MinuteOfDay("22:00"))
    let until = try #require(MinuteOfDay("07:30"))
    let now = QuietHours(from: from, until: until, late: .dropped)
    let lab = Self.lab(
      SettingsView(PlayerSettings(push: PushPreferences(quietHours: now)), devices: []))
    #expect(lab.run("settings").output.contains("22:00 to 07:30, what cannot wait does not come"))
    #expect(lab.run("settings --quiet-late silent").status == 0)
    #expect(lab.run("settings --quiet-hours 07:30-22:00").status == 0)
    expectNoDifference(
      lab.service.events.map(\.action),
      [
        QuietHours(from: from, until: until, late: .silent),
        QuietHours(from: until, until: from, late: .dropped),
      ].map { hours in
        .settingsChanged(SettingsChange(push: PushChange(quietHours: hours.map { .set($0) })))
      })
  }

  @Test("A device of Apple's is added by its token; a browser and a wrong token are refused")
  func services() throws {
    let lab = Self.lab()
    let token = String(repeating: "0A", count: 32)
    #expect(lab.run("devices add iphone --service apns --token \(token)").status == 0)
    expectNoDifference(
      lab.service.events.map(\.action),
      [
        .deviceRegistered(
          Device(
            name: try #require(DeviceName("iphone")), route: .apns(token: token.lowercased()),
            permission: .authorized))
      ])
    for line in [
      "devices add iphone --service apns", "devices add iphone --service apns --token 0a0b",
      "devices add web --service webPush", "devices add x --service fax",
      "devices add x --token \(String(repeating: "x", count: 513))",
    ] { #expect(lab.run(line).status == 64, "\(line)") }
    #expect(lab.service.events.count == 1)
  }

  @Test("The machine's time zone is suggested where the player has none")
  func suggestion() throws {
    let link = "/usr/share/zoneinfo/Europe/Berlin"
    for (variables, link, name) in [
      ([:], link, "Europe/Berlin"), ([:], "../usr/share/zoneinfo/posix/Asia/Tokyo", "Asia/Tokyo"),
      (["TZ": ":America/New_York"], link, "America/New_York"), (["TZ": ""], link, "Europe/Berlin"),
      (["TZ": "/usr/share/zoneinfo/Asia/Tokyo"], link, "Asia/Tokyo"),
      (["TZ": "CET-1CEST"], link, nil),
      (["TZ": ":/etc/localtime"], link, nil), ([:], "/usr/share/zoneinfo/Etc/UTC", nil),
      ([:], nil, nil), (["TZ": "a b/c"], nil, nil),
    ] as [([String: String], String?, String?)] {
      #expect(LocalTimeZone.name(variables, link: link)?.text == name)
    }
    let lab = Self.lab()
    lab.variables["TZ"] = "Europe/Berlin"
    #expect(
      lab.run("settings").output.contains(
        "This machine is in Europe/Berlin: cubist settings --time-zone Europe/Berlin\n"))
    let zoned = Self.lab(
      SettingsView(
        PlayerSettings(push: PushPreferences(timeZone: TimeZoneName("Asia/Tokyo"))), devices: []))
    zoned.variables["TZ"] = "Europe/Berlin"
    #expect(!zoned.run("settings").output.contains("This machine"))
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
