import CubePlay
import TerminalScreen

/// The meaning of keys on the screens beside the matches.
enum MenuKeys {
  /// Whether every character is typed into a text.
  static func isTyping(_ app: GameApp) -> Bool {
    switch app.menu {
    case .newMatch(let screen)?: screen.isTyping
    case .settings(let screen)?: screen.form?.isTyping == true
    case .boards?, nil: false
    }
  }

  /// - Returns: nil where the key means nothing.
  static func action(_ key: Key, in menu: Menu) -> GameAction? {
    switch menu {
    case .newMatch(let screen): newMatch(key, screen)
    case .boards: key == .escape || isQ(key) ? .left : boards(key).map { .menu(.boards($0)) }
    case .settings(let screen):
      settings(key, screen).map { .menu(.settings($0)) }
        // Esc also leaves a screen that cannot be shown.
        ?? (key == .escape ? .left : nil)
    }
  }

  private static func settings(_ key: Key, _ screen: SettingsScreen) -> SettingsAction? {
    guard let form = screen.form else { return nil }
    if case .doubted = form.stage {
      switch key {
      case .character("y"), .character("Y"): return .doubtAnswered(.save)
      case .character("n"), .character("N"): return .doubtAnswered(.throwAway)
      case .escape: return .doubtAnswered(.stay)
      default: return nil
      }
    }
    switch key {
    case .enter: return .chosen
    case .backspace, .delete: return .erased
    case .control("s"): return .saveAsked
    case .character(let character): return .typed(character)
    default: return steps(key).map { .moved($0) }
    }
  }

  private static func isQ(_ key: Key) -> Bool {
    key == .character("q") || key == .character("Q")
  }

  private static func boards(_ key: Key) -> BoardsAction? {
    switch key {
    case .tab, .arrow(.right): .turned(1)
    case .backTab, .arrow(.left): .turned(-1)
    case .character("t"), .character("T"): .clockChanged
    case .character("s"), .character("S"): .spanChanged
    case .character("w"), .character("W"): .measureChanged
    case .enter, .character(" "): .chosen
    default: steps(key).map { .moved($0) }
    }
  }

  private static func newMatch(_ key: Key, _ screen: NewMatchScreen) -> GameAction? {
    if case .doubted = screen.stage {
      switch key {
      case .character("y"), .character("Y"): return .menu(.newMatch(.doubtAnswered(true)))
      case .character("n"), .character("N"), .escape:
        return .menu(.newMatch(.doubtAnswered(false)))
      default: return nil
      }
    }
    if let count = steps(key) { return .menu(.newMatch(.moved(count))) }
    switch key {
    case .escape: return .left
    case .enter: return .menu(.newMatch(.chosen))
    case .backspace, .delete: return .menu(.newMatch(.erased))
    case .character(let character): return .menu(.newMatch(.typed(character)))
    default: return nil
    }
  }

  /// How many rows down a key goes.
  static func steps(_ key: Key) -> Int? {
    switch key {
    case .arrow(.up), .backTab: -1
    case .arrow(.down), .tab: 1
    case .mouse(let mouse) where mouse.act == .wheelUp: -1
    case .mouse(let mouse) where mouse.act == .wheelDown: 1
    case .pageUp: -10
    case .pageDown: 10
    default: nil
    }
  }
}
