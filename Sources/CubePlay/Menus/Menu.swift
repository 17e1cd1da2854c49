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
    let newMatches = NewMatchScreen.reducer(checks: checks)
    let settings = SettingsScreen.reducer(checks: checks)
    let players = PlayerScreen.reducer(checks: checks)
    return Reducer { menu, action in
      switch (menu, action) {
      case (.newMatch(var screen), .newMatch(let action)):
        defer { menu = .newMatch(screen) }
        return newMatches.reduce(&screen, action).map { .newMatch($0) }
      case (.boards(var screen), .boards(let action)):
        defer { menu = .boards(screen) }
        return BoardsScreen.reducer.reduce(&screen, action).map { .boards($0) }
      case (.pastGames(var screen), .pastGames(let action)):
        defer { menu = .pastGames(screen) }
        return PastGamesScreen.reducer.reduce(&screen, action).map { .pastGames($0) }
      case (.settings(var screen), .settings(let action)):
        defer { menu = .settings(screen) }
        return settings.reduce(&screen, action).map { .settings($0) }
      case (.inbox(var screen), .inbox(let action)):
        defer { menu = .inbox(screen) }
        return InboxScreen.reducer.reduce(&screen, action).map { .inbox($0) }
      case (.player(var screen), .player(let action)):
        defer { menu = .player(screen) }
        return players.reduce(&screen, action).map { .player($0) }
      case (.keys(var screen), .keys(let action)):
        defer { menu = .keys(screen) }
        return KeysScreen.reducer.reduce(&screen, action).map { .keys($0) }
      default: return []
      }
    }
  }

  /// The action that loads the screen, as it comes into sight and when the service is back.
  package var appearing: MenuAction {
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
