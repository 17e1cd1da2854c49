/// What is beside the matches, on a screen of its own.
public enum Menu: Hashable, Sendable {
  /// Where a match is chosen.
  case newMatch(NewMatchScreen)

  /// Which of them.
  public enum Name: Hashable, Sendable {
    /// Where a match is chosen.
    case newMatch
  }

  /// One of them as it is opened.
  public init(_ name: Name) {
    switch name {
    case .newMatch: self = .newMatch(NewMatchScreen())
    }
  }
}

/// What happens beside the matches.
public enum MenuAction: Hashable, Sendable {
  /// One of the screens was asked for.
  case opened(Menu.Name)
  /// Something where a match is chosen.
  case newMatch(NewMatchAction)
}

/// What has to be done because of an action beside the matches.
public enum MenuEffect: Hashable, Sendable {
  /// Something that choosing a match wants.
  case newMatch(NewMatchEffect)
}

extension Menu {
  /// How the screens beside the matches go; an action of one that is not shown is nothing.
  static func reducer(checks: FieldChecks) -> Reducer<Menu, MenuAction, MenuEffect> {
    NewMatchScreen.reducer(checks: checks).scope(
      get: { (menu: Menu) in if case .newMatch(let screen) = menu { screen } else { nil } },
      set: { menu, screen in menu = .newMatch(screen) },
      action: { (action: MenuAction) in
        if case .newMatch(let action) = action { action } else { nil }
      },
      effect: { (effect: NewMatchEffect) in .newMatch(effect) })
  }
}
