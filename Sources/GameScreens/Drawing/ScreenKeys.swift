import CubePlay
import CubeRules
import TerminalScreen

/// What keys mean where the player is.
enum ScreenKeys {
  /// - Returns: nil where the key means nothing.
  static func action(_ key: Key, in app: GameApp) -> GameAction? {
    if key == .control("c") { return .quit }
    if app.isHelpShown { return .helpClosed }
    if key == .character("?") || key == .function(1) { return .helpAsked }
    if key == .control("n") { return .nextAsked }
    switch app.place {
    case .home: return home(key)
    case .firstSteps(let steps): return firstSteps(key, steps)
    case .match(let match):
      switch match.content {
      case .loading, .failed: return key == .escape || key == .character("q") ? .left : nil
      case .shown(let table):
        if isLeaving(key, table) { return .left }
        return action(key, table).map { .match(match.key, $0) }
      }
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
    case .character("n"), .character("N"): .home(.startAsked)
    case .character("f"), .character("F"): .firstStepsAsked
    case .character("q"), .character("Q"), .control("d"): .quit
    default: nil
    }
  }

  /// Escape takes everything back, and leaves where there is nothing to take back.
  static func isLeaving(_ key: Key, _ table: ShownMatch) -> Bool {
    // Who looks back goes on to now first.
    guard table.lookedBack == 0 || key != .escape else { return false }
    guard case .over = table.turn.stage else {
      return key == .escape && table.cursor == nil && (table.turn.draft ?? .empty) == .empty
    }
    return key == .escape || key == .character("q") || key == .character("Q")
  }

  static func action(_ key: Key, _ table: ShownMatch) -> MatchAction? {
    switch key {
    case .pageUp: return .lookedBack(1)
    case .pageDown: return .lookedBack(-1)
    case .mouse(let mouse) where mouse.act == .wheelUp: return .lookedBack(1)
    case .mouse(let mouse) where mouse.act == .wheelDown: return .lookedBack(-1)
    default: break
    }
    if table.lookedBack > 0 {
      if key == .escape { return .cleared }
      // The cube that is seen is not the one that is played on.
      if case .mouse = key { return nil }
    }
    if case .over = table.turn.stage {
      return key == .character("r") || key == .character("R") ? .rematchAsked : nil
    }
    switch key {
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
      guard let face = MatchDrawing.face(column: mouse.column, row: mouse.row, in: table) else {
        return nil
      }
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

  private static func letter(_ character: Character) -> Letter? {
    guard character.isASCII, let upper = character.uppercased().first else { return nil }
    return Letter(upper)
  }
}
