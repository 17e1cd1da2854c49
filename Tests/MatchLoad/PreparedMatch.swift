public import CubeRules
public import CubistBasics
public import MatchCore
public import MatchInterfaces
import MatchService
public import MatchWire

/// The reason why load cannot be made.
public struct LoadFailure: Error, CustomStringConvertible {
  /// The problem, and the value that has it.
  public let description: String
  public init(_ description: String) { self.description = description }
}

/// A player.
public struct LoadPlayer {
  public let name: PlayerName
  /// The key that signs the player's events.
  public let signer: Signer
  /// Follows from the key.
  public let id: PlayerID

  /// Makes a player with a new key that no service knows yet.
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

/// An event and its sender.
public struct SentEvent {
  public let event: Event
  /// The player who sends and signs it.
  public let player: LoadPlayer

  /// The message to send: the signed event in its envelope.
  ///
  /// - Throws: The signer's error.
  public func envelope() throws -> [UInt8] {
    Envelope.encode(try player.signer.sign(event))
  }
}

/// A match that both players have joined, with every turn of it decided.
public struct PreparedMatch {
  public let id: MatchID
  /// The slot of its events.
  public let slot: Slot
  /// The players, in the order of their turns.
  public let players: [LoadPlayer]
  /// The moves of every turn.
  public let script: [[Move]]
  /// The hash of the entry that the next turn has to name.
  public private(set) var previous: Hash
  /// The next turn; the first is 1.
  public var number = 1

  /// A match that its second player has just joined.
  ///
  /// - Parameter seed: The seed by which the turns are chosen.
  /// - Throws: ``LoadFailure`` where the ticket's letters are no puzzle.
  public init(_ ticket: MatchTicket, players: [LoadPlayer], seed: UInt64) throws {
    id = ticket.match
    slot = Slot(of: ticket.match)
    self.players = players
    script = try Strategy.script(letters: ticket.letters, seed: seed)
    previous = ticket.previous
  }

  /// Whether the whole script is played.
  public var isOver: Bool { number > script.count }

  /// The player whose turn it is.
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
