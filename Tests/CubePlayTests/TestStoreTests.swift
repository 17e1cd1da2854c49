import Testing

@testable import CubePlay

@Suite("The exhaustive store")
struct TestStoreTests {
  struct Lamp: Equatable, Sendable {
    var isLit = false
    var switchCount = 0
  }

  enum Press { case button, nothing }

  enum Effect: Equatable { case click }

  static let lamp = Reducer<Lamp, Press, Effect> { lamp, press in
    guard press == .button else { return [] }
    lamp.isLit.toggle()
    lamp.switchCount += 1
    return [.click]
  }

  @Test("A step that states everything passes, and the next one begins with its result")
  func everything() {
    var store = TestStore(Lamp(), Self.lamp)
    store.send(.button, effects: [.click]) {
      $0.isLit = true
      $0.switchCount = 1
    }
    store.send(.button, effects: [.click]) {
      $0.isLit = false
      $0.switchCount = 2
    }
    store.send(.nothing)
  }

  @Test("A change that is not stated fails with the difference")
  func unstatedChange() {
    var store = TestStore(Lamp(), Self.lamp)
    withKnownIssue {
      store.send(.button, effects: [.click]) { $0.isLit = true }
    } matching: { issue in
      let text = issue.comments.map { $0.rawValue }.joined()
      return text.contains("switchCount: 1") && text.contains("switchCount: 0")
    }
  }

  @Test("A change that is stated and does not come fails")
  func missingChange() {
    var store = TestStore(Lamp(), Self.lamp)
    withKnownIssue { store.send(.nothing) { $0.isLit = true } }
  }

  @Test("An effect that is not stated fails, and so does one that does not come")
  func effects() {
    var store = TestStore(Lamp(), Self.lamp)
    withKnownIssue {
      store.send(.button) {
        $0.isLit = true
        $0.switchCount = 1
      }
    }
    withKnownIssue { store.send(.nothing, effects: [.click]) }
  }
}

@Suite("Reducers")
struct ReducerTests {
  /// A room with a lamp, or a room without one.
  enum Room: Equatable {
    case dark
    case furnished(TestStoreTests.Lamp, guests: Int)
  }

  enum Event { case press, guestCame }

  enum Effect: Equatable { case noise, greeting }

  static let room = TestStoreTests.lamp.scope(
    get: { (room: Room) in if case .furnished(let lamp, _) = room { lamp } else { nil } },
    set: { room, lamp in
      if case .furnished(_, let guests) = room { room = .furnished(lamp, guests: guests) }
    },
    action: { (event: Event) in event == .press ? .button : nil },
    effect: { _ in Effect.noise }
  ).followed(
    by: Reducer { room, event in
      guard case .furnished(let lamp, let guests) = room, event == .guestCame else { return [] }
      room = .furnished(lamp, guests: guests + 1)
      return [.greeting]
    })

  @Test("A part changes within its whole, and its effects become those of the whole")
  func part() {
    var store = TestStore(Room.furnished(.init(), guests: 2), Self.room)
    store.send(.press, effects: [.noise]) {
      $0 = .furnished(.init(isLit: true, switchCount: 1), guests: 2)
    }
  }

  @Test("An action that is not the part's goes to the next reducer")
  func followed() {
    var store = TestStore(Room.furnished(.init(), guests: 2), Self.room)
    store.send(.guestCame, effects: [.greeting]) { $0 = .furnished(.init(), guests: 3) }
  }

  @Test("A part's actions change nothing while the whole is in another case")
  func absent() {
    var store = TestStore(Room.dark, Self.room)
    store.send(.press)
  }
}
