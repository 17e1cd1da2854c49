package import MatchCore
package import MatchInterfaces
package import MatchWire
package import PlayerClient
import Testing

/// A player who signs anything and sends it anywhere, as a test wants; nothing is kept, and nothing
/// is sent again by itself.
// SAFETY: the bus is confined to one thread at a time: a test hands a player to one child task,
// and uses it again only after having awaited that.
package final class LabPlayer: @unchecked Sendable {
  package let name: PlayerName
  /// How the test calls the player; others of the same service may be called so, too.
  package let label: String
  package let key: PlayerKey
  package let service: ServiceID
  private let clock: WallClock
  private let bus: PlayerBus

  /// An event as it was signed.
  package struct Sent: Sendable {
    package var event: Event
    package var slot: Slot
    package var envelope: [UInt8]
    package var key: EventKey { EventKey(player: event.player, event: event.id) }
    /// The match that the event asks for.
    package var newMatch: MatchID { MatchID(askedBy: event.player, event: event.id) }

    package init(event: Event, slot: Slot, envelope: [UInt8]) {
      (self.event, self.slot, self.envelope) = (event, slot, envelope)
    }
  }

  /// - Parameter label: How the test calls the player, unless by the name.
  package init(
    _ name: String, label: String? = nil, key: PlayerKey = .make(using: .live),
    service: ServiceID, clock: WallClock, bus: PlayerBus
  ) throws {
    self.name = try #require(PlayerName(name))
    self.label = label ?? name
    self.key = key
    self.service = service
    self.clock = clock
    self.bus = bus
  }

  deinit { bus.close() }

  package var id: PlayerID { key.player }

  /// Signs an event, made now unless said otherwise. A further device signs events of another id
  /// than its key's own.
  package func sign(
    _ action: Event.Action, id: EventID? = nil, service: ServiceID? = nil,
    of player: PlayerID? = nil
  ) throws -> Sent {
    let id = id ?? EventID(at: clock.now(), random: Randomness.live.next128())
    let event = Event(
      service: service ?? self.service, id: id, player: player ?? self.id, action: action)
    return Sent(
      event: event, slot: try #require(Slot(of: event)),
      envelope: Envelope.encode(try key.signer.sign(event)))
  }

  /// Sends an event and gives the reply's bytes.
  package func bytes(
    _ sent: Sent, to slot: Slot? = nil, within limit: Duration = .seconds(270)
  ) throws -> [UInt8] {
    let answer = try bus.request(
      PlayerMessage(destination: .events(slot ?? sent.slot), body: sent.envelope), limit)
    guard case .reply(let bytes) = answer else {
      throw LabFailure("\(name) got no reply to \(sent.event.action.typeName): \(answer)")
    }
    return bytes
  }

  /// Sends an event and gives its reply.
  package func send(
    _ sent: Sent, to slot: Slot? = nil, within limit: Duration = .seconds(270)
  ) throws -> ReceivedReply {
    try ReplyCodec.decode(bytes(sent, to: slot, within: limit)).reply
  }

  /// Sends one action and gives its reply.
  package func act(_ action: Event.Action) throws -> ReceivedReply { try send(sign(action)) }

  /// Sends an action that must be accepted.
  @discardableResult
  package func must(_ action: Event.Action) throws -> Acceptance {
    let reply = try act(action)
    guard case .accepted(let acceptance) = reply else {
      throw LabFailure("\(name)'s \(action.typeName) was refused: \(reply)")
    }
    return acceptance
  }
}

extension ReceivedReply {
  /// The refusal, where it is one.
  package var refusal: Refusal? {
    if case .refused(_, _, let refusal) = self { refusal } else { nil }
  }

  /// The ticket to a match, where it is one.
  package var ticket: MatchTicket? {
    guard case .accepted(let acceptance) = self else { return nil }
    switch acceptance {
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket),
      .rematchStarted(let ticket):
      return ticket
    default: return nil
    }
  }

  /// The receipt of a turn, where it is one.
  package var receipt: TurnReceipt? {
    if case .accepted(.turnAccepted(let receipt)) = self { receipt } else { nil }
  }
}
