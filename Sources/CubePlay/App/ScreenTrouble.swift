/// Why the service did not carry out an effect of the game.
public enum ScreenTrouble: Error, Hashable, Sendable {
  /// It cannot be reached: it is tried again.
  case away
  /// It may have the request, and has not answered. It is asked again, and that counts once.
  case pending
  /// It says no, or something else is wrong, in words.
  case said(String)

  /// In words, without a hint that it is tried again.
  public var text: String {
    switch self {
    case .away: "The service cannot be reached."
    case .pending: "The answer is pending. It is asked for again, and counts once."
    case .said(let text): text
    }
  }

  /// In words, where it is tried again.
  var textOfRetry: String { "\(text) It is tried again." }

  /// Whether the service is silent.
  public var isAway: Bool {
    switch self {
    case .away, .pending: true
    case .said: false
    }
  }
}

extension GameEffect {
  /// The actions that follow where the effect could not be carried out.
  public func failed(_ trouble: ScreenTrouble) -> [GameAction] {
    actions(after: trouble) + (trouble.isAway && isHeard ? [.connectionLost] : [])
  }

  /// Whether the game is told where the service is silent.
  private var isHeard: Bool {
    switch self {
    case .match(_, .askRematch), .match(_, .giveUp), .match(_, .share), .match(_, .react),
      .match(_, .askRating):
      false
    default: true
    }
  }

  private func actions(after trouble: ScreenTrouble) -> [GameAction] {
    switch self {
    case .home(.load): [.home(.failed(trouble.textOfRetry))]
    case .home(.grant):
      [.home(trouble.isAway ? .away(trouble.text) : .refused(trouble.text))]
    case .match(let key, .follow): [.match(key, .failed(trouble.textOfRetry))]
    case .match(let key, .play(.send)):
      switch trouble {
      case .away, .pending: [.match(key, .play(.serviceLost))]
      case .said(let text): [.match(key, .play(.answered(.refused(text))))]
      }
    case .match(let key, .askRematch): [.match(key, .rematchAnswered(.failed(trouble.text)))]
    case .match(let key, .giveUp): [.match(key, .giveUp(.answered(.failed(trouble.text))))]
    case .match(let key, .share): [.match(key, .share(.answered(.failed(trouble.text))))]
    case .match(let key, .react): [.match(key, .react(.answered(failure: trouble.text)))]
    case .menu(let effect):
      switch effect.failed(trouble) {
      case let action?: [.menu(action)]
      case nil: []
      }
    // A match that is there already stays, unless the player has left it.
    case .match(let key, .play(.reload)):
      if case .said = trouble { [.match(key, .giveUp(.answered(.left)))] } else { [] }
    // A rating is asked for again, or not shown.
    case .match(_, .askRating): []
    // These ask nothing of a service.
    case .match(_, .play(.show)), .match(_, .tick), .match(_, .open), .home(.open),
      .keepFirstSteps, .quit:
      []
    }
  }
}

extension MenuEffect {
  fileprivate func failed(_ trouble: ScreenTrouble) -> MenuAction? {
    switch self {
    case .newMatch where trouble == .pending: .newMatch(.answered(.pending))
    case .newMatch where trouble.isAway: .newMatch(.answered(.away(trouble.text)))
    case .newMatch: .newMatch(.answered(.refused(trouble.text)))
    // The home list brings the answer.
    case .boards(.start) where trouble == .pending: nil
    // With the connection both lists come again.
    case .boards(.load(let wanted)):
      .boards(.failed(wanted, trouble.isAway ? trouble.textOfRetry : trouble.text))
    // Older games are not asked for again by themselves.
    case .pastGames(.load(let wanted, after: let place?)):
      .pastGames(.failed(wanted, trouble.text, after: place))
    case .pastGames(.load(let wanted, after: nil)):
      .pastGames(.failed(wanted, trouble.isAway ? trouble.textOfRetry : trouble.text, after: nil))
    // It asks nothing of a service.
    case .pastGames(.open): nil
    case .boards where trouble.isAway: .boards(.away(trouble.text))
    case .boards: .boards(.refused(trouble.text))
    case .player(.load(let name)):
      .player(.failed(name, trouble.isAway ? trouble.textOfRetry : trouble.text))
    case .player where trouble.isAway: .player(.answered(.away(trouble.text)))
    case .player: .player(.answered(.refused(trouble.text)))
    case .settings(.load):
      .settings(.failed(trouble.isAway ? trouble.textOfRetry : trouble.text))
    case .settings where trouble.isAway: .settings(.answered(.away(trouble.text)))
    case .settings: .settings(.answered(.failed(trouble.text)))
    case .inbox(.load): .inbox(.failed(trouble.isAway ? trouble.textOfRetry : trouble.text))
    case .inbox: .inbox(.refused(trouble.text))
    case .keys(.load): .keys(.failed(trouble.isAway ? trouble.textOfRetry : trouble.text))
    case .keys(.invite): .keys(.notInvited(trouble.text))
    case .keys(.remove): .keys(.notRemoved(trouble.text))
    case .keys(.recovery(let effect)): .keys(.recovery(effect.failed(trouble)))
    }
  }
}
