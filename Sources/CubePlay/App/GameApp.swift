/// The whole game on one screen: the home list, and the match that is shown.
public struct GameApp: Hashable, Sendable {
  /// The home list: everything that waits for the player.
  public internal(set) var home = HomeScreen()
  /// The part of the game that is on the screen.
  public internal(set) var place: Place
  /// Whether rules and keys are shown before everything else.
  public internal(set) var isHelpShown = false
  /// Whether the service can be reached.
  public internal(set) var connection = Connection.there
  /// How far the first steps have come.
  public internal(set) var firstSteps: FirstStepsProgress
  /// The facilities beside playing. Actions that need a missing one do nothing.
  public let facilities: Facilities

  /// A part of the game that can be on the screen.
  public enum Place: Hashable, Sendable {
    /// The home list.
    case home
    case match(MatchScreen)
    /// A menu beside the matches.
    case menu(Menu)
    case firstSteps(FirstSteps)
  }

  /// Whether the service can be reached.
  public enum Connection: Hashable, Sendable {
    /// It can, as far as is known.
    case there
    /// It cannot; it is tried again and again.
    case lost
  }

  /// The game opened at a match or at the home list. The first steps come before the home list
  /// until somebody has seen them.
  ///
  /// - Parameters:
  ///   - isReplay: Whether the match is opened at its first turn.
  ///   - facilities: The facilities beside playing.
  public init(
    at match: MatchKey? = nil, isReplay: Bool = false, firstSteps: FirstStepsProgress = .done,
    facilities: Facilities = .service
  ) {
    self.facilities = facilities
    self.firstSteps = firstSteps
    if let match {
      place = .match(MatchScreen(match, isReplay: isReplay))
    } else {
      place = firstSteps == .unseen ? .firstSteps(FirstSteps()) : .home
    }
  }

  /// The matches in which it is the player's turn, except the shown one.
  public var othersWaiting: [MatchKey] {
    let rows = home.list?.rows.filter { $0.kind == .yourTurn && $0.key != match?.key } ?? []
    return rows.map { $0.key }
  }

  /// The match that is shown.
  public var match: MatchScreen? {
    guard case .match(let match) = place else { return nil }
    return match
  }
}

/// An action in the game.
public enum GameAction: Hashable, Sendable {
  case opened
  /// An action on the home screen.
  case home(HomeAction)
  /// An action in a match; ignored where another one is shown by now.
  case match(MatchKey, MatchAction)
  /// An action in a menu; ignored where that is not shown any more.
  case menu(MenuAction)
  /// An action in the first steps; ignored where they are not shown.
  case firstSteps(MatchAction)
  /// The first steps were asked for, from where they were left.
  case firstStepsAsked
  /// The player goes back to the home list.
  case left
  /// The next match in which it is the player's turn was asked for.
  case nextAsked
  /// Rules and keys were asked for.
  case helpAsked
  /// Rules and keys were put away.
  case helpClosed
  case secondPassed
  /// The service cannot be reached.
  case connectionLost
  /// The service can be reached again.
  case connectionFound
  /// The player is done.
  case quit
}

/// An effect of an action in the game.
public enum GameEffect: Hashable, Sendable {
  /// An effect of the home screen.
  case home(HomeEffect)
  /// An effect of a match.
  case match(MatchKey, MatchEffect)
  /// An effect of a menu.
  case menu(MenuEffect)
  /// Remember how far the first steps have come.
  case keepFirstSteps(FirstStepsProgress)
  /// End.
  case quit
}
