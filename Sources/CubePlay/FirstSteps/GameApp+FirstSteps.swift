extension GameApp {
  /// A player who has seen the first steps once sees them again only on request.
  mutating func keepOpening() -> [GameEffect] {
    guard case .firstSteps(let steps) = place else { return [] }
    firstSteps = .at(steps.step)
    return [.keepFirstSteps(firstSteps)]
  }

  mutating func reduce(
    firstSteps action: MatchAction, _ home: Reducer<HomeScreen, HomeAction, HomeEffect>
  ) -> [GameEffect] {
    guard case .firstSteps(var steps) = place else { return [] }
    let effects = FirstSteps.reducer.reduce(&steps, action)
    place = .firstSteps(steps)
    return effects.flatMap { effect in
      switch effect {
      case .keep(let progress):
        firstSteps = progress
        return [GameEffect.keepFirstSteps(progress)]
      case .leave:
        place = .home
        return home.reduce(&self.home, .appeared).map { .home($0) }
      }
    }
  }
}
