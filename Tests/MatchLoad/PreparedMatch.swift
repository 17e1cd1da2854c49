package import CubeRules
package import CubistBasics
package import MatchCore
import MatchInterfaces
import MatchService
package import MatchWire

/// The reason why load cannot be made.
package struct LoadFailure: Error, CustomStringConvertible {
  /// The problem, and the value that has it.
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// A player.
package struct LoadPlayer {
  package let name: PlayerName
  /// The key that signs the player's events.
  package let signer: Signer
  /// Follows from the key.
  package let id: PlayerID

  /// Makes a player with a new key that no service knows yet.
  ///
  /// - Throws: ``LoadFailure`` where nobody may have the name.
  package init(name: String, _ random: inout SplitMix64) throws {
    guard let signer = Signer.ed25519(seed: Signer.seed(using: &random)),
      let name = PlayerName(name)
    else { throw LoadFailure("nobody can be named \(name)") }
    (self.name, self.signer, id) = (name, signer, PlayerID(firstKey: signer.publicKey))
  }

  /// Registers under the name.
  package func registration(
    with service: ServiceID, at time: Instant = WallClock.live.now(), _ random: inout SplitMix64
  ) -> SentEvent {
    event(of: service, .playerRegistered(name: name, code: nil), at: time, &random)
  }

  /// An event of this player, made now.
  package func event(
    of service: ServiceID, _ action: Event.Action, at time: Instant = WallClock.live.now(),
    _ random: inout SplitMix64
  ) -> SentEvent {
    let bits = UInt128(random.next()) << 64 | UInt128(random.next())
    let event = Event(
      service: service, id: EventID(at: time, random: bits), player: id, action: action)
    return SentEvent(event: event, player: self)
  }
}

/// An event and its sender.
package struct SentEvent {
  package let event: Event
  /// The player who sends and signs it.
  package let player: LoadPlayer

  /// The message to send: the signed event in its envelope.
  ///
  /// - Throws: The signer's error.
  package func envelope() throws -> [UInt8] {
    Envelope.encode(try player.signer.sign(event))
  }
}

/// A match that both players have joined, with every turn of it decided.
package struct PreparedMatch {
  package let id: MatchID
  /// The slot of its events.
  package let slot: Slot
  /// The players, in the order of their turns.
  package let players: [LoadPlayer]
  /// The moves of every turn.
  package let script: [[Move]]
  /// The hash of the entry that the next turn has to name.
  package private(set) var previous: Hash
  /// The next turn; the first is 1.
  package var number = 1

  /// A match that its second player has just joined.
  ///
  /// - Parameter seed: The seed by which the turns are chosen.
  /// - Throws: ``LoadFailure`` where the ticket's letters are no puzzle.
  package init(_ ticket: MatchTicket, players: [LoadPlayer], seed: UInt64) throws {
    id = ticket.match
    slot = Slot(of: ticket.match)
    self.players = players
    script = try Strategy.script(letters: ticket.letters, seed: seed)
    previous = ticket.previous
  }

  /// Whether the whole script is played.
  package var isOver: Bool { number > script.count }

  /// The player whose turn it is.
  package var playerToMove: LoadPlayer { players[(number - 1) % players.count] }

  /// The next turn; where nobody judges, the script is played again and again.
  package func nextTurn(
    of service: ServiceID, at time: Instant = WallClock.live.now(), _ random: inout SplitMix64
  ) -> SentEvent {
    let turn = Turn(
      number: number, previous: previous, moves: script[(number - 1) % script.count])
    return playerToMove.event(of: service, .turnPlayed(id, turn), at: time, &random)
  }

  /// Goes on to the turn after.
  package mutating func took(_ receipt: TurnReceipt) {
    previous = receipt.hash
    number += 1
  }
}
