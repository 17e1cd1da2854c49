import CubePlay
import GameScreens
import MatchCore
import MatchWire
import PlayerClient
import ServiceNews

extension ServiceLink {
  /// The notifications that the player has not taken away.
  func inbox() throws(ScreenTrouble) -> [InboxRow] {
    try call { player in try player.inbox().items.map { InboxRow($0, now: now) } }
  }

  /// Takes notifications away.
  func see(_ leaving: InboxScreen.Leaving) throws(ScreenTrouble) {
    guard let seen = InboxSeen(leaving) else { throw .noNotification }
    try call { player in try player.see(seen) }
  }
}
