import CubeRules
import Testing

@testable import CubePlay

@Suite("Places without some facilities")
struct FacilitiesTests {
  static let over = WaitingTests.standing(.over(.cleared))

  @Test(
    "It does nothing",
    arguments: [
      GameAction.menu(.opened(.boards)), .home(.declined), .home(.allDeclined),
      .match(MatchKey("1"), .giveUp(.asked)), .match(MatchKey("1"), .share(.asked)),
      .match(MatchKey("1"), .react(.asked)),
    ])
  func nothing(action: GameAction) {
    for facilities in [Facilities.robots, .service] {
      let standing = action == .match(MatchKey("1"), .share(.asked)) ? Self.over : nil
      let line = TurnLine(number: 1, player: .them, word: "GAME", removedCount: 0, score: 4)
      var app = GameApp(at: MatchKey("1"), facilities: facilities)
      let reducer = GameApp.reducer(words: .walk, checks: .test)
      let list = HomeList(name: nil, rows: HomeScreenTests.invitations)
      _ = reducer.reduce(&app, .home(.arrived(list)))
      _ = reducer.reduce(
        &app,
        .match(MatchKey("1"), .arrived(.of(standing ?? WaitingTests.standing(), lines: [line]))))
      _ = reducer.reduce(&app, .match(MatchKey("1"), .lookedBack(1)))
      let before = app
      _ = reducer.reduce(&app, action)
      #expect((app == before) == (facilities == .robots), "\(facilities)")
    }
  }
}
