package import CubePlay
package import CubeRules

/// The service as the full screen uses it.
package struct ScreenClient: Sendable {
  /// The player's home list.
  package var home: @Sendable () async throws(ScreenTrouble) -> HomeList
  /// A match. With a version it returns only when there is a later one, or after a while.
  package var match:
    @Sendable (MatchKey, _ newerThan: Int64?) async throws(ScreenTrouble) -> FoundMatch
  /// Plays a turn. A repeated call for the same turn counts once.
  package var play:
    @Sendable (MatchKey, [Move], _ number: Int) async throws(ScreenTrouble) -> Answer
  /// Keeps a turn before it is played, so that it outlives the program. Returns whether it is kept; a
  /// turn of a match that has gone on is not.
  package var keep:
    @Sendable (MatchKey, [Move], _ number: Int) async throws(ScreenTrouble) -> Bool = { _, _, _ in
      true
    }
  /// Asks for a rematch, or agrees to one.
  package var rematch: @Sendable (MatchKey) async -> RematchAnswer
  /// Carries out the player's wish on the home screen; gives the match to be shown, if any.
  package var grant: @Sendable (HomeScreen.Wish) async throws(ScreenTrouble) -> MatchKey?
  /// Gives a match up, ends a game of one seat, or takes a request back.
  package var giveUp: @Sendable (MatchKey) async -> GiveUpAnswer = { _ in
    .failed(ScreenTrouble.away.text)
  }
  /// Shares a game.
  package var share: @Sendable (MatchKey) async -> ShareAnswer = { _ in
    .failed(ScreenTrouble.away.text)
  }
  /// Answers the turn of a match with that number.
  package var react: @Sendable (MatchKey, String, Int) async throws(ScreenTrouble) -> Void = {
    _, _, _ async throws(ScreenTrouble) in throw .away
  }
  /// How strong the player is; nil from a service that does not rate.
  package var rating: @Sendable () async throws(ScreenTrouble) -> Strength? = {
    () async throws(ScreenTrouble) in throw .away
  }
  /// The service as the screens beside the matches use it.
  package var menus = MenuClient.failing
  /// Keeps how far the first steps have come. If that fails, they are shown once more.
  package var keepFirstSteps: @Sendable (FirstStepsProgress) -> Void = { _ in }

  package init(
    home: @escaping @Sendable () async throws(ScreenTrouble) -> HomeList,
    match: @escaping @Sendable (MatchKey, Int64?) async throws(ScreenTrouble) -> FoundMatch,
    play: @escaping @Sendable (MatchKey, [Move], Int) async throws(ScreenTrouble) -> Answer,
    rematch: @escaping @Sendable (MatchKey) async -> RematchAnswer,
    grant: @escaping @Sendable (HomeScreen.Wish) async throws(ScreenTrouble) -> MatchKey?
  ) {
    self.home = home
    self.match = match
    self.play = play
    self.rematch = rematch
    self.grant = grant
  }
}

/// A match as the service shows it.
package struct FoundMatch: Hashable, Sendable {
  package var news: MatchNews
  package var version: Int64
  /// The list of its words.
  package var lexicon: String

  package init(news: MatchNews, version: Int64, lexicon: String) {
    self.news = news
    self.version = version
    self.lexicon = lexicon
  }
}

extension ScreenClient {
  /// Nothing can be done.
  package static let failing = ScreenClient(
    home: { () async throws(ScreenTrouble) in throw .away },
    match: { _, _ async throws(ScreenTrouble) in throw .away },
    play: { _, _, _ async throws(ScreenTrouble) in throw .away },
    rematch: { _ in .failed(ScreenTrouble.away.text) },
    grant: { _ async throws(ScreenTrouble) in throw .away })
}
