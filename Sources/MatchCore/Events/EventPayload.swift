/// A type of event, declared in one place: its name, sender, price, fields, look-ups and answer.
/// Its value is the event's payload on the wire.
///
/// `Judge` and `Replay` state its effects, in a `switch` over `Event.Action`.
package protocol EventPayload: Hashable, Sendable {
  /// The content of the reply to an accepted event of this type.
  associatedtype Answer: Sendable

  /// Its name on the wire, in journals and in metrics.
  static var name: String { get }
  /// Its name in sentences for people.
  static var noun: String { get }
  static var sender: EventSender { get }
  static var price: EventPrice { get }
  /// The answer. Nil if the acceptance is not one to this type of event.
  static func answer(_ acceptance: Acceptance) -> Answer?

  /// The case that it belongs to.
  var action: Event.Action { get }
  /// The match that it names.
  var about: MatchID? { get }
  /// The player that an event of the service is about.
  var aboutPlayer: PlayerID? { get }
  /// The subject of a player's event. Of two with the same subject the later one must win.
  var subject: Event.Subject? { get }
  /// The payload without the parts that differ each time the same wish is sent.
  var wish: Self { get }
  /// The look-ups that judging it needs.
  func needs(of event: Event) -> Judge.Needs
  /// The players that this event lets its player meet. Nil: none, and no match begins. `match`
  /// returns a known match that the player may know of.
  func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter?

  /// Its own fields, in the order of writing. Nil values are left out.
  var fields: [(String, JSON?)] { get }
  /// Reads the fields. The fault names a field that is missing or out of bounds.
  init(_ object: JSONObject) throws(WireFault)
}

/// The sender of a type of event.
public enum EventSender: Hashable, Sendable {
  /// A player, signed with the player's key.
  case player
  /// The service alone, signed with its working key.
  case service
}

/// The price of an event in a player's limits, by the rows that it leaves.
public enum EventPrice: Hashable, Sendable {
  /// A step of a match. Matches end, and each turn has its own number.
  case step
  /// It begins a match. A part of that is kept for ever.
  case beginning
  /// It leaves a row for days that no match bounds.
  case row
}

extension EventPayload {
  package static var sender: EventSender { .player }
  package static var price: EventPrice { .step }

  package var about: MatchID? { nil }
  package var aboutPlayer: PlayerID? { nil }
  package var subject: Event.Subject? { about.map { .match($0) } }
  package var wish: Self { self }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.matches = about.map { [$0] } ?? []
    return needs
  }

  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    nil
  }
}

/// An event whose only field is its match.
package protocol MatchOnlyPayload: EventPayload {
  var match: MatchID { get }
  init(match: MatchID)
}

extension MatchOnlyPayload {
  package var about: MatchID? { match }
  package var fields: [(String, JSON?)] { [("match", .text(match))] }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(match: try object.id("match"))
  }
}

/// An event that takes a step of a match. Its answer is the match's version.
package protocol StepPayload: EventPayload where Answer == Int64 {
  static var step: MatchStep { get }
}

extension StepPayload {
  package static func answer(_ acceptance: Acceptance) -> Int64? {
    if case .done(step, _, let version) = acceptance { version } else { nil }
  }
}

/// An event that only the service sends. Nobody waits for its answer.
package protocol ServicePayload: EventPayload where Answer == Never {}

extension ServicePayload {
  package static var noun: String { name }
  package static var sender: EventSender { .service }
  package static func answer(_: Acceptance) -> Never? { nil }
  package var subject: Event.Subject? { nil }
}

/// A question about an event of any type.
package protocol EventPayloadVisitor {
  associatedtype Answer
  func visit(_ payload: some EventPayload) -> Answer
}
