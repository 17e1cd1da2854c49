import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire

/// Somebody who plays.
struct LoadPlayer {
  let name: PlayerName
  let signer: Signer
  let id: PlayerID
}

/// A match that both players have joined, with every turn of it decided.
struct PreparedMatch {
  let id: MatchID
  let slot: Slot
  /// In the order in which they play.
  let players: [LoadPlayer]
  let script: [[Move]]
  /// What the next turn has to name.
  var previous: Hash
  /// The next turn; the first is 1.
  var number = 1

  var isOver: Bool { number > script.count }

  /// The next turn, signed.
  func nextTurn(of service: ServiceID, _ random: inout SplitMix) throws -> [UInt8] {
    let player = players[(number - 1) % players.count]
    let turn = Turn(
      number: number, previous: previous, moves: script[(number - 1) % script.count])
    let event = Event(service: service, by: player, .turnPlayed(id, turn), &random)
    return Envelope.encode(try player.signer.sign(event))
  }
}

extension Event {
  /// An event made now.
  init(service: ServiceID, by player: LoadPlayer, _ action: Action, _ random: inout SplitMix) {
    let bits = UInt128(random.next()) << 64 | UInt128(random.next())
    self.init(
      service: service, id: EventID(at: WallClock.live.now(), random: bits), player: player.id,
      action: action)
  }
}
