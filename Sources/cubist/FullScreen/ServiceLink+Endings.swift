import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

extension ServiceLink {
  /// Gives a match up; one that nobody has joined is taken back.
  func giveUp(_ key: MatchKey) -> GiveUpAnswer {
    do throws(ScreenTrouble) {
      try call { player in
        let id = try key.id()
        if try player.match(id).stage == .waiting {
          try player.withdraw(id)
        } else {
          try player.forfeit(id)
        }
      }
      return .done
    } catch {
      return .failed(error.text)
    }
  }

  func share(_ key: MatchKey) -> ShareAnswer {
    do throws(ScreenTrouble) {
      return .shared(code: try call { try $0.share(key.id()).description })
    } catch {
      return .failed(error.text)
    }
  }

  func rating() throws(ScreenTrouble) -> Strength? {
    try call { player in
      try player.whoAmI().rating.map {
        Strength(points: $0.rating, isReliable: !$0.isProvisional, matchCount: $0.matches)
      }
    }
  }
}

extension MatchKey {
  /// A game that somebody shared.
  init(_ code: ShareCode) { self.init(code.description) }

  /// The code of a game that somebody shared; nil where it is a match.
  var code: ShareCode? { MatchID(text) == nil ? ShareCode(text) : nil }
}
