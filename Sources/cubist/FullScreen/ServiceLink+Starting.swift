import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews

extension ServiceLink {
  /// Asks for a match or a game.
  ///
  /// - Parameter isSure: Whether a player is invited though an invitation to the same one waits.
  func start(_ wanted: NewMatch, isSure: Bool) throws(ScreenTrouble) -> StartAnswer {
    try call { player in try starting { try start(wanted, isSure: isSure, player) } }
  }

  private func start(_ wanted: NewMatch, isSure: Bool, _ player: Player) throws -> StartAnswer {
    switch wanted {
    case .anyone(let terms): return .began(try request(.random, terms, player))
    case .open(let terms): return .began(try request(.open, terms, player))
    case .named(let name, let terms): return try invite(name, terms, isSure: isSure, player)
    case .join(let text):
      guard let code = ShareCode(pasted: text) else { return .refused("That is no code.") }
      return .began(MatchKey(try player.join(code)))
    case .daily(let clock): return .began(try daily(clock, player))
    case .alone(let clock):
      let start = try player.startMatch(MatchRequest(alone: SoloMode(clock)))
      return .began(MatchKey(start.ticket))
    }
  }

  private func invite(
    _ name: String, _ terms: NewMatch.Terms, isSure: Bool, _ player: Player
  ) throws -> StartAnswer {
    guard let known = PlayerName(name) else { return .wrongName("no player's name") }
    let other: PlayerView
    do throws(ClientError) {
      other = try player.player(named: known)
    } catch {
      guard case .queryRefused(_, _, .unknownPlayer?) = error else { throw error }
      return .wrongName("nobody has that name")
    }
    if try !isSure && player.home().waits(for: other.id) { return .invitedBefore }
    return .began(try request(.player(other.id), terms, player))
  }

  private func request(
    _ opponent: MatchRequest.Opponent, _ terms: NewMatch.Terms, _ player: Player
  ) throws -> MatchKey {
    guard let request = MatchRequest(opponent, terms) else {
      throw ScreenTrouble.said(
        "A turn limit of '\(terms.turnLimit)' cannot be had. Choose 10s to 30d.")
    }
    return MatchKey(try player.startMatch(request).ticket)
  }

  func daily(_ clock: GameClock) throws(ScreenTrouble) -> MatchKey {
    try call { player in try starting { try daily(clock, player) } }
  }

  /// The player's game of today's challenge, begun where it is not.
  func daily(_ clock: GameClock, _ player: Player) throws -> MatchKey {
    let today = try player.home().daily(SoloMode(clock))
    if let match = today.match { return MatchKey(match) }
    return MatchKey(try player.startDaily(today.daily))
  }
}
