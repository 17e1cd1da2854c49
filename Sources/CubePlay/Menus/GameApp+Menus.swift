extension GameApp {
  /// The menu beside the matches, where one is shown.
  public var menu: Menu? {
    guard case .menu(let menu) = place else { return nil }
    return menu
  }

  mutating func reduce(
    _ action: MenuAction, _ menus: Reducer<Menu, MenuAction, MenuEffect>
  ) -> [GameEffect] {
    if case .opened(let name) = action {
      place = .menu(Menu(name))
      return menuAppeared(menus)
    }
    guard case .menu(var menu) = place else { return [] }
    let effects = menus.reduce(&menu, action)
    place = .menu(menu)
    return effects.flatMap { handle($0, menus) }
  }

  /// A start that was pending is answered. If the player is elsewhere by now, nothing is opened:
  /// the list tells the outcome.
  mutating func take(
    _ answer: StartAnswer, _ menus: Reducer<Menu, MenuAction, MenuEffect>
  ) -> [GameEffect] {
    switch (menu, answer) {
    case (.newMatch, _): reduce(.newMatch(.pendingAnswered(answer)), menus)
    case (.boards(let screen), .began(let match)) where screen.isStarting:
      reduce(.boards(.began(match)), menus)
    case (.boards(let screen), .refused(let text)) where screen.isStarting:
      reduce(.boards(.refused(text)), menus)
    default: []
    }
  }

  /// The screen beside the matches came into sight, or the service is back.
  mutating func menuAppeared(_ menus: Reducer<Menu, MenuAction, MenuEffect>) -> [GameEffect] {
    guard let action = menu?.appearing else { return [] }
    return reduce(action, menus)
  }

  /// Asks before changes are lost, says that new words are, or goes back to the match before; nil
  /// where none of that is due.
  mutating func asking(
    before action: GameAction, _ menus: Reducer<Menu, MenuAction, MenuEffect>
  ) -> [GameEffect]? {
    if case .player(let screen)? = menu, screen.wanted.isFromMatch,
      let match = screen.wanted.match, case .left = action
    {
      return [open(match)]
    }
    if case .keys(let screen)? = menu, screen.hasNewWords, case .left = action {
      return reduce(.keys(.recovery(.thrownAway)), menus)
    }
    guard case .settings(let screen)? = menu, screen.form?.isChanged == true else { return nil }
    switch action {
    case .left: return reduce(.settings(.leaveAsked(.home)), menus)
    case .quit: return reduce(.settings(.leaveAsked(.quit)), menus)
    default: return nil
    }
  }

  private mutating func handle(
    _ effect: MenuEffect, _ menus: Reducer<Menu, MenuAction, MenuEffect>
  ) -> [GameEffect] {
    switch effect {
    case .newMatch(.open(let match)), .boards(.open(let match)), .inbox(.open(let match)),
      .pastGames(.open(let match)):
      return [open(match)]
    case .settings(.leave(.home)):
      place = .home
      return [.home(.load)]
    case .settings(.leave(.quit)): return [.quit]
    case .settings(.leave(.keys)):
      place = .menu(Menu(.keys))
      return menuAppeared(menus)
    case .player(.invite(let name)):
      place = .menu(.newMatch(NewMatchScreen(inviting: name)))
      return []
    case .player(.games(let name)):
      place = .menu(.pastGames(PastGamesScreen(PastGamesWanted(player: name))))
      return menuAppeared(menus)
    case .newMatch, .boards, .pastGames, .settings, .inbox, .player, .keys:
      return [.menu(effect)]
    }
  }
}
