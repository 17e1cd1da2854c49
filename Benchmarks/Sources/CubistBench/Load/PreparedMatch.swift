import CubeRules
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Somebody who plays.
struct LoadPlayer {
  let name: PlayerName
  let signer: Signer
  let id: PlayerID

  /// Registers so many under names that nobody has.
  static func register(
    _ count: Int, _ site: Site, _ exchange: Exchange, _ random: inout SplitMix
  ) throws -> [LoadPlayer] {
    var players: [LoadPlayer] = []
    for number in 0..<count {
      // A place that is kept knows the players of earlier runs.
      let suffix = String(random.next() % 2_821_109_907_456, radix: 36)
      guard let signer = Signer.ed25519(seed: Signer.seed(using: &random)),
        let name = PlayerName("l\(number)-\(suffix)")
      else { throw BenchFailure("no key") }
      players.append(
        LoadPlayer(name: name, signer: signer, id: PlayerID(firstKey: signer.publicKey)))
    }
    try exchange.run(count: count) { index in
      let player = players[index]
      let action = Event.Action.playerRegistered(name: player.name, code: nil)
      return (Event(service: site.identity.service, by: player, action, &random), player)
    } then: { _, _ in
      nil
    }
    return players
  }
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

  var playerToMove: LoadPlayer { players[(number - 1) % players.count] }

  /// The next turn.
  func nextEvent(of service: ServiceID, _ random: inout SplitMix) -> Exchange.Sent {
    let turn = Turn(
      number: number, previous: previous, moves: script[(number - 1) % script.count])
    let player = playerToMove
    return (Event(service: service, by: player, .turnPlayed(id, turn), &random), player)
  }

  /// The next turn, signed.
  func nextTurn(of service: ServiceID, _ random: inout SplitMix) throws -> [UInt8] {
    let (event, player) = nextEvent(of: service, &random)
    return Envelope.encode(try player.signer.sign(event))
  }

  /// Goes on to the turn after.
  mutating func took(_ receipt: TurnReceipt) {
    previous = receipt.hash
    number += 1
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
