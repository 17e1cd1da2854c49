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
  /// The player's settings.
  package var settings: @Sendable () async throws(ScreenTrouble) -> SettingsValues
  /// Saves the differences; none of them if a name is wrong.
  package var save: @Sendable ([SettingsEdit]) async throws(ScreenTrouble) -> SaveAnswer

  package init(
    checks: FieldChecks,
    start: @escaping @Sendable (NewMatch, Bool) async throws(ScreenTrouble) -> StartAnswer,
    board: @escaping @Sendable (Board) async throws(ScreenTrouble) -> BoardNews,
    daily: @escaping @Sendable (GameClock) async throws(ScreenTrouble) -> MatchKey,
    settings: @escaping @Sendable () async throws(ScreenTrouble) -> SettingsValues,
    save: @escaping @Sendable ([SettingsEdit]) async throws(ScreenTrouble) -> SaveAnswer
  ) {
    self.checks = checks
    self.start = start
    self.board = board
    self.daily = daily
    self.settings = settings
    self.save = save
  }

  /// Nothing can be done.
  package static let failing = MenuClient(
    checks: .failing, start: { _, _ async throws(ScreenTrouble) in throw .away },
    board: { _ async throws(ScreenTrouble) in throw .away },
    daily: { _ async throws(ScreenTrouble) in throw .away },
    settings: { () async throws(ScreenTrouble) in throw .away },
    save: { _ async throws(ScreenTrouble) in throw .away })
}

extension MenuClient {
  /// Carries out an effect of a screen beside the matches.
  ///
  /// - Parameter send: Takes the outcome.
  func carryOut(_ effect: MenuEffect, _ send: @escaping @Sendable (GameAction) -> Void) {
    Task {
      do throws(ScreenTrouble) {
        if let action = try await act(effect) { send(.menu(action)) }
      } catch {
        if let action = Self.failure(error, of: effect) { send(.menu(action)) }
        if error.isAway { send(.connectionLost) }
      }
    }
  }

  private func act(_ effect: MenuEffect) async throws(ScreenTrouble) -> MenuAction? {
    switch effect {
    case .newMatch(.start(let wanted, let isSure)):
      .newMatch(.answered(try await start(wanted, isSure)))
    case .boards(.load(let wanted)): .boards(.arrived(wanted, try await board(wanted)))
    case .boards(.start(let clock)): .boards(.began(try await daily(clock)))
    case .settings(.load): .settings(.arrived(try await settings()))
    case .settings(.save(let edits)): .settings(.answered(try await save(edits)))
    // The state shows it.
    case .newMatch(.open), .boards(.open), .settings(.leave): nil
    }
  }

  private static func failure(_ trouble: ScreenTrouble, of effect: MenuEffect) -> MenuAction? {
    switch effect {
    case .newMatch where trouble == .pending: .newMatch(.answered(.pending))
    case .newMatch where trouble.isAway: .newMatch(.answered(.away(trouble.text)))
    case .newMatch: .newMatch(.answered(.refused(trouble.text)))
    // The home list brings the answer.
    case .boards(.start) where trouble == .pending: nil
    // With the connection both lists come again.
    case .boards(.load(let wanted)):
      .boards(.failed(wanted, trouble.isAway ? trouble.textOfRetry : trouble.text))
    case .boards where trouble.isAway: .boards(.away(trouble.text))
    case .boards: .boards(.refused(trouble.text))
    case .settings(.load):
      .settings(.failed(trouble.isAway ? trouble.textOfRetry : trouble.text))
    case .settings where trouble.isAway: .settings(.answered(.away(trouble.text)))
    case .settings: .settings(.answered(.failed(trouble.text)))
    }
  }
}
