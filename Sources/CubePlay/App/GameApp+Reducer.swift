public import CubeLexicon

extension GameApp {
  /// How the game goes.
  ///
  /// - Parameters:
  ///   - words: The word list of matches; nil where it is not here.
  ///   - checks: The checks of typed text, one per field.
  public static func reducer(
    words: Lexicon?, checks: FieldChecks = .failing
  ) -> Reducer<GameApp, GameAction, GameEffect> {
    reducer(words: words, menus: Menu.reducer(checks: checks))
  }

  /// How the game goes with other menus, or with none: then a module for browsers has no code of
  /// menus.
  public static func reducer(
    words: Lexicon?, menus: Reducer<Menu, MenuAction, MenuEffect>
  ) -> Reducer<GameApp, GameAction, GameEffect> {
    let home = HomeScreen.reducer
    let match = MatchScreen.reducer(words: words)
    return Reducer { app, action in
      guard app.facilities.contains(action.need) else { return [] }
      switch action {
      case .menu(let action): return app.reduce(action, menus)
      case .home(.arrived(let list)):
        let effects = app.reduce(action, home, match)
        return effects + (list.started.map { app.take($0, menus) } ?? [])
      case .connectionFound:
        return app.reduce(action, home, match) + app.menuAppeared(menus)
      case .secondPassed:
        return app.reduce(action, home, match) + app.reduce(.keys(.secondPassed), menus)
      default: return app.asking(before: action, menus) ?? app.reduce(action, home, match)
      }
    }
  }

  private mutating func reduce(
    _ action: GameAction, _ home: Reducer<HomeScreen, HomeAction, HomeEffect>,
    _ match: Reducer<MatchScreen, MatchAction, MatchEffect>
  ) -> [GameEffect] {
    switch action {
    case .opened:
      let effects = handle(home.reduce(&self.home, .appeared))
      guard let key = self.match?.key else { return keepOpening() + effects }
      return [.match(key, .follow)] + effects
    case .home(let action): return handle(home.reduce(&self.home, action))
    case .match(let key, let action): return reduce(action, in: key, match)
    // The reducer of the menus has seen to it.
    case .menu: return []
    case .firstSteps(let action): return reduce(firstSteps: action, home)
    case .firstStepsAsked:
      place = .firstSteps(FirstSteps(at: firstSteps.step))
      return []
    case .left:
      if let key = self.match?.key { self.home.cameBack(from: key) }
      place = .home
      return handle(home.reduce(&self.home, .appeared))
    case .nextAsked:
      guard menu == nil, let next = nextWaiting else { return [] }
      if let key = self.match?.key, keepsTurn { return reduce(.play(.submit), in: key, match) }
      // Load the home list again, so that the right match comes after this one.
      return [open(next)] + handle(home.reduce(&self.home, .appeared))
    case .helpAsked:
      isHelpShown = true
      return []
    case .helpClosed:
      isHelpShown = false
      return []
    case .secondPassed:
      let effects = handle(home.reduce(&self.home, .secondPassed))
      guard let key = self.match?.key else { return effects }
      return effects + reduce(.play(.secondPassed), in: key, match)
    case .connectionLost:
      connection = .lost
      return []
    case .connectionFound:
      connection = .there
      guard let key = self.match?.key else { return handle(home.reduce(&self.home, .appeared)) }
      return reduce(.play(.serviceFound), in: key, match)
    case .quit: return [.quit]
    }
  }

  private mutating func reduce(
    _ action: MatchAction, in key: MatchKey,
    _ match: Reducer<MatchScreen, MatchAction, MatchEffect>
  ) -> [GameEffect] {
    guard case .match(var shown) = place, shown.key == key else { return [] }
    let effects = match.reduce(&shown, action)
    place = .match(shown)
    return effects.map { effect in
      guard case .open(let other) = effect else { return .match(key, effect) }
      return open(other)
    }
  }

  private mutating func handle(_ effects: [HomeEffect]) -> [GameEffect] {
    effects.map { effect in
      guard case .open(let match) = effect else { return .home(effect) }
      return open(match)
    }
  }

  /// Whether a turn waits to be sent. Only its own match can send it. Another submit says so.
  private var keepsTurn: Bool {
    guard case .shown(let table)? = match?.content,
      case .playing(.sent(let sent), _) = table.turn.stage
    else { return false }
    return sent.delivery == .waits
  }

  /// The match after the shown one in the list, or the first.
  private var nextWaiting: MatchKey? {
    let rows = home.list?.rows.filter { $0.kind == .yourTurn } ?? []
    guard let place = rows.firstIndex(where: { $0.key == match?.key }) else {
      return rows.first?.key
    }
    return rows.count > 1 ? rows[(place + 1) % rows.count].key : nil
  }

  mutating func open(_ match: MatchKey) -> GameEffect {
    place = .match(MatchScreen(match))
    return .match(match, .follow)
  }
}
