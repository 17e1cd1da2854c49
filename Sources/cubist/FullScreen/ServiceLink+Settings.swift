import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews

extension ServiceLink {
  /// The player's settings.
  func settings() throws(ScreenTrouble) -> SettingsValues {
    try call { SettingsValues(try $0.settings(), try $0.blocks(), now: now) }
  }

  /// Saves the differences. Names are looked up first: if one is wrong, nothing is saved.
  func save(_ edits: [SettingsEdit]) throws(ScreenTrouble) -> SaveAnswer {
    try call { player in
      let changes = SettingsChanges(edits)
      var others: [(id: PlayerID, isBlocked: Bool)] = []
      for change in changes.players {
        let text = change.name
        guard let name = PlayerName(text) else { return .wrongName(text, "no player's name") }
        do throws(ClientError) {
          let other = try player.player(named: name).id
          guard other != player.player else { return .wrongName(text, "is your own name") }
          others.append((other, change.isBlocked))
        } catch {
          guard case .queryRefused(_, _, .unknownPlayer?) = error else { throw error }
          return .wrongName(text, "nobody has that name")
        }
      }
      if !changes.settings.isEmpty { try player.change(changes.settings) }
      for name in changes.removed { try player.removeDevice(name) }
      for device in changes.devices { try player.register(device) }
      for (other, isBlocked) in others {
        if isBlocked { try player.block(other) } else { try player.unblock(other) }
      }
      return .saved
    }
  }
}
