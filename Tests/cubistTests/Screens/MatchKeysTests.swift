import CubeLexicon
import CubePlay
import CubeRules
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Keys in a match")
struct MatchKeysTests {
  private static func action(_ key: Key, _ scenery: Scenery) throws -> GameAction? {
    ScreenKeys.action(key, in: try scenery.app())
  }

  private static func match(_ action: MatchAction) -> GameAction { .match(Scenery.key, action) }

  @Test("Ctrl-G asks; then Y alone says yes, and only Ctrl-C still quits")
  func givingUp() throws {
    #expect(try Self.action(.control("g"), .yourTurn) == Self.match(.giveUp(.asked)))
    for key in [Key.character("y"), .character("Y")] {
      #expect(try Self.action(key, .givingUp) == Self.match(.giveUp(.confirmed)))
    }
    for key in [Key.character("n"), .enter, .escape, .tab, .character(" "), .control("g")] {
      #expect(try Self.action(key, .givingUp) == Self.match(.giveUp(.kept)))
    }
    #expect(try Self.action(.control("c"), .givingUp) == .quit)
  }

  @Test("R, S and N do as the last line says after the end; before it they spell")
  func afterEnd() throws {
    for (key, action) in [
      ("r", Self.match(.rematchAsked)), ("S", Self.match(.share(.asked))), ("n", .nextAsked),
      (" ", Self.match(.replayAsked)), ("q", .left),
    ] as [(Character, GameAction)] {
      #expect(try Self.action(.character(key), .over) == action)
    }
    #expect(try Self.action(.character("x"), .over) == nil)
    for letter in [Letter.r, .s, .n] {
      let key = Key.character(letter.character)
      #expect(
        try Self.action(key, .yourTurn) == Self.match(.play(.draft(.letterTyped(letter)))))
    }
  }

  @Test("Letters typed at the match's end give no command for three seconds")
  func restAfterEnd() throws {
    var app = try Scenery.justOver.app()
    let size = ScreenDrawing.leastSize
    for second in 0..<3 {
      for key in "rRsSnNqQ x#".map({ Key.character($0) }) {
        #expect(ScreenKeys.action(key, in: app, on: size) == nil, "\(key) in second \(second)")
      }
      // Keys that no word contains still work.
      #expect(ScreenKeys.action(.escape, in: app) == .left)
      #expect(ScreenKeys.action(.pageUp, in: app) == Self.match(.lookedBack(1)))
      #expect(ScreenKeys.action(.control("c"), in: app) == .quit)
      #expect(ScreenKeys.action(.character("?"), in: app) == .helpAsked)
      _ = GameApp.reducer(words: .english).reduce(&app, .secondPassed)
    }
    #expect(ScreenKeys.action(.character("r"), in: app) == Self.match(.rematchAsked))
  }

  @Test("O leads from a row of any list to its player, and from one without a player nowhere")
  func players() throws {
    for (scenery, name) in [(Scenery.pastGames, "日本"), (.inbox, "grace")] {
      for key in ["o", "O"] as [Character] {
        guard case .menu(.opened(.player(let wanted)))? = try Self.action(.character(key), scenery)
        else {
          Issue.record("\(key) leads nowhere in \(scenery)")
          continue
        }
        #expect(wanted.name == name && wanted.match != nil && !wanted.isFromMatch)
      }
    }
    #expect(try Self.action(.character("o"), .pastGamesMore) == nil)
    var app = try Scenery.inbox.app()
    _ = GameApp.reducer(words: nil).reduce(&app, .menu(.inbox(.moved(1))))
    #expect(ScreenKeys.action(.character("o"), in: app) == nil)
  }

  @Test("K and R go through the kinds and the results of past games, and after the last all come")
  func filters() throws {
    func action(_ key: Character, _ app: GameApp) throws -> PastGamesAction {
      let action = try #require(ScreenKeys.action(.character(key), in: app))
      guard case .menu(.pastGames(let chosen)) = action else {
        throw Unexpected(action: action)
      }
      return chosen
    }
    var app = try Scenery.pastGames.app()
    let reducer = GameApp.reducer(words: nil)
    for kind in PastGamesWanted.Kind.allCases.map(Optional.some) + [nil] {
      let chosen = try action("k", app)
      #expect(try chosen == .kindChosen(kind) && action("K", app) == chosen)
      _ = reducer.reduce(&app, .menu(.pastGames(chosen)))
    }
    for result in PastGamesWanted.Ending.allCases.map(Optional.some) + [nil] {
      let chosen = try action("r", app)
      #expect(try chosen == .resultChosen(result) && action("R", app) == chosen)
      _ = reducer.reduce(&app, .menu(.pastGames(chosen)))
    }
    #expect(try action("a", app) == .allChosen)
    for key in ["p", "P"] as [Character] {
      #expect(try Self.action(.character(key), .player) == .menu(.player(.gamesChosen)))
    }
  }

  @Test("Ctrl-K leads from the settings to the keys; A adds, D asks, and then Y alone says yes")
  func deviceKeys() throws {
    func keys(_ action: KeysAction) -> GameAction { .menu(.keys(action)) }
    #expect(
      try Self.action(.control("k"), .settings) == .menu(.settings(.leaveAsked(.keys))))
    for key in ["a", "A"] as [Character] {
      #expect(try Self.action(.character(key), .keys) == keys(.inviteChosen))
    }
    for key in [Key.character("d"), .character("D"), .delete] {
      #expect(try Self.action(key, .keysCode) == keys(.removeChosen))
    }
    #expect(try Self.action(.arrow(.down), .keys) == keys(.moved(1)))
    #expect(try Self.action(.escape, .keys) == .left)
    for key in [Key.character("y"), .character("Y")] {
      #expect(try Self.action(key, .keysDoubted) == keys(.doubtAnswered(true)))
      #expect(try Self.action(key, .keysObject) == keys(.doubtAnswered(true)))
    }
    for key in [Key.character("n"), .enter, .escape, .character("a")] {
      #expect(try Self.action(key, .keysDoubted) == keys(.doubtAnswered(false)))
      #expect(try Self.action(key, .keysObject) == keys(.doubtAnswered(false)))
    }
    #expect(try Self.action(.character("o"), .keys) == keys(.recovery(.objectChosen)))
  }

  private struct Unexpected: Error { let action: GameAction }

  @Test("D and W ask in the list; then Y alone says yes, and any other key no")
  func doubting() throws {
    let own = try Scenery.homeWithdrawal.app()
    for (scenery, key) in [(Scenery.home, "d"), (.home, "D")] as [(Scenery, Character)] {
      #expect(try Self.action(.character(key), scenery) == .home(.declined))
    }
    for key in ["w", "W"] as [Character] {
      #expect(try Self.action(.character(key), .home) == .home(.withdrawalAsked))
    }
    for app in [own, try Scenery.homeDeclining.app()] {
      for key in [Key.character("y"), .character("Y")] {
        #expect(ScreenKeys.action(key, in: app) == .home(.confirmed))
      }
      for key in [
        Key.character("n"), .character("d"), .character("w"), .character("q"), .enter, .escape,
        .tab, .arrow(.down), .character(" "),
      ] {
        #expect(ScreenKeys.action(key, in: app) == .home(.kept), "\(key)")
      }
      #expect(ScreenKeys.action(.control("c"), in: app) == .quit)
    }
    #expect(try Self.action(.character("y"), .home) == nil)
  }

  @Test("Text is pasted where it is typed, and nowhere where letters are commands")
  func pasting() throws {
    let typed: [Scenery] = [
      .yourTurn, .theirTurn, .typed, .sent, .pointing, .newMatchName, .settingsWrong, .firstSteps,
    ]
    for scenery in typed { #expect(ScreenKeys.takesText(try scenery.app()), "\(scenery)") }
    let commanded: [Scenery] = [
      .home, .homeEmpty, .homeDeclining, .loading, .over, .justOver, .givingUp, .newMatch,
      .newMatchAgain, .newMatchPending, .boardToday, .settingsLeaving,
    ]
    for scenery in commanded { #expect(!ScreenKeys.takesText(try scenery.app()), "\(scenery)") }
  }

  @Test("Letters after / go to cubes and the space bar marks; Escape lets letters spell again")
  func pointing() throws {
    #expect(try Self.action(.character("/"), .yourTurn) == Self.match(.pointingAsked))
    #expect(try Self.action(.character("e"), .pointing) == Self.match(.cursorSought(.e)))
    #expect(try Self.action(.character(" "), .pointing) == Self.match(.cursorMarked))
    #expect(try Self.action(.enter, .pointing) == Self.match(.play(.submit)))
    #expect(try Self.action(.escape, .pointing) == Self.match(.cleared))
  }

  @Test("Space replays the watched match; a mouse points at no cube that is only shown")
  func lookingBack() throws {
    #expect(try Self.action(.character(" "), .lookedBack) == Self.match(.replayAsked))
    #expect(try Self.action(.character(" "), .yourTurn) == Self.match(.cursorMarked))
    #expect(try Self.action(.home, .yourTurn) == Self.match(.lookedBack(5)))
    #expect(try Self.action(.end, .lookedBack) == Self.match(.lookedBack(-5)))
    #expect(try Self.action(.escape, .arriving) == Self.match(.cleared))
    let click = Key.mouse(.init(.press, column: 20, row: 10))
    #expect(try Self.action(click, .yourTurn) != nil)
    for scenery in [Scenery.arriving, .vanishing, .lookedBack, .replaying] {
      #expect(try Self.action(click, scenery) == nil)
    }
  }

  @Test("# shows the values wherever a match is shown")
  func values() throws {
    for scenery in [Scenery.yourTurn, .over, .lookedBack, .pointing] {
      #expect(try Self.action(.character("#"), scenery) == Self.match(.valuesAsked))
    }
  }
}
