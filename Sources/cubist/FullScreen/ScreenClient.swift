import CubePlay
import CubeRules
import MatchCore

/// What the full screen needs of the service.
struct ScreenClient: Sendable {
  /// What waits for the player.
  var home: @Sendable () async throws(ScreenTrouble) -> HomeList
  /// A match; with a version only when there is a later one, or after a while.
  var match: @Sendable (MatchKey, _ newerThan: Int64?) async throws(ScreenTrouble) -> FoundMatch
  /// Plays a turn. The same one again is the same turn, and counts once.
  var play: @Sendable (MatchKey, [Move], _ number: Int) async throws(ScreenTrouble) -> Answer
  /// Asks for a rematch, or agrees to one.
  var rematch: @Sendable (MatchKey) async -> RematchAnswer
  /// Does what the player asks for on the screen of what waits; gives the match to be shown, if any.
  var grant: @Sendable (HomeScreen.Wish) async throws(ScreenTrouble) -> MatchKey?
}

/// A match as the service shows it.
struct FoundMatch: Hashable, Sendable {
  var news: MatchNews
  var version: Int64
  /// The list of its words.
  var lexicon: String
}

/// Why the service did not do what the screen wanted.
enum ScreenTrouble: Error, Hashable, Sendable {
  /// It cannot be reached, or its answer is pending: it is tried again.
  case away
  /// It says no, or something else is wrong, in words.
  case said(String)

  /// In words, without a hint that it is tried again.
  var text: String {
    switch self {
    case .away: "The service cannot be reached."
    case .said(let text): text
    }
  }
}

extension ScreenClient {
  /// Nothing can be done.
  static let failing = ScreenClient(
    home: { () async throws(ScreenTrouble) in throw .away },
    match: { _, _ async throws(ScreenTrouble) in throw .away },
    play: { _, _, _ async throws(ScreenTrouble) in throw .away },
    rematch: { _ in .failed(ScreenTrouble.away.text) },
    grant: { _ async throws(ScreenTrouble) in throw .away })
}
