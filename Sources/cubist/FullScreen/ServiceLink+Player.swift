import CubePlay
import GameScreens
import MatchCore
import MatchWire
import PlayerClient
import ServiceNews

extension ServiceLink {
  /// Another player, and the matches between the two.
  func player(named name: String) throws(ScreenTrouble) -> PlayerNews {
    try call { player in
      let other = try Self.other(name, player)
      let isBlocked = try player.blocks().players.contains { $0.player == other }
      return PlayerNews(try player.headToHead(with: other), isBlocked: isBlocked)
    }
  }

  func carryOut(_ wish: PlayerWish, about name: String) throws(ScreenTrouble) {
    try call { player in
      switch wish {
      case .block: try player.block(Self.other(name, player))
      case .unblock: try player.unblock(Self.other(name, player))
      case .report(let match, let reason, let text):
        try player.report(
          match.id(), because: Report.Reason(reason), text: Report.Text(typed: text))
      }
    }
  }

  static func other(_ name: String, _ player: Player) throws -> PlayerID {
    guard let valid = PlayerName(name) else { throw ScreenTrouble.nobody }
    let other = try player.player(named: valid).id
    guard other != player.player else { throw ScreenTrouble.yourself }
    return other
  }
}
