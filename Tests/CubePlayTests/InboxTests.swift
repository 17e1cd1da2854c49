import Testing

@testable import CubePlay

@Suite("Notifications that were sent")
struct InboxTests {
  private static let rows = (1...3).map { number in
    InboxRow(
      id: "\(number)", title: "Title \(number)", text: "Text.", time: "now",
      match: number == 3 ? nil : MatchKey("\(number)0"))
  }

  private static func store() -> TestStore<InboxScreen, InboxAction, InboxEffect> {
    var screen = InboxScreen()
    screen.content = .shown(rows)
    return TestStore(screen, InboxScreen.reducer)
  }

  @Test("A list that is there stays, and says why it is not a newer one")
  func loading() {
    var store = TestStore(InboxScreen(), InboxScreen.reducer)
    store.send(.appeared, effects: [.load])
    store.send(.failed("Away.")) { $0.content = .failed("Away.") }
    store.send(.arrived(Self.rows)) { $0.content = .shown(Self.rows) }
    store.send(.failed("Away.")) { $0.notice = "Away." }
    store.send(.moved(9)) { ($0.selectedIndex, $0.notice) = (2, nil) }
    store.send(.arrived([Self.rows[0]])) {
      ($0.content, $0.selectedIndex) = (.shown([Self.rows[0]]), 0)
    }
    store.send(.arrived([])) { $0.content = .shown([]) }
    // Nothing is selected.
    for action: InboxAction in [.chosen, .removed, .cleared, .moved(.max), .moved(.min)] {
      store.send(action)
    }
  }

  @Test("A notification opens its match, if it is about one")
  func opening() {
    var store = Self.store()
    store.send(.chosen, effects: [.open(MatchKey("10"))])
    store.send(.moved(2)) { $0.selectedIndex = 2 }
    store.send(.moved(.max))
    store.send(.chosen)
  }

  @Test("One or all are taken away, one wish at a time, and the list is asked for again")
  func leaving() {
    var store = Self.store()
    store.send(.moved(1)) { $0.selectedIndex = 1 }
    store.send(.removed, effects: [.see(.one("2"))]) { $0.leaving = .one("2") }
    store.send(.removed)
    store.send(.cleared)
    store.send(.left, effects: [.load]) { $0.leaving = nil }
    store.send(.cleared, effects: [.see(.all)]) { $0.leaving = .all }
    store.send(.refused("No.")) { ($0.leaving, $0.notice) = (nil, "No.") }
    store.send(.cleared, effects: [.see(.all)]) { ($0.leaving, $0.notice) = (.all, nil) }
  }
}
