import CubePlay
import TerminalScreen

/// The meaning of keys on the screens beside the matches.
enum MenuKeys {
  /// Whether every character is typed into a text.
  static func isTyping(_ app: GameApp) -> Bool {
    switch app.menu {
    case .newMatch(let screen)?: screen.isTyping
    case .settings(let screen)?: screen.form?.isTyping == true
    case .player(let screen)?: screen.isTyping
    case .boards?, .pastGames?, .inbox?, .keys?, nil: false
    }
  }

  /// - Returns: nil where the key means nothing.
  static func action(_ key: Key, in menu: Menu) -> GameAction? {
    switch menu {
    case .newMatch(let screen): newMatch(key, screen)
    case .boards(let screen) where screen.isDoubted: .menu(.boards(.doubtAnswered(isY(key))))
    case .boards(let screen):
      leaving(key) ?? about(key, screen.wantedPlayer(in: screen.selectedIndex))
        ?? boards(key).map { .menu(.boards($0)) }
    case .inbox(let screen):
      leaving(key) ?? about(key, screen.wantedPlayer(in: screen.selectedIndex))
        ?? inbox(key).map { .menu(.inbox($0)) }
    case .pastGames(let screen):
      leaving(key) ?? about(key, screen.wantedPlayer(in: screen.selectedIndex))
        ?? pastGames(key, screen.wanted).map { .menu(.pastGames($0)) }
    case .player(let screen): player(key, screen)
    case .keys(let screen): keys(key, screen)
    case .settings(let screen):
      settings(key, screen).map { .menu(.settings($0)) }
        // Esc also leaves a screen that cannot be shown.
        ?? (key == .escape ? .left : nil)
    }
  }

  private static func settings(_ key: Key, _ screen: SettingsScreen) -> SettingsAction? {
    guard let form = screen.form else {
      return key == .control("k") ? .leaveAsked(.keys) : nil
    }
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
    case .control("k"): return .leaveAsked(.keys)
    case .character(let character): return .typed(character)
    default: return steps(key).map { .moved($0) }
    }
  }

  private static func keys(_ key: Key, _ screen: KeysScreen) -> GameAction? {
    if case .doubted = screen.removal {
      return .menu(.keys(.doubtAnswered(isY(key))))
    }
    if case .doubted = screen.recoveryStage {
      return .menu(.keys(.doubtAnswered(isY(key))))
    }
    return switch key {
    case .character("o"), .character("O"): .menu(.keys(.recovery(.objectChosen)))
    case .character("a"), .character("A"): .menu(.keys(.inviteChosen))
    case .character("d"), .character("D"), .delete: .menu(.keys(.removeChosen))
    default: leaving(key) ?? steps(key).map { .menu(.keys(.moved($0))) }
    }
  }

  private static func player(_ key: Key, _ screen: PlayerScreen) -> GameAction? {
    if screen.stage == .looking {
      switch key {
      case .escape, .character("q"), .character("Q"): return .left
      case .character("i"), .character("I"): return .menu(.player(.inviteChosen))
      case .character("p"), .character("P"): return .menu(.player(.gamesChosen))
      case .character("b"), .character("B"): return .menu(.player(.blockChosen))
      case .character("r"), .character("R"): return .menu(.player(.reportChosen))
      default: return nil
      }
    }
    guard screen.isTyping else {
      if case .asked = screen.stage { return key == .escape ? .left : nil }
      return .menu(.player(.doubtAnswered(isY(key))))
    }
    if let count = steps(key) { return .menu(.player(.reasonMoved(count))) }
    switch key {
    case .escape: return .menu(.player(.doubtAnswered(false)))
    case .enter: return .menu(.player(.reportWritten))
    case .backspace, .delete: return .menu(.player(.erased))
    case .character(let character): return .menu(.player(.typed(character)))
    default: return nil
    }
  }

  /// O leads to the player of the selected row.
  static func about(_ key: Key, _ player: PlayerWanted?) -> GameAction? {
    guard key == .character("o") || key == .character("O") else { return nil }
    return player.map { .menu(.opened(.player($0))) }
  }

  private static func leaving(_ key: Key) -> GameAction? {
    key == .escape || isQ(key) ? .left : nil
  }

  private static func isY(_ key: Key) -> Bool {
    key == .character("y") || key == .character("Y")
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

  private static func inbox(_ key: Key) -> InboxAction? {
    switch key {
    case .enter, .character(" "): .chosen
    case .character("d"), .character("D"), .delete: .removed
    case .character("a"), .character("A"): .cleared
    default: steps(key).map { .moved($0) }
    }
  }

  private static func pastGames(_ key: Key, _ wanted: PastGamesWanted) -> PastGamesAction? {
    switch key {
    case .character("m"), .character("M"): .moreAsked
    case .character("k"), .character("K"): .kindChosen(next(after: wanted.kind))
    case .character("r"), .character("R"): .resultChosen(next(after: wanted.result))
    case .character("a"), .character("A"): .allChosen
    case .enter, .character(" "): .chosen
    default: steps(key).map { .moved($0) }
    }
  }

  /// The choice after another one; nil, which is all, comes before the first and after the last.
  private static func next<Choice: CaseIterable & Equatable>(after choice: Choice?) -> Choice? {
    let choices = Array(Choice.allCases)
    guard let choice, let place = choices.firstIndex(of: choice) else { return choices.first }
    return choices.dropFirst(place + 1).first
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
