import CubePlay
import CubeRules
import TerminalScreen

/// The meaning of keys where the player is.
enum ScreenKeys {
  /// - Parameter size: The screen, on which a mouse points at something.
  /// - Returns: nil where the key means nothing.
  static func action(
    _ key: Key, in app: GameApp, on size: TerminalSize = ScreenDrawing.leastSize
  ) -> GameAction? {
    if key == .control("c") { return .quit }
    // Nobody sees what another key would do.
    guard FullScreen.fits(size) else { return nil }
    if app.isHelpShown { return .helpClosed }
    let isTyped = MenuKeys.isTyping(app)
    if key == .character("?") && !isTyped || key == .function(1) { return .helpAsked }
    if key == .control("n") { return .nextAsked }
    switch app.place {
    case .home:
      guard app.home.isInDoubt else {
        return MenuKeys.about(key, app.home.selected?.wantedPlayer) ?? home(key)
      }
      return .home(key == .character("y") || key == .character("Y") ? .confirmed : .kept)
    case .menu(let menu): return MenuKeys.action(key, in: menu)
    case .firstSteps(let steps): return firstSteps(key, steps, size)
    case .match(let match):
      if key == .control("o") { return match.wantedPlayer.map { .menu(.opened(.player($0))) } }
      switch match.content {
      case .loading, .failed: return key == .escape || key == .character("q") ? .left : nil
      case .shown(let table):
        if table.givingUp == .asked {
          let isYes = key == .character("y") || key == .character("Y")
          return .match(match.key, .giveUp(isYes ? .confirmed : .kept))
        }
        // A letter means no command right after the end of a match: the player was typing.
        if table.restSeconds > 0, case .character = key { return nil }
        if isLeaving(key, table) { return .left }
        if case .over = table.turn.stage, key == .character("n") || key == .character("N") {
          return .nextAsked
        }
        return action(key, table, size).map { .match(match.key, $0) }
      }
    }
  }

  /// Whether letters are text rather than commands.
  static func takesText(_ app: GameApp) -> Bool {
    switch app.place {
    case .home: return false
    case .menu: return MenuKeys.isTyping(app)
    case .firstSteps: return true
    case .match(let match):
      guard case .shown(let table) = match.content, case .playing = table.turn.stage else {
        return false
      }
      return table.givingUp != .asked
    }
  }

  private static func home(_ key: Key) -> GameAction? {
    switch key {
    case .arrow(.up), .character("k"): .home(.moved(-1))
    case .arrow(.down), .character("j"): .home(.moved(1))
    case .mouse(let mouse) where mouse.act == .wheelUp: .home(.moved(-1))
    case .mouse(let mouse) where mouse.act == .wheelDown: .home(.moved(1))
    case .pageUp: .home(.moved(-10))
    case .pageDown: .home(.moved(10))
    case .enter, .character(" "): .home(.opened)
    case .character("d"), .character("D"): .home(.declined)
    case .character("a"), .character("A"): .home(.allDeclined)
    case .character("n"), .character("N"): .menu(.opened(.newMatch))
    case .character("b"), .character("B"): .menu(.opened(.boards))
    case .character("p"), .character("P"): .menu(.opened(.pastGames))
    case .character("s"), .character("S"): .menu(.opened(.settings))
    case .character("i"), .character("I"): .menu(.opened(.inbox))
    case .character("w"), .character("W"): .home(.withdrawalAsked)
    case .character("f"), .character("F"): .firstStepsAsked
    case .character("q"), .character("Q"), .control("d"): .quit
    default: nil
    }
  }

  /// Escape takes everything back. If there is nothing to take back, it leaves.
  static func isLeaving(_ key: Key, _ table: ShownMatch) -> Bool {
    // A player who looks back goes on to now first.
    let isNow = table.lookedBack == 0 && table.show == nil && !table.lettersPoint
    guard isNow || key != .escape else { return false }
    guard case .over = table.turn.stage else {
      return key == .escape && table.cursor == nil && (table.turn.draft ?? .empty) == .empty
    }
    return key == .escape || key == .character("q") || key == .character("Q")
  }

  static func action(
    _ key: Key, _ table: ShownMatch, _ size: TerminalSize
  ) -> MatchAction? {
    switch key {
    case .pageUp: return .lookedBack(1)
    case .pageDown: return .lookedBack(-1)
    case .mouse(let mouse) where mouse.act == .wheelUp: return .lookedBack(1)
    case .mouse(let mouse) where mouse.act == .wheelDown: return .lookedBack(-1)
    case .home: return .lookedBack(table.lines.count)
    case .end: return .lookedBack(-table.lines.count)
    case .character("#"): return .valuesAsked
    case .control("g"): return .giveUp(.asked)
    case .control("r"): return .react(.asked)
    default: break
    }
    if table.lookedBack > 0 || table.show != nil {
      if key == .escape { return .cleared }
      if key == .character(" "), table.lookedBack > 0 { return .replayAsked }
      // The visible cube is not the one that is played on.
      if case .mouse = key { return nil }
    }
    if case .over = table.turn.stage { return afterEnd(key) }
    if table.lettersPoint, case .character(let character) = key, let letter = letter(character) {
      return .cursorSought(letter)
    }
    switch key {
    case .character("/"): return .pointingAsked
    case .enter: return .play(.submit)
    case .tab: return .play(.draft(.nextWay))
    case .backspace, .delete: return .play(.draft(.takeBack))
    case .escape: return .cleared
    case .character(" "): return .cursorMarked
    case .arrow(.up): return .cursorMoved(.up)
    case .arrow(.down): return .cursorMoved(.down)
    case .arrow(.left): return .cursorMoved(.left)
    case .arrow(.right): return .cursorMoved(.right)
    case .mouse(let mouse):
      let face = MatchDrawing.face(column: mouse.column, row: mouse.row, in: table, on: size)
      guard let face else { return nil }
      return switch mouse.act {
      case .press: .play(.draft(.faceTapped(face)))
      case .drag: .play(.draft(.faceDragged(face)))
      default: nil
      }
    case .character(let character):
      return letter(character).map { .play(.draft(.letterTyped($0))) }
    default: return nil
    }
  }

  private static func afterEnd(_ key: Key) -> MatchAction? {
    switch key {
    case .character("r"), .character("R"): .rematchAsked
    case .character("s"), .character("S"): .share(.asked)
    case .character(" "): .replayAsked
    default: nil
    }
  }

  private static func letter(_ character: Character) -> Letter? {
    guard character.isASCII, let upper = character.uppercased().first else { return nil }
    return Letter(upper)
  }
}
