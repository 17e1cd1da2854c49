import Testing

@testable import CubePlay

@Suite("The keys of the player's devices")
struct KeysTests {
  private static let rows = (1...3).map { number in
    KeyRow(
      key: "\(number)aaaaaaaaaaa", digits: "\(number)aaaaaaa", added: "2 h ago",
      inviter: number == 1 ? nil : "1aaaaaaa", isOwn: number == 2)
  }

  private static func store(
    _ change: (inout KeysScreen) -> Void = { _ in }
  ) -> TestStore<KeysScreen, KeysAction, KeysEffect> {
    var screen = KeysScreen()
    screen.content = .shown(rows)
    change(&screen)
    return TestStore(screen, KeysScreen.reducer)
  }

  private static func open(_ seconds: Int, isListed: Bool = true) -> KeysScreen.Invitation {
    .open(code: "K3F7-9QMN-2XVB", secondsLeft: seconds, isListed: isListed)
  }

  @Test("A list that is there stays, says why it is not a newer one, and keeps its selection")
  func loading() {
    var store = TestStore(KeysScreen(), KeysScreen.reducer)
    store.send(.appeared, effects: [.load])
    store.send(.failed("Away.")) { $0.content = .failed("Away.") }
    store.send(.removeChosen)
    store.send(.arrived(KeysNews(rows: Self.rows))) { $0.content = .shown(Self.rows) }
    store.send(.failed("Away.")) { $0.notice = "Away." }
    store.send(.moved(.max)) { ($0.selectedIndex, $0.notice) = (2, nil) }
    store.send(.arrived(KeysNews(rows: Array(Self.rows.dropFirst())))) {
      ($0.content, $0.selectedIndex) = (.shown(Array(Self.rows.dropFirst())), 1)
    }
    store.send(.arrived(KeysNews(rows: [Self.rows[0]]))) {
      ($0.content, $0.selectedIndex) = (.shown([Self.rows[0]]), 0)
    }
    store.send(.moved(.min))
  }

  @Test("A code is asked for once, and is shown with the time that the service says is left")
  func inviting() {
    var store = Self.store()
    store.send(.inviteChosen, effects: [.invite]) { $0.invitation = .asked }
    store.send(.inviteChosen)
    store.send(.invited(code: "K3F7-9QMN-2XVB", secondsLeft: 600), effects: [.load]) {
      $0.invitation = Self.open(600, isListed: false)
    }
    // This answer is older than the code.
    store.send(.arrived(KeysNews(rows: Self.rows)))
    store.send(.secondPassed, effects: [.load]) {
      $0.invitation = Self.open(599, isListed: false)
    }
    store.send(.secondPassed) { $0.invitation = Self.open(598, isListed: false) }
    // A computer that slept has missed seconds.
    store.send(.arrived(KeysNews(rows: Self.rows, codeSecondsLeft: 90))) {
      $0.invitation = Self.open(90)
    }
    store.send(.inviteChosen, effects: [.invite]) { $0.invitation = .asked }
    store.send(.notInvited("Too many of your codes are open.")) {
      ($0.invitation, $0.notice) = (.none, "Too many of your codes are open.")
    }
    store.send(.secondPassed)
    // The answer to a code that waited for the network comes late.
    store.send(.invited(code: "K3F7-9QMN-2XVB", secondsLeft: -1), effects: [.load]) {
      ($0.invitation, $0.notice) = (Self.open(0, isListed: false), nil)
    }
  }

  @Test("A code that is used, and one that is over, go away with a sentence")
  func ends() {
    let before = Array(Self.rows.prefix(2))
    var store = Self.store { ($0.content, $0.invitation) = (.shown(before), Self.open(200)) }
    store.send(.arrived(KeysNews(rows: Self.rows))) {
      ($0.content, $0.invitation) = (.shown(Self.rows), .none)
      $0.notice = "A device was added."
    }
    store = Self.store { $0.invitation = Self.open(2) }
    store.send(.secondPassed) { $0.invitation = Self.open(1) }
    store.send(.secondPassed, effects: [.load]) {
      ($0.invitation, $0.notice) = (.none, "The code is over. Ask for another one.")
    }
    // The key that has made it is gone, or the time ran out while nobody looked.
    store = Self.store { $0.invitation = Self.open(200) }
    store.send(.arrived(KeysNews(rows: Self.rows))) {
      ($0.invitation, $0.notice) = (.none, "The code is over. Ask for another one.")
    }
  }

  @Test("A device is removed after a question, one at a time")
  func removing() {
    var store = Self.store()
    store.send(.moved(2)) { $0.selectedIndex = 2 }
    store.send(.removeChosen) { $0.removal = .doubted(Self.rows[2]) }
    store.send(.removeChosen)
    store.send(.doubtAnswered(false)) { $0.removal = .none }
    store.send(.doubtAnswered(true))
    store.send(.removeChosen) { $0.removal = .doubted(Self.rows[2]) }
    // It is about that device, wherever the list has moved to.
    store.send(.moved(-2)) { $0.selectedIndex = 0 }
    store.send(.doubtAnswered(true), effects: [.remove("3aaaaaaaaaaa")]) {
      $0.removal = .asked(Self.rows[2])
    }
    store.send(.removeChosen)
    store.send(.removed, effects: [.load]) {
      ($0.removal, $0.notice) = (.none, "The device was removed.")
    }
    store.send(.removeChosen) { ($0.removal, $0.notice) = (.doubted(Self.rows[0]), nil) }
    store.send(.doubtAnswered(true), effects: [.remove("1aaaaaaaaaaa")]) {
      $0.removal = .asked(Self.rows[0])
    }
    store.send(.notRemoved("No.")) { ($0.removal, $0.notice) = (.none, "No.") }
  }

  @Test("A question about a device that is gone goes away, and the only device stays")
  func gone() {
    var store = Self.store()
    store.send(.removeChosen) { $0.removal = .doubted(Self.rows[0]) }
    store.send(.arrived(KeysNews(rows: [Self.rows[1]]))) {
      ($0.content, $0.removal) = (.shown([Self.rows[1]]), .none)
    }
    store.send(.removeChosen) { $0.notice = "It is your only device. Add another one first." }
  }

  @Test("The way there leads over the settings, which ask about unsaved changes")
  func fromSettings() {
    let reducer = GameApp.reducer(words: nil, checks: .test)
    var app = GameApp()
    func act(_ action: MenuAction) -> [GameEffect] { reducer.reduce(&app, .menu(action)) }
    _ = act(.opened(.settings))
    _ = act(.settings(.arrived(.ada)))
    _ = act(.settings(.typed("x")))
    #expect(act(.settings(.leaveAsked(.keys))) == [])
    #expect(act(.settings(.doubtAnswered(.throwAway))) == [.menu(.keys(.load))])
    #expect(app.menu == .keys(KeysScreen()))
    // Seconds and the service's return come to the screen.
    _ = act(.keys(.arrived(KeysNews(rows: Self.rows))))
    _ = act(.keys(.invited(code: "K3F7-9QMN-2XVB", secondsLeft: 7)))
    _ = reducer.reduce(&app, .secondPassed)
    #expect(reducer.reduce(&app, .connectionFound).contains(.menu(.keys(.load))))
    guard case .keys(let screen)? = app.menu else { return }
    #expect(screen.invitation == Self.open(6, isListed: false))
  }

  @Test("What the service does not carry out is said")
  func failures() {
    func actions(_ effect: KeysEffect, _ trouble: ScreenTrouble) -> [GameAction] {
      GameEffect.menu(.keys(effect)).failed(trouble)
    }
    let away = ScreenTrouble.away.text
    #expect(actions(.load, .said("No.")) == [.menu(.keys(.failed("No.")))])
    #expect(
      actions(.load, .away) == [
        .menu(.keys(.failed("\(away) It is tried again."))), .connectionLost,
      ])
    #expect(actions(.invite, .away) == [.menu(.keys(.notInvited(away))), .connectionLost])
    #expect(actions(.remove("1a"), .said("No.")) == [.menu(.keys(.notRemoved("No.")))])
  }
}
