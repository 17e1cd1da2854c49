/// A menu beside the matches, on a screen of its own.
public enum Menu: Hashable, Sendable {
  /// The choice of a new match.
  case newMatch(NewMatchScreen)
  /// Today's challenge and lists of results.
  case boards(BoardsScreen)
  /// The player's games that are over.
  case pastGames(PastGamesScreen)
  /// The player's settings.
  case settings(SettingsScreen)
  /// Notifications that were sent.
  case inbox(InboxScreen)
  /// Another player.
  case player(PlayerScreen)
  /// The keys of the player's devices.
  case keys(KeysScreen)

  /// A menu by name.
  public enum Name: Hashable, Sendable {
    /// The choice of a new match.
    case newMatch
    /// Today's challenge and lists of results.
    case boards
    /// The player's games that are over.
    case pastGames
    /// The player's settings.
    case settings
    /// Notifications that were sent.
    case inbox
    /// Another player.
    case player(PlayerWanted)
    /// The keys of the player's devices.
    case keys
  }

  /// A menu as it is opened.
  public init(_ name: Name) {
    switch name {
    case .newMatch: self = .newMatch(NewMatchScreen())
    case .boards: self = .boards(BoardsScreen())
    case .pastGames: self = .pastGames(PastGamesScreen())
    case .settings: self = .settings(SettingsScreen())
    case .inbox: self = .inbox(InboxScreen())
    case .player(let wanted): self = .player(PlayerScreen(wanted))
    case .keys: self = .keys(KeysScreen())
    }
  }
}

/// An action in a menu.
public enum MenuAction: Hashable, Sendable {
  /// A menu was asked for.
  case opened(Menu.Name)
  /// An action in the choice of a new match.
  case newMatch(NewMatchAction)
  /// An action on the lists of results.
  case boards(BoardsAction)
  /// An action on the list of past games.
  case pastGames(PastGamesAction)
  /// An action in the settings.
  case settings(SettingsAction)
  /// An action on the notifications.
  case inbox(InboxAction)
  /// An action on another player.
  case player(PlayerAction)
  /// An action on the keys.
  case keys(KeysAction)
}

/// An effect of an action in a menu.
public enum MenuEffect: Hashable, Sendable {
  /// An effect of the choice of a new match.
  case newMatch(NewMatchEffect)
  /// An effect of the lists of results.
  case boards(BoardsEffect)
  /// An effect of the list of past games.
  case pastGames(PastGamesEffect)
  /// An effect of the settings.
  case settings(SettingsEffect)
  /// An effect of the notifications.
  case inbox(InboxEffect)
  /// An effect on another player.
  case player(PlayerEffect)
  /// An effect on the keys.
  case keys(KeysEffect)
}

extension Menu {
  /// How the menus go; an action of a menu that is not shown has no effect.
  static func reducer(checks: FieldChecks) -> Reducer<Menu, MenuAction, MenuEffect> {
    newMatch(checks).followed(by: boards).followed(by: pastGames).followed(by: settings(checks))
      .followed(by: inbox).followed(by: player(checks)).followed(by: keys)
  }

  private static func newMatch(
    _ checks: FieldChecks
  ) -> Reducer<Menu, MenuAction, MenuEffect> {
    NewMatchScreen.reducer(checks: checks).scope(
      get: { (menu: Menu) in if case .newMatch(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .newMatch(screen) },
      action: { (action: MenuAction) in
        if case .newMatch(let action) = action { action } else { nil }
      },
      effect: { (effect: NewMatchEffect) in .newMatch(effect) })
  }

  private static var boards: Reducer<Menu, MenuAction, MenuEffect> {
    BoardsScreen.reducer.scope(
      get: { (menu: Menu) in if case .boards(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .boards(screen) },
      action: { (action: MenuAction) in
        if case .boards(let action) = action { action } else { nil }
      },
      effect: { (effect: BoardsEffect) in .boards(effect) })
  }

  private static var pastGames: Reducer<Menu, MenuAction, MenuEffect> {
    PastGamesScreen.reducer.scope(
      get: { (menu: Menu) in if case .pastGames(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .pastGames(screen) },
      action: { (action: MenuAction) in
        if case .pastGames(let action) = action { action } else { nil }
      },
      effect: { (effect: PastGamesEffect) in .pastGames(effect) })
  }

  private static func settings(
    _ checks: FieldChecks
  ) -> Reducer<Menu, MenuAction, MenuEffect> {
    SettingsScreen.reducer(checks: checks).scope(
      get: { (menu: Menu) in if case .settings(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .settings(screen) },
      action: { (action: MenuAction) in
        if case .settings(let action) = action { action } else { nil }
      },
      effect: { (effect: SettingsEffect) in .settings(effect) })
  }

  private static var inbox: Reducer<Menu, MenuAction, MenuEffect> {
    InboxScreen.reducer.scope(
      get: { (menu: Menu) in if case .inbox(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .inbox(screen) },
      action: { (action: MenuAction) in
        if case .inbox(let action) = action { action } else { nil }
      },
      effect: { (effect: InboxEffect) in .inbox(effect) })
  }

  private static func player(
    _ checks: FieldChecks
  ) -> Reducer<Menu, MenuAction, MenuEffect> {
    PlayerScreen.reducer(checks: checks).scope(
      get: { (menu: Menu) in if case .player(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .player(screen) },
      action: { (action: MenuAction) in
        if case .player(let action) = action { action } else { nil }
      },
      effect: { (effect: PlayerEffect) in .player(effect) })
  }

  private static var keys: Reducer<Menu, MenuAction, MenuEffect> {
    KeysScreen.reducer.scope(
      get: { (menu: Menu) in if case .keys(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .keys(screen) },
      action: { (action: MenuAction) in
        if case .keys(let action) = action { action } else { nil }
      },
      effect: { (effect: KeysEffect) in .keys(effect) })
  }

  /// The action that loads the screen, as it comes into sight and when the service is back.
  var appearing: MenuAction? {
    switch self {
    case .newMatch: .newMatch(.appeared)
    case .boards: .boards(.appeared)
    case .pastGames: .pastGames(.appeared)
    case .settings: .settings(.appeared)
    case .inbox: .inbox(.appeared)
    case .player: .player(.appeared)
    case .keys: .keys(.appeared)
    }
  }
}
