package import CubePlay

/// The wishes of the player that have no answer yet.
package struct WorkUnderWay: Hashable, Sendable {
  /// A turn that was sent, and was not answered as far as the screen has heard.
  package struct Turn: Hashable, Sendable {
    package var match: MatchKey
    package var number: Int
    /// Empty where only cubes are removed.
    package var word: String
    package var keeping: Keeping

    package init(match: MatchKey, number: Int, word: String, keeping: Keeping) {
      (self.match, self.number, self.word, self.keeping) = (match, number, word, keeping)
    }
  }

  /// How far the keeping of a turn has come. A kept turn outlives the program.
  package enum Keeping: Hashable, Sendable {
    case underWay
    case kept
    /// It could not be kept yet. Its match sends it again when the service is back.
    case failed
  }

  /// The turns, in the order of sending.
  package private(set) var turns: [Turn] = []
  /// How many other wishes are under way.
  private(set) var otherCount = 0

  /// An effect is about to be carried out.
  mutating func begin(_ effect: GameEffect, in app: GameApp) {
    guard case .match(let key, .play(.send(_, let number))) = effect else {
      if effect.isOtherWish { otherCount += 1 }
      return
    }
    // Sent again.
    if let place = turns.firstIndex(where: { $0.match == key && $0.number == number }) {
      if turns[place].keeping == .failed { turns[place].keeping = .underWay }
      return
    }
    // Where nothing outlives the program, nothing is kept.
    let isKept = !app.facilities.contains(.keeping)
    turns.append(
      Turn(
        match: key, number: number, word: app.sentTurn(in: key)?.turn.word ?? "",
        keeping: isKept ? .kept : .underWay))
  }

  /// An effect was carried out, or has failed.
  mutating func end(_ effect: GameEffect) {
    if effect.isOtherWish { otherCount = max(0, otherCount - 1) }
  }

  /// A turn is kept.
  mutating func keep(_ match: MatchKey, _ number: Int) {
    for place in turns.indices where turns[place].match == match && turns[place].number == number {
      turns[place].keeping = .kept
    }
  }

  /// An action arrives, also for a match that is not shown any more.
  mutating func take(_ action: GameAction) {
    guard case .match(let key, let action) = action else { return }
    switch action {
    case .play(.answered): turns.removeAll { $0.match == key }
    case .play(.serviceLost):
      for place in turns.indices where turns[place].match == key {
        if turns[place].keeping == .underWay { turns[place].keeping = .failed }
      }
    case .arrived(let news):
      // The answer came by another way, or the match is over.
      let next = news.ending == nil ? news.standing.turnNumber : .max
      turns.removeAll { $0.match == key && $0.number < next }
    default: break
    }
  }

  /// Whether a turn of a match would be lost if its screen were left.
  func isUnkept(in match: MatchKey) -> Bool {
    turns.contains { $0.match == match && $0.keeping != .kept }
  }

  /// Why the end has to wait; nil: it has not.
  var reasonToWait: String? {
    if let turn = turns.first(where: { $0.keeping == .underWay }) {
      return turn.word.isEmpty ? "Keeping your turn." : "Keeping \(turn.word)."
    }
    return otherCount > 0 ? "Waiting for the service's answer." : nil
  }
}

extension GameApp {
  /// The turn of a shown match that has no answer yet.
  func sentTurn(in key: MatchKey) -> SentTurn? {
    guard let match, match.key == key, case .shown(let table) = match.content,
      case .playing(.sent(let sent), _) = table.turn.stage
    else { return nil }
    return sent
  }
}

extension GameEffect {
  /// Whether it asks the service to change something, except to play a turn.
  fileprivate var isOtherWish: Bool {
    switch self {
    case .home(let effect): if case .grant = effect { true } else { false }
    case .match(_, .askRematch), .match(_, .giveUp), .match(_, .share), .match(_, .react): true
    case .match, .keepFirstSteps, .quit: false
    case .menu(let effect):
      switch effect {
      case .newMatch(.start), .boards(.start), .settings(.save), .inbox(.see), .player(.wish),
        .keys(.invite), .keys(.remove), .keys(.recovery):
        true
      case .newMatch, .boards, .pastGames, .settings, .inbox, .player, .keys: false
      }
    }
  }
}
