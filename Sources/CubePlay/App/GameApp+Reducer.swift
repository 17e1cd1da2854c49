public import CubeLexicon

extension GameApp {
  /// How the game goes.
  ///
  /// - Parameter words: The word list of matches; nil where it is not here.
  public static func reducer(words: Lexicon?) -> Reducer<GameApp, GameAction, GameEffect> {
    let home = HomeScreen.reducer
    let match = MatchScreen.reducer(words: words)
    return Reducer { app, action in app.reduce(action, home, match) }
  }

  private mutating func reduce(
    _ action: GameAction, _ home: Reducer<HomeScreen, HomeAction, HomeEffect>,
    _ match: Reducer<MatchScreen, MatchAction, MatchEffect>
  ) -> [GameEffect] {
    switch action {
    case .opened:
      if case .match(let shown) = place { return [.match(shown.key, .follow)] }
      return handle(home.reduce(&self.home, .appeared))
    case .home(let action): return handle(home.reduce(&self.home, action))
    case .match(let key, let action): return reduce(action, in: key, match)
    case .left:
      place = .home
      return handle(home.reduce(&self.home, .appeared))
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

  private mutating func open(_ match: MatchKey) -> GameEffect {
    place = .match(MatchScreen(match))
    return .match(match, .follow)
  }
}
