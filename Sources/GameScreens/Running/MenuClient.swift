package import CubePlay

/// The service as the screens beside the matches use it.
package struct MenuClient: Sendable {
  /// The checks of typed text, one per field.
  package var checks: FieldChecks
  /// Asks for a match. Unless it is said to be sure, it does not invite the same player again while
  /// the first invitation waits.
  package var start: @Sendable (NewMatch, _ isSure: Bool) async throws(ScreenTrouble) -> StartAnswer
  /// A list of results.
  package var board: @Sendable (Board) async throws(ScreenTrouble) -> BoardNews
  /// Today's challenge of the player; begins it where that has not happened yet.
  package var daily: @Sendable (GameClock) async throws(ScreenTrouble) -> MatchKey
  /// The player's games that are over: the newest ones, or those after a place in the list.
  package var pastGames:
    @Sendable (PastGamesWanted, _ after: String?) async throws(ScreenTrouble) -> PastGamesNews
  /// The player's settings.
  package var settings: @Sendable () async throws(ScreenTrouble) -> SettingsValues
  /// Saves the differences; none of them if a name is wrong.
  package var save: @Sendable ([SettingsEdit]) async throws(ScreenTrouble) -> SaveAnswer
  /// The notifications that the player has not taken away.
  package var inbox: @Sendable () async throws(ScreenTrouble) -> [InboxRow]
  /// Takes notifications away.
  package var see: @Sendable (InboxScreen.Leaving) async throws(ScreenTrouble) -> Void
  /// Another player by name.
  package var player: @Sendable (String) async throws(ScreenTrouble) -> PlayerNews
  /// Does something about a player of that name.
  package var wish: @Sendable (PlayerWish, String) async throws(ScreenTrouble) -> Void

  /// The keys of the player's devices.
  package var keys: @Sendable () async throws(ScreenTrouble) -> KeysNews = {
    () async throws(ScreenTrouble) in throw .away
  }
  /// Lets one more device in, by a code that is good for some seconds.
  package var inviteDevice:
    @Sendable () async throws(ScreenTrouble) -> (code: String, secondsLeft: Int) = {
      () async throws(ScreenTrouble) in throw .away
    }
  /// Removes a key, given as text.
  package var removeKey: @Sendable (String) async throws(ScreenTrouble) -> Void = {
    _ async throws(ScreenTrouble) in throw .away
  }
  /// Carries out an effect on recovery words or a recovery.
  package var recover: @Sendable (RecoveryEffect) async throws(ScreenTrouble) -> RecoveryAction = {
    _ async throws(ScreenTrouble) in throw .away
  }

  package init(
    checks: FieldChecks,
    start: @escaping @Sendable (NewMatch, Bool) async throws(ScreenTrouble) -> StartAnswer,
    board: @escaping @Sendable (Board) async throws(ScreenTrouble) -> BoardNews,
    daily: @escaping @Sendable (GameClock) async throws(ScreenTrouble) -> MatchKey,
    pastGames:
      @escaping @Sendable (PastGamesWanted, String?) async throws(ScreenTrouble) -> PastGamesNews,
    settings: @escaping @Sendable () async throws(ScreenTrouble) -> SettingsValues,
    save: @escaping @Sendable ([SettingsEdit]) async throws(ScreenTrouble) -> SaveAnswer,
    inbox: @escaping @Sendable () async throws(ScreenTrouble) -> [InboxRow],
    see: @escaping @Sendable (InboxScreen.Leaving) async throws(ScreenTrouble) -> Void,
    player: @escaping @Sendable (String) async throws(ScreenTrouble) -> PlayerNews,
    wish: @escaping @Sendable (PlayerWish, String) async throws(ScreenTrouble) -> Void
  ) {
    self.checks = checks
    self.start = start
    self.board = board
    self.daily = daily
    self.pastGames = pastGames
    self.settings = settings
    self.save = save
    self.inbox = inbox
    self.see = see
    self.player = player
    self.wish = wish
  }

  /// Nothing can be done.
  package static let failing = MenuClient(
    checks: .failing, start: { _, _ async throws(ScreenTrouble) in throw .away },
    board: { _ async throws(ScreenTrouble) in throw .away },
    daily: { _ async throws(ScreenTrouble) in throw .away },
    pastGames: { _, _ async throws(ScreenTrouble) in throw .away },
    settings: { () async throws(ScreenTrouble) in throw .away },
    save: { _ async throws(ScreenTrouble) in throw .away },
    inbox: { () async throws(ScreenTrouble) in throw .away },
    see: { _ async throws(ScreenTrouble) in throw .away },
    player: { _ async throws(ScreenTrouble) in throw .away },
    wish: { _, _ async throws(ScreenTrouble) in throw .away })
}

extension MenuClient {
  private func left(
    _ wanted: InboxScreen.Leaving
  ) async throws(ScreenTrouble) -> MenuAction {
    try await see(wanted)
    return .inbox(.left)
  }

  /// Carries out an effect of a screen beside the matches. Gives the action that follows, if any.
  func carryOut(_ effect: MenuEffect) async throws(ScreenTrouble) -> MenuAction? {
    switch effect {
    case .newMatch(.start(let wanted, let isSure)):
      .newMatch(.answered(try await start(wanted, isSure)))
    case .boards(.load(let wanted)): .boards(.arrived(wanted, try await board(wanted)))
    case .boards(.start(let clock)): .boards(.began(try await daily(clock)))
    case .pastGames(.load(let wanted, after: let place)):
      .pastGames(.arrived(wanted, try await pastGames(wanted, place), after: place))
    case .settings(.load): .settings(.arrived(try await settings()))
    case .settings(.save(let edits)): .settings(.answered(try await save(edits)))
    case .inbox(.load): .inbox(.arrived(try await inbox()))
    case .inbox(.see(let wanted)): try await left(wanted)
    case .player(.load(let name)): .player(.arrived(name, try await player(name)))
    case .player(.wish(let wish, let name)): .player(.answered(try await answer(wish, name)))
    case .keys(.load): .keys(.arrived(try await keys()))
    case .keys(.invite): try await invited()
    case .keys(.remove(let key)): try await removed(key)
    case .keys(.recovery(let effect)): .keys(.recovery(try await recover(effect)))
    // The state shows it.
    case .newMatch(.open), .boards(.open), .pastGames(.open), .settings(.leave), .inbox(.open),
      .player(.invite), .player(.games):
      nil
    }
  }

  private func invited() async throws(ScreenTrouble) -> MenuAction {
    let (code, seconds) = try await inviteDevice()
    return .keys(.invited(code: code, secondsLeft: seconds))
  }

  private func removed(_ key: String) async throws(ScreenTrouble) -> MenuAction {
    try await removeKey(key)
    return .keys(.removed)
  }

  private func answer(
    _ wish: PlayerWish, _ name: String
  ) async throws(ScreenTrouble) -> PlayerAnswer {
    try await self.wish(wish, name)
    return .done
  }
}
