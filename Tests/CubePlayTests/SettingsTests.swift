import Testing

@testable import CubePlay

typealias SettingsStore = TestStore<SettingsScreen, SettingsAction, SettingsEffect>

extension SettingsValues {
  /// Ada's settings.
  static let ada = SettingsValues(
    displayName: "Ada L.",
    notifications: [
      NotificationSetting(name: "yourTurn", text: "it is your turn", isOn: true),
      NotificationSetting(name: "matchEnded", text: "a match is over", isOn: false),
    ],
    devices: [
      DeviceSetting(name: "phone", permission: .authorized, hasToken: false),
      DeviceSetting(name: "watch", permission: .provisional, hasToken: true),
    ], blocked: ["mallory", "trudy"])
}

extension SettingsScreen {
  fileprivate mutating func change(_ change: (inout SettingsForm) -> Void) {
    guard case .shown(var form) = content else { return }
    change(&form)
    content = .shown(form)
  }
}

@Suite("Settings on a copy")
struct SettingsTests {
  private static func store(
    _ change: (inout SettingsForm) -> Void = { _ in }
  ) -> SettingsStore {
    var form = SettingsForm(.ada)
    change(&form)
    var screen = SettingsScreen()
    screen.content = .shown(form)
    return TestStore(screen, SettingsScreen.reducer(checks: .test))
  }

  /// A form with another display name in notifications.
  private static func renamed() -> SettingsStore { store { $0.displayName = TextEntry("Ada") } }

  @Test("They are asked for; a failure is said until they arrive, and can be left")
  func loading() {
    var store = TestStore(SettingsScreen(), SettingsScreen.reducer(checks: .test))
    store.send(.appeared, effects: [.load])
    store.send(.typed("x"))
    store.send(.failed("Away.")) { $0.content = .failed("Away.") }
    store.send(.leaveAsked(.home), effects: [.leave(.home)])
    store.send(.arrived(.ada)) { $0.content = .shown(SettingsForm(.ada)) }
    // The shown settings stay.
    store.send(.failed("Away."))
    store.send(.leaveAsked(.quit), effects: [.leave(.quit)])
  }

  @Test("A fault in the name is said while it is typed, and the name is not saved")
  func name() {
    var store = Self.store { $0.displayName = TextEntry("") }
    store.send(.typed("!")) {
      $0.change { ($0.displayName.text, $0.displayName.fault) = ("!", "odd") }
    }
    store.send(.moved(99)) { $0.change { $0.focus = .save } }
    store.send(.chosen) {
      $0.change {
        ($0.focus, $0.notice) = (
          .displayName, "The name in notifications is not right yet. Nothing was saved."
        )
      }
    }
    store.send(.erased) {
      $0.change { ($0.displayName, $0.notice) = (TextEntry(), nil) }
    }
    store.send(.saveAsked, effects: [.save([.displayName("")])]) {
      $0.change { $0.stage = .saving(then: nil) }
    }
  }

  @Test("A blank name is an empty one: the name that was registered")
  func blankName() {
    var store = Self.store { $0.displayName = TextEntry("") }
    store.send(.typed(" ")) { $0.change { $0.displayName = TextEntry(" ") } }
    store.send(.saveAsked, effects: [.save([.displayName("")])]) {
      $0.change { $0.stage = .saving(then: nil) }
    }
    var none = SettingsValues.ada
    none.displayName = ""
    var form = SettingsForm(none)
    form.displayName = TextEntry("  ")
    #expect(!form.isChanged)
  }

  @Test("A device that is not added and not right is named where all is to be saved")
  func wrongDevice() {
    var store = Self.store { $0.focus = .newDevice }
    store.send(.typed("!")) {
      $0.change { ($0.newDevice.text, $0.newDevice.fault) = ("!", "odd") }
    }
    store.send(.moved(-99)) { $0.change { $0.focus = .displayName } }
    store.send(.saveAsked) {
      $0.change {
        ($0.focus, $0.notice) = (
          .newDevice, "The name of another device is not right yet. Nothing was saved."
        )
      }
    }
  }

  @Test("All that was changed is saved at once, and nothing where nothing was")
  func saving() {
    var store = Self.store()
    store.send(.saveAsked) { $0.change { $0.notice = "Nothing is changed." } }
    store.send(.moved(1)) {
      $0.change { ($0.focus, $0.notice) = (.notification(0), nil) }
    }
    store.send(.typed(" ")) { $0.change { $0.notifications[0].isOn = false } }
    store.send(.typed("x"))
    store.send(.chosen) { $0.change { $0.notifications[0].isOn = true } }
    store.send(.chosen) { $0.change { $0.notifications[0].isOn = false } }
    store.send(.moved(11)) { $0.change { $0.focus = .device(0) } }
    store.send(.typed(" ")) { $0.change { $0.devices[0].permission = .denied } }
    store.send(
      .saveAsked,
      effects: [.save([.notification("yourTurn", isOn: false), .device("phone", .denied)])]
    ) { $0.change { $0.stage = .saving(then: nil) } }
    // Meanwhile nothing is changed.
    store.send(.typed(" "))
    store.send(.saveAsked)
    store.send(.answered(.saved), effects: [.load]) {
      $0.change {
        ($0.stage, $0.notice, $0.saved) = (.editing, "Saved.", $0.edited)
      }
    }
    #expect(store.state.form?.isChanged == false)
  }

  @Test("A device with a token keeps its permission")
  func token() {
    var store = Self.store { $0.focus = .device(1) }
    store.send(.typed(" ")) {
      $0.change { $0.notice = "What it may show is said on the device itself." }
    }
  }

  @Test("The next device can be typed after one was added, and a fault in it is said")
  func addingDevice() {
    var store = Self.store { $0.focus = .newDevice }
    store.send(.chosen)
    store.send(.typed("!")) {
      $0.change { ($0.newDevice.text, $0.newDevice.fault) = ("!", "odd") }
    }
    store.send(.chosen)
    store.send(.erased) { $0.change { $0.newDevice = TextEntry() } }
    for count in 1...5 {
      store.send(.typed(Array("phone")[count - 1])) {
        $0.change { $0.newDevice = TextEntry(String("phone".prefix(count))) }
      }
    }
    store.send(.chosen) { $0.change { $0.newDevice.fault = "is there already" } }
    store.send(.typed("2")) { $0.change { $0.newDevice = TextEntry("phone2") } }
    store.send(.chosen) {
      $0.change {
        $0.devices.append(
          DeviceSetting(name: "phone2", permission: .authorized, hasToken: false))
        $0.newDevice = TextEntry()
      }
    }
    #expect(store.state.form?.focus == .newDevice)
    store.send(.typed("a")) { $0.change { $0.newDevice = TextEntry("a") } }
    store.send(.chosen) {
      $0.change { $0.notice = "There can be 3 devices. Remove one first." }
    }
  }

  @Test("The next device is selected after one was removed, then the last, then adding")
  func removingDevice() {
    var store = Self.store { $0.focus = .device(0) }
    store.send(.erased) { $0.change { $0.devices.remove(at: 0) } }
    #expect(store.state.form?.focus == .device(0))
    store.send(.erased) { $0.change { ($0.devices, $0.focus) = ([], .newDevice) } }
    store.send(.erased)
    store.send(
      .saveAsked, effects: [.save([.deviceRemoved("phone"), .deviceRemoved("watch")])]
    ) { $0.change { $0.stage = .saving(then: nil) } }
  }

  @Test("Blocked players are edited in the same way; names that differ in case are one")
  func blocking() {
    var store = Self.store { $0.focus = .blocked(1) }
    store.send(.erased) { $0.change { ($0.blocked, $0.focus) = (["mallory"], .blocked(0)) } }
    store.send(.moved(1)) { $0.change { $0.focus = .newBlocked } }
    for count in 1...3 {
      store.send(.typed(Array("Eve")[count - 1])) {
        $0.change {
          $0.newBlocked = TextEntry(String("Eve".prefix(count)))
          $0.newBlocked.fault = count < 3 ? "3 or more" : nil
        }
      }
    }
    store.send(.chosen) {
      $0.change { ($0.blocked, $0.newBlocked) = (["mallory", "Eve"], TextEntry()) }
    }
    store.send(.typed("e")) {
      $0.change { ($0.newBlocked.text, $0.newBlocked.fault) = ("e", "3 or more") }
    }
    store.send(.saveAsked) {
      $0.change { $0.notice = "The name of another player is not right yet. Nothing was saved." }
    }
    store.send(.typed("v")) {
      $0.change { ($0.newBlocked.text, $0.notice) = ("ev", nil) }
    }
    store.send(.typed("e")) { $0.change { $0.newBlocked = TextEntry("eve") } }
    store.send(.chosen) { $0.change { $0.newBlocked.fault = "is there already" } }
  }

  @Test("Text that was typed and not added is added and saved; an unknown name comes back")
  func typedOnly() {
    var store = Self.store {
      ($0.newBlocked, $0.newDevice) = (TextEntry("eve"), TextEntry("tablet"))
    }
    let tablet = DeviceSetting(name: "tablet", permission: .authorized, hasToken: false)
    store.send(
      .saveAsked, effects: [.save([.device("tablet", .authorized), .blocked("eve")])]
    ) {
      $0.change {
        $0.devices.append(tablet)
        $0.blocked.append("eve")
        ($0.newBlocked, $0.newDevice) = (TextEntry(), TextEntry())
        $0.stage = .saving(then: nil)
      }
    }
    store.send(.answered(.wrongName("eve", "nobody has that name"))) {
      $0.change {
        $0.blocked.removeLast()
        ($0.newBlocked.text, $0.newBlocked.fault) = ("eve", "nobody has that name")
        ($0.focus, $0.stage) = (.newBlocked, .editing)
        $0.notice = "The name of another player is not right yet. Nothing was saved."
      }
    }
  }

  @Test("Entries survive a lost connection, and their saved parts are not sent again")
  func connection() {
    var store = Self.renamed()
    store.send(.moved(1)) { $0.change { $0.focus = .notification(0) } }
    store.send(.chosen) { $0.change { $0.notifications[0].isOn = false } }
    let edits: [SettingsEdit] = [.displayName("Ada"), .notification("yourTurn", isOn: false)]
    store.send(.saveAsked, effects: [.save(edits)]) {
      $0.change { $0.stage = .saving(then: nil) }
    }
    store.send(.answered(.away("Away."))) {
      $0.change { ($0.stage, $0.trouble) = (.editing, "Away.") }
    }
    // The name was saved before, and another program has blocked somebody else.
    var now = SettingsValues.ada
    (now.displayName, now.blocked) = ("Ada", ["mallory"])
    store.send(.arrived(now)) {
      $0.change { ($0.saved, $0.blocked, $0.trouble) = (now, ["mallory"], nil) }
    }
    store.send(.saveAsked, effects: [.save([.notification("yourTurn", isOn: false)])]) {
      $0.change { ($0.stage, $0.notice) = (.saving(then: nil), nil) }
    }
    // The service's own message stays.
    store.send(.answered(.failed("Too much.")), effects: [.load]) {
      $0.change { ($0.stage, $0.notice) = (.editing, "Too much.") }
    }
    store.send(.arrived(now))
  }

  @Test("A device that got a token while it was changed here keeps it")
  func tokenMeanwhile() {
    var store = Self.store { $0.devices[0].permission = .denied }
    var now = SettingsValues.ada
    now.devices[0].hasToken = true
    store.send(.arrived(now)) {
      $0.change { ($0.saved, $0.devices) = (now, now.devices) }
    }
  }

  @Test("The selected row or the nearest one stays selected after any arrival")
  func focusAfterArrival() {
    var store = Self.store { $0.focus = .blocked(1) }
    var now = SettingsValues.ada
    now.blocked = ["mallory"]
    store.send(.arrived(now)) {
      $0.change { ($0.saved, $0.blocked, $0.focus) = (now, ["mallory"], .blocked(0)) }
    }
    now.notifications = []
    store.send(.moved(-99)) { $0.change { $0.focus = .displayName } }
    store.send(.moved(2)) { $0.change { $0.focus = .notification(1) } }
    store.send(.arrived(now)) {
      $0.change { ($0.saved, $0.notifications, $0.focus) = (now, [], .displayName) }
    }
  }

  @Test("The player is asked before changes are lost: save, throw away, or go on")
  func leaving() {
    var store = Self.renamed()
    store.send(.leaveAsked(.home)) { $0.change { $0.stage = .doubted(.home) } }
    store.send(.typed("x"))
    store.send(.doubtAnswered(.stay)) { $0.change { $0.stage = .editing } }
    store.send(.leaveAsked(.home)) { $0.change { $0.stage = .doubted(.home) } }
    store.send(.doubtAnswered(.save), effects: [.save([.displayName("Ada")])]) {
      $0.change { $0.stage = .saving(then: .home) }
    }
    store.send(.answered(.failed("Away.")), effects: [.load]) {
      $0.change { ($0.stage, $0.notice) = (.editing, "Away.") }
    }
    store.send(.leaveAsked(.quit)) {
      $0.change { ($0.stage, $0.notice) = (.doubted(.quit), nil) }
    }
    store.send(.doubtAnswered(.throwAway), effects: [.leave(.quit)])
  }

  @Test("Saving on the way out leaves the screen, and so does asking twice to leave")
  func leavingTwice() {
    var store = Self.renamed()
    store.send(.saveAsked, effects: [.save([.displayName("Ada")])]) {
      $0.change { $0.stage = .saving(then: nil) }
    }
    store.send(.leaveAsked(.home)) { $0.change { $0.stage = .saving(then: .home) } }
    store.send(.answered(.saved), effects: [.leave(.home)]) {
      $0.change { ($0.stage, $0.saved, $0.notice) = (.editing, $0.edited, "Saved.") }
    }
    // A player need not wait for an answer that does not come.
    var slow = Self.renamed()
    slow.send(.saveAsked, effects: [.save([.displayName("Ada")])]) {
      $0.change { $0.stage = .saving(then: nil) }
    }
    slow.send(.leaveAsked(.quit)) { $0.change { $0.stage = .saving(then: .quit) } }
    slow.send(.leaveAsked(.quit), effects: [.leave(.quit)])
    var other = Self.renamed()
    other.send(.leaveAsked(.quit)) { $0.change { $0.stage = .doubted(.quit) } }
    other.send(.leaveAsked(.quit), effects: [.leave(.quit)])
  }

  @Test("The edits between any two settings turn one into the other")
  func edits() {
    var other = SettingsValues.ada
    other.displayName = ""
    other.notifications[1].isOn = true
    other.devices = [
      DeviceSetting(name: "phone", permission: .denied, hasToken: false),
      DeviceSetting(name: "tablet", permission: .authorized, hasToken: false),
    ]
    other.blocked = ["trudy", "eve"]
    var changed = SettingsValues.ada
    for edit in SettingsValues.ada.edits(to: other) { changed.apply(edit) }
    #expect(changed == other)
    #expect(SettingsValues.ada.edits(to: .ada).isEmpty)
  }
}

@Suite("Settings in the game")
struct SettingsInTheGameTests {
  private static func store(_ form: SettingsForm) -> AppStore {
    var app = GameApp()
    var screen = SettingsScreen()
    screen.content = .shown(form)
    app.place = .menu(.settings(screen))
    return TestStore(app, GameApp.reducer(words: .walk, checks: .test))
  }

  @Test("They are opened, asked for again when the service is back, and left without a change")
  func opening() {
    var store = TestStore(GameApp(), GameApp.reducer(words: .walk, checks: .test))
    let load = GameEffect.menu(.settings(.load))
    store.send(.menu(.opened(.settings)), effects: [load]) {
      $0.place = .menu(.settings(SettingsScreen()))
    }
    store.send(.connectionFound, effects: [.home(.load), load])
    store.send(.left, effects: [.home(.load)]) { $0.place = .home }
  }

  @Test("Neither Esc nor the end of the game loses a change without asking")
  func asking() {
    var form = SettingsForm(.ada)
    form.displayName = TextEntry("Ada")
    for (action, leaving) in [(GameAction.left, SettingsForm.Leaving.home), (.quit, .quit)] {
      var store = Self.store(form)
      var doubted = form
      doubted.stage = .doubted(leaving)
      store.send(.nextAsked)
      store.send(action) {
        var screen = SettingsScreen()
        screen.content = .shown(doubted)
        $0.place = .menu(.settings(screen))
      }
      let end: [GameEffect] = leaving == .quit ? [.quit] : [.home(.load)]
      store.send(.menu(.settings(.doubtAnswered(.throwAway))), effects: end) {
        if leaving == .home { $0.place = .home }
      }
    }
    // Without a change the screen ends without a question.
    var store = Self.store(SettingsForm(.ada))
    store.send(.quit, effects: [.quit])
  }
}
