import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews

extension ServiceLink {
  /// Gives a match up; one that nobody has joined is taken back.
  func giveUp(_ key: MatchKey) -> GiveUpAnswer {
    do throws(ScreenTrouble) {
      try call { player in
        let id = try key.id()
        let isWaiting = try player.match(id).stage == .waiting
        try kept { () throws(ClientError) in
          if isWaiting { try player.withdraw(id) } else { try player.forfeit(id) }
        }
      }
      return .done
    } catch {
      return .failed(error.text)
    }
  }

  func share(_ key: MatchKey) -> ShareAnswer {
    do throws(ScreenTrouble) {
      let code = try call { player in
        let id = try key.id()
        return try kept { () throws(ClientError) in try player.share(id) }
      }
      return .shared(code: code.description)
    } catch {
      return .failed(error.text)
    }
  }

  /// Answers the turn of that number with a word.
  func react(_ key: MatchKey, with word: String, to turn: Int) throws(ScreenTrouble) {
    try call { player in
      let id = try key.id()
      _ = try kept { () throws(ClientError) in try player.react(with: word, to: turn, of: id) }
    }
  }

  /// Carries out one wish of the player. If it gets no answer, it is kept, and sent again with all
  /// pending events.
  private func kept<Value>(_ body: () throws(ClientError) -> Value) throws -> Value {
    do throws(ClientError) {
      return try body()
    } catch {
      switch error {
      case .pending, .earlierPending:
        throw ScreenTrouble.pending
      default: throw error
      }
    }
  }

  func rating() throws(ScreenTrouble) -> Strength? {
    try call { try $0.whoAmI().rating.map { Strength($0) } }
  }
}
