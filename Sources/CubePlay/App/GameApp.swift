/// The whole game on one screen: what waits for the player, and the match that is shown.
public struct GameApp: Hashable, Sendable {
  /// What waits.
  public internal(set) var home = HomeScreen()
  /// What is shown.
  public internal(set) var place: Place
  /// Whether rules and keys are shown before everything else.
  public internal(set) var isHelpShown = false
  /// Whether the service can be reached.
  public internal(set) var connection = Connection.there
  /// How far the first steps have come.
  public internal(set) var firstSteps: FirstStepsProgress
  /// What there is beside playing; what there is not does nothing.
  public let facilities: Facilities

  /// What can be shown.
  public enum Place: Hashable, Sendable {
    /// What waits.
    case home
    case match(MatchScreen)
    /// What is beside the matches.
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

  /// The game opened at a match, or at what waits; there the first steps come first where nobody
  /// has seen them.
  ///
  /// - Parameters:
  ///   - isReplay: Whether the match is opened at its first turn.
  ///   - facilities: What there is beside playing.
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

  /// The matches in which it is the player's turn, but for the one that is shown.
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

/// What happens to the game.
public enum GameAction: Hashable, Sendable {
  case opened
  /// Something on the screen of what waits.
  case home(HomeAction)
  /// Something in a match; where another one is shown by now it is nothing.
  case match(MatchKey, MatchAction)
  /// Something beside the matches; on a screen that is not shown any more it is nothing.
  case menu(MenuAction)
  /// Something in the first steps; where they are not shown it is nothing.
  case firstSteps(MatchAction)
  /// The first steps were asked for, from where they were left.
  case firstStepsAsked
  /// The player goes back to what waits.
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

/// What has to be done because of an action.
public enum GameEffect: Hashable, Sendable {
  /// Something that the screen of what waits wants.
  case home(HomeEffect)
  /// Something that a match wants.
  case match(MatchKey, MatchEffect)
  /// Something that is wanted beside the matches.
  case menu(MenuEffect)
  /// Remember how far the first steps have come.
  case keepFirstSteps(FirstStepsProgress)
  /// End.
  case quit
}
