public import CubeRules
public import CubistBasics
public import MatchCore
public import MatchInterfaces
import MatchService
public import MatchWire

/// Why load cannot be made.
public struct LoadFailure: Error, CustomStringConvertible {
  /// What was wrong, with what value.
  public let description: String
  /// With its description.
  public init(_ description: String) { self.description = description }
}

/// Somebody who plays.
public struct LoadPlayer {
  /// The name.
  public let name: PlayerName
  /// What the player signs with.
  public let signer: Signer
  /// Follows from the key.
  public let id: PlayerID

  /// Makes a player with a new key, whom no service knows yet.
  ///
  /// - Throws: ``LoadFailure`` where nobody may have the name.
  public init(name: String, _ random: inout SplitMix64) throws {
    guard let signer = Signer.ed25519(seed: Signer.seed(using: &random)),
      let name = PlayerName(name)
    else { throw LoadFailure("nobody can be named \(name)") }
    (self.name, self.signer, id) = (name, signer, PlayerID(firstKey: signer.publicKey))
  }

  /// Registers under the name.
  public func registration(
    with service: ServiceID, at time: Instant = WallClock.live.now(), _ random: inout SplitMix64
  ) -> SentEvent {
    event(of: service, .playerRegistered(name: name, code: nil), at: time, &random)
  }

  /// An event of this player, made now.
  public func event(
    of service: ServiceID, _ action: Event.Action, at time: Instant = WallClock.live.now(),
    _ random: inout SplitMix64
  ) -> SentEvent {
    let bits = UInt128(random.next()) << 64 | UInt128(random.next())
    let event = Event(
      service: service, id: EventID(at: time, random: bits), player: id, action: action)
    return SentEvent(event: event, player: self)
  }
}

/// An event and who signs it.
public struct SentEvent {
  /// What is said.
  public let event: Event
  /// Who says and signs it.
  public let player: LoadPlayer

  /// What is sent: signed, in its envelope.
  ///
  /// - Throws: What the signer throws.
  public func envelope() throws -> [UInt8] {
    Envelope.encode(try player.signer.sign(event))
  }
}

/// A match that both players have joined, with every turn of it decided.
public struct PreparedMatch {
  /// The match.
  public let id: MatchID
  /// Where its events go.
  public let slot: Slot
  /// In the order in which they play.
  public let players: [LoadPlayer]
  /// The moves of every turn.
  public let script: [[Move]]
  /// What the next turn has to name.
  public private(set) var previous: Hash
  /// The next turn; the first is 1.
  public var number = 1

  /// A match that was just joined by the second of its players.
  ///
  /// - Parameter seed: What the turns are chosen by.
  /// - Throws: ``LoadFailure`` where the ticket's letters are no puzzle.
  public init(_ ticket: MatchTicket, players: [LoadPlayer], seed: UInt64) throws {
    id = ticket.match
    slot = Slot(of: ticket.match)
    self.players = players
    script = try Strategy.script(letters: ticket.letters, seed: seed)
    previous = ticket.previous
  }

  /// Whether the script is played.
  public var isOver: Bool { number > script.count }

  /// Whose turn it is.
  public var playerToMove: LoadPlayer { players[(number - 1) % players.count] }

  /// The next turn; where nobody judges, the script is played again and again.
  public func nextTurn(
    of service: ServiceID, at time: Instant = WallClock.live.now(), _ random: inout SplitMix64
  ) -> SentEvent {
    let turn = Turn(
      number: number, previous: previous, moves: script[(number - 1) % script.count])
    return playerToMove.event(of: service, .turnPlayed(id, turn), at: time, &random)
  }

  /// Goes on to the turn after.
  public mutating func took(_ receipt: TurnReceipt) {
    previous = receipt.hash
    number += 1
  }
}
