import CubePlay
import GameScreens
import MatchCore
import PlayerClient
import ServiceNews

extension ServiceLink {
  /// The keys of the player's devices.
  func keys() throws(ScreenTrouble) -> KeysNews {
    try call { player in
      let list = try player.keys()
      let code = player.profile.service.flatMap { ticket?.code.hash(at: $0) }
      return KeysNews(list, own: player.publicKey, code: code, now: now)
    }
  }

  /// Lets one more device in.
  func inviteDevice() throws(ScreenTrouble) -> (code: String, secondsLeft: Int) {
    try call { player in
      let ticket = try player.inviteDevice()
      self.ticket = ticket
      return (ticket.code.grouped, ticket.until.seconds(from: now))
    }
  }

  /// Removes a key, given as text.
  func removeKey(_ text: String) throws(ScreenTrouble) {
    guard let key = PublicKey(text) else { throw .said("There is no such key.") }
    try call { try $0.removeKey(key) }
  }

  /// Objects to a recovery. Words are made by a command: a whole screen would keep them in sight.
  func recover(_ effect: RecoveryEffect) throws(ScreenTrouble) -> RecoveryAction {
    guard case .object(let text) = effect, let recovery = EventID(text) else {
      throw .said("On a terminal cubist key words makes them.")
    }
    let until = try call { try $0.object(to: recovery) }
    return .objected(effect: RecoveryNews.time(until, now: now) ?? "soon")
  }
}
