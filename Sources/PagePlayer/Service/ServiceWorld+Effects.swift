package import CubePlay
import CubeRules
package import CubistPage
import MatchCore
import MatchWire
import ServiceNews

extension ServiceWorld {
  package mutating func carryOut(
    _ effect: GameEffect, in app: GameApp, timers: inout [PageTimer]
  ) -> [GameAction] {
    guard account.name != nil || effect.isPublic else { return [] }
    switch effect {
    case .home(.load):
      if app.match == nil { followed = nil }
      ask(.home, for: effect)
    case .home(.grant(let wish)): return grant(wish, effect)
    case .match(let key, .follow):
      followed = key
      if view?.id != key.match { view = nil }
      return look(at: key, for: effect)
    case .match(let key, .play(.reload)): return look(at: key, for: effect)
    case .match(let key, .play(.send(let moves, let number))):
      return send(moves, number, key, effect)
    case .match(let key, .askRematch):
      return tell(effect, about: key) { .rematchRequested($0) }
    case .match(let key, .giveUp):
      let isWaiting = view?.stage == .waiting
      return tell(effect, about: key) {
        isWaiting ? .requestWithdrawn($0) : .matchForfeited($0)
      }
    case .match(let key, .share): return tell(effect, about: key) { .gameShared($0) }
    case .match(let key, .react(let word, let turn)):
      return tell(effect, about: key) { .reacted($0, turn: turn, word: word) }
    case .match(_, .askRating): ask(.whoAmI, for: effect)
    case .match(let key, .tick): timers.append(.moment(key))
    case .menu(let menu): return carryOut(menu, effect)
    // The state shows these, and a page does not end.
    case .match(_, .play(.show)), .match(_, .open), .home(.open), .keepFirstSteps, .quit: break
    }
    return []
  }

  /// Looks at a match of the player, or at a game that somebody shared.
  mutating func look(at key: MatchKey, for effect: GameEffect) -> [GameAction] {
    if let id = key.match {
      ask(.match(id), for: effect)
    } else if let code = key.code {
      ask(.sharedGame(code), for: effect)
    } else {
      return effect.failed(.noMatch)
    }
    return []
  }

  private mutating func tell(
    _ effect: GameEffect, about key: MatchKey, _ make: (MatchID) -> Event.Action
  ) -> [GameAction] {
    guard let id = key.match else {
      return effect.failed(.noMatch)
    }
    tell(make(id), for: effect)
    return []
  }

  private mutating func send(
    _ moves: [Move], _ number: Int, _ key: MatchKey, _ effect: GameEffect
  ) -> [GameAction] {
    // The turn is sent already, or its refusal is looked into. It counts once.
    guard !isUnderWay(effect) else { return [] }
    guard let id = key.match else {
      return effect.failed(.noMatch)
    }
    if let view, view.id == id, view.turn == number {
      tell(.turn(moves, in: view), for: effect)
    } else {
      ask(.match(id), for: effect)
    }
    return []
  }

  private mutating func grant(_ wish: HomeScreen.Wish, _ effect: GameEffect) -> [GameAction] {
    switch wish {
    case .accept(let key):
      return tell(effect, about: key) { .invitationAccepted($0, code: nil) }
    case .decline(let key): return tell(effect, about: key) { .invitationDeclined($0) }
    case .rematch(let key): return tell(effect, about: key) { .rematchRequested($0) }
    case .declineRematch(let key): return tell(effect, about: key) { .rematchDeclined($0) }
    case .withdraw(let key): return tell(effect, about: key) { .requestWithdrawn($0) }
    case .daily:
      ask(.home, for: effect)
      return []
    }
  }

  private mutating func carryOut(_ menu: MenuEffect, _ effect: GameEffect) -> [GameAction] {
    switch menu {
    case .newMatch(.start(let wanted, let isSure)): return start(wanted, isSure, effect)
    case .boards(.load(let board)): load(board, effect)
    case .boards(.start): ask(.home, for: effect)
    case .pastGames(.load(let wanted, after: let place)):
      if let name = wanted.player { return lookUp(name, effect) }
      ask(wanted, with: nil, after: place, for: effect)
    case .settings(.load): ask(.settings, for: effect)
    case .settings(.save(let edits)): return save(edits, effect)
    case .inbox(.load): ask(.inbox, for: effect)
    case .inbox(.see(let leaving)):
      guard let seen = InboxSeen(leaving) else {
        return effect.failed(.noNotification)
      }
      tell(.inboxSeen(seen), for: effect)
    case .player(.wish(.report(let key, let reason, let text), _)):
      return tell(effect, about: key) {
        .reported($0, Report.Reason(reason), text: Report.Text(typed: text))
      }
    case .player(.load(let name)), .player(.wish(_, let name)): return lookUp(name, effect)
    case .keys(.load): ask(.keys, for: effect)
    case .keys(.invite): return invite(effect)
    case .keys(.remove(let key)): return remove(key, effect)
    case .keys(.recovery(let recovery)): return carryOut(recovery, effect)
    // The state shows these.
    case .newMatch(.open), .boards(.open), .pastGames(.open), .settings(.leave), .inbox(.open),
      .player(.invite), .player(.games):
      break
    }
    return []
  }

  /// Asks for past games, once the opponent is known.
  mutating func ask(
    _ wanted: PastGamesWanted, with opponent: PlayerID?, after place: String?,
    for effect: GameEffect
  ) {
    let cursor = place.flatMap { PastGamesCursor($0) }
    ask(.pastGames(with: opponent, PastGamesFilter(wanted), after: cursor), for: effect)
  }

  private mutating func lookUp(_ text: String, _ effect: GameEffect) -> [GameAction] {
    guard let name = PlayerName(text) else {
      return effect.failed(.nobody)
    }
    ask(.player(name), for: effect)
    return []
  }

  private mutating func start(
    _ wanted: NewMatch, _ isSure: Bool, _ effect: GameEffect
  ) -> [GameAction] {
    switch wanted {
    case .anyone(let terms): return request(.random, terms, effect)
    case .open(let terms): return request(.open, terms, effect)
    case .named(let text, _):
      guard let name = PlayerName(text) else {
        return [.menu(.newMatch(.answered(.wrongName("no player's name"))))]
      }
      ask(.player(name), for: effect)
    case .join(let text):
      guard let code = ShareCode(pasted: text) else {
        return [.menu(.newMatch(.answered(.refused("That is no code."))))]
      }
      ask(.invitation(code), for: effect)
    case .daily: ask(.home, for: effect)
    case .alone(let clock): tell(.matchRequested(MatchRequest(alone: SoloMode(clock))), for: effect)
    }
    return []
  }

  /// Asks for a match of two.
  mutating func request(
    _ opponent: MatchRequest.Opponent, _ terms: NewMatch.Terms, _ effect: GameEffect
  ) -> [GameAction] {
    guard let request = MatchRequest(opponent, terms) else {
      return effect.failed(.said("The time for a turn is not right."))
    }
    tell(.matchRequested(request), for: effect)
    return []
  }

  private mutating func load(_ board: Board, _ effect: GameEffect) {
    switch board {
    case .today: ask(.home, for: effect)
    case .games(let games, let clock, let span, let measure):
      ask(.leaderboard(Leaderboard(games, clock, span, measure)), for: effect)
    case .ladder: ask(.ladder, for: effect)
    case .history: ask(.dailyHistory, for: effect)
    case .review: ask(.review, for: effect)
    }
  }
}

extension GameEffect {
  /// Whether it needs no name: a shared game is there for everybody.
  fileprivate var isPublic: Bool {
    switch self {
    case .match(let key, .follow), .match(let key, .play(.reload)): key.code != nil
    case .match(_, .tick): true
    default: false
    }
  }
}

extension Event.Action {
  static func turn(_ moves: [Move], in view: MatchView) -> Event.Action {
    .turnPlayed(view.id, Turn(number: view.turn, previous: view.previous, moves: moves))
  }
}

extension ScreenTrouble {
  /// A key is none of a match.
  fileprivate static let noMatch = ScreenTrouble.said("There is no such match.")
}
