/// What is beside the matches, on a screen of its own.
public enum Menu: Hashable, Sendable {
  /// Where a match is chosen.
  case newMatch(NewMatchScreen)
  /// Today's challenge and lists of results.
  case boards(BoardsScreen)
  /// What the player has set.
  case settings(SettingsScreen)

  /// Which of them.
  public enum Name: Hashable, Sendable {
    /// Where a match is chosen.
    case newMatch
    /// Today's challenge and lists of results.
    case boards
    /// What the player has set.
    case settings
  }

  /// One of them as it is opened.
  public init(_ name: Name) {
    switch name {
    case .newMatch: self = .newMatch(NewMatchScreen())
    case .boards: self = .boards(BoardsScreen())
    case .settings: self = .settings(SettingsScreen())
    }
  }
}

/// What happens beside the matches.
public enum MenuAction: Hashable, Sendable {
  /// One of the screens was asked for.
  case opened(Menu.Name)
  /// Something where a match is chosen.
  case newMatch(NewMatchAction)
  /// Something on the lists of results.
  case boards(BoardsAction)
  /// Something in what is set.
  case settings(SettingsAction)
}

/// What has to be done because of an action beside the matches.
public enum MenuEffect: Hashable, Sendable {
  /// Something that choosing a match wants.
  case newMatch(NewMatchEffect)
  /// Something that the lists of results want.
  case boards(BoardsEffect)
  /// Something that changing what is set wants.
  case settings(SettingsEffect)
}

extension Menu {
  /// How the screens beside the matches go; an action of one that is not shown is nothing.
  static func reducer(checks: FieldChecks) -> Reducer<Menu, MenuAction, MenuEffect> {
    newMatch(checks).followed(by: boards).followed(by: settings(checks))
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

  /// What brings the screen what it shows, as it comes into sight and when the service is back.
  var appearing: MenuAction? {
    switch self {
    case .newMatch: .newMatch(.appeared)
    case .boards: .boards(.appeared)
    case .settings: .settings(.appeared)
    }
  }
}
