import ServiceNews
import CubeLexicon
import CubePlay
import CubistBasics
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Keys pressed by chance")
struct RandomKeysTests {
  private static let keys: [Key] =
    [
      .enter, .tab, .backspace, .delete, .escape, .home, .pageUp, .pageDown, .control("n"),
      .control("z"), .control("g"), .end, .character("#"), .character("/"), .function(1),
      .paste("abc"), .character(" "), .character("?"),
      .character("é"), .character("1"),
    ] + Key.Direction.allCases.map { .arrow($0) }
    + "abcdefghijklmnopqrstuvwxyzRNDQBSWY".map { .character($0) }

  private static let invitation = HomeRow(Scenery.key, .invitation, opponent: "eve")

  /// All news that may come from the service at any time.
  private static func news() throws -> [GameAction] {
    try [
      .home(.arrived(HomeList(name: "ada", rows: []))), .home(.refused("No.")),
      .home(.arrived(HomeList(name: "ada", rows: [invitation]))),
      .home(.granted(nil)), .connectionLost, .connectionFound, .secondPassed,
    ] + Scenery.allCases.flatMap { try $0.actions() }
      + [
        .match(Scenery.key, .play(.answered(.accepted(secondsLeft: 60)))),
        .match(Scenery.key, .play(.answered(.outdated))),
        .match(Scenery.key, .play(.serviceLost)),
        .match(Scenery.key, .rematchAnswered(.offered)), .match(Scenery.key, .ticked),
        .match(Scenery.key, .giveUp(.answered(.failed("No.")))),
        .match(Scenery.key, .share(.answered(.failed("No.")))),
      ]
  }

  @Test(
    "Each state after any keys and arrivals is drawn within the screen, and keys work on",
    arguments: 0..<20 as Range<UInt64>)
  func anything(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let news = try Self.news()
    let reducer = GameApp.reducer(words: .english, checks: .live)
    var app = try (Scenery.allCases.randomElement(using: &random) ?? .home).app()
    for step in 0..<150 {
      if Int.random(in: 0..<10, using: &random) == 0 {
        _ = reducer.reduce(&app, news.randomElement(using: &random) ?? .secondPassed)
      } else {
        var key = Self.keys.randomElement(using: &random) ?? .enter
        if Int.random(in: 0..<8, using: &random) == 0 {
          let column = Int.random(in: 0..<90, using: &random)
          key = .mouse(.init(.press, column: column, row: .random(in: 0..<30, using: &random)))
        }
        if let action = ScreenKeys.action(key, in: app) { _ = reducer.reduce(&app, action) }
      }
      #expect(app.home.list?.rows.isEmpty != false || app.home.selected != nil)
      guard step.isMultiple(of: 5) else { continue }
      let setting = ScreenSetting(depth: .none, isUnicode: step.isMultiple(of: 2))
      let drawing = ScreenDrawing(
        app: app, size: TerminalSize(columns: 64, rows: 24), setting: setting)
      let text = drawing.canvas().text(.none)
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 25)
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }
    // Help is put away by any key, and Ctrl-C ends wherever the player is.
    #expect(ScreenKeys.action(.control("c"), in: app) == .quit)
  }
}
