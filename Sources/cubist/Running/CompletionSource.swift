import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient
import ServiceNews

/// Looks up suggestions for a shell. Suggestions that take more than a moment are left out, and no
/// error is told.
struct CompletionSource {
  private let environment: CLIEnvironment
  private let profile: String?
  private let url: String?

  /// How long the service may take for an answer.
  static let patience = Duration.milliseconds(700)

  /// - Parameter words: The command as far as it was typed.
  init(_ words: [String], _ environment: CLIEnvironment) {
    self.environment = environment
    profile = CompletionSource.value(of: "--profile", in: words)
    url = CompletionSource.value(of: "--url", in: words)
  }

  /// Matches that are not over: their opponents, then their ids.
  var running: [String] {
    ask { player in
      let home = try player.home()
      return CompletionSource.named(home.matches.map(\.opponentName), MatchIndex(home))
    }
  }

  /// Invitations: their senders, then their ids.
  var invitations: [String] {
    ask { player in
      var home = try player.home()
      (home.matches, home.rematchOffers) = ([], [])
      return CompletionSource.named(home.invitations.map(\.opponentName), MatchIndex(home))
    }
  }

  /// Past games: their opponents, then their ids.
  var past: [String] {
    ask { player in
      let games = try player.pastGames(limit: 20).games
      return CompletionSource.named(games.map(\.opponentName), MatchIndex(games))
    }
  }

  /// The players of matches and past games.
  var opponents: [String] {
    ask { player in
      let home = try player.home()
      let names = (home.matches + home.invitations).map(\.opponentName)
      return CompletionSource.unique(
        names + (try player.pastGames(limit: 100).games.map(\.opponentName)))
    }
  }

  /// The player's devices.
  var devices: [String] { ask { try $0.settings().devices.map(\.device) } }

  /// Notifications that were not seen, by the endings of their ids.
  var notifications: [String] {
    ask { player in
      let ids = ShortIDs(try player.inbox().items.map(\.id))
      return ids.ids.map(ids.short)
    }
  }

  /// The player's keys, by their first digits.
  var keys: [String] {
    ask { player in
      let keys = ShortKeys(try player.keys().keys.map(\.key))
      return keys.keys.map(keys.short)
    }
  }

  /// The profiles of this machine.
  var profiles: [String] {
    guard let folder = ProfileName.standard.folder(environment: environment.variables),
      let end = folder.lastIndex(of: "/")
    else { return [] }
    return environment.listFolder(String(folder[..<end])).filter { ProfileName($0) != nil }.sorted()
  }

  private static func named(_ names: [PlayerName?], _ index: MatchIndex) -> [String] {
    unique(names) + index.candidates.map(\.short)
  }

  private static func unique(_ names: [PlayerName?]) -> [String] {
    var seen: Set<String> = []
    return names.compactMap { $0?.text }.filter { seen.insert($0).inserted }
  }

  private func ask(_ body: (Player) throws -> [String]) -> [String] {
    (try? connected(body)) ?? []
  }

  private func connected(_ body: (Player) throws -> [String]) throws -> [String] {
    let typed = (profile.map { ["--profile", $0] } ?? []) + (url.map { ["--url", $0] } ?? [])
    let session = CommandSession(environment, try GlobalOptions.parse(["--quiet"] + typed))
    defer { session.close() }
    let store = try session.store()
    // A profile that was never connected would have to ask for the service's description first.
    guard try store.loadKey() != nil, try store.loadProfile().service != nil else { return [] }
    let player = try Player.open(
      store, bus: session.connect(session.url(store)), clock: environment.clock,
      randomness: environment.randomness)
    player.patience.query = CompletionSource.patience
    player.patience.queryLimit = CompletionSource.patience
    player.patience.attempts = 1
    return try body(player)
  }

  private static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word == option, words.indices.contains(index + 1) { return words[index + 1] }
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
    }
    return nil
  }
}
