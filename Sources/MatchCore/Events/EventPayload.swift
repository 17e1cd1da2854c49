/// A type of event, declared in one place: its name, its sender, its price, its fields, what has to
/// be looked up before it is judged, and what it is answered with. Its value is what travels.
///
/// `Judge` and `Replay` say what follows from it, in a `switch` over `Event.Action`.
package protocol EventPayload: Hashable, Sendable {
  /// What an accepted event of this type tells its sender.
  associatedtype Answer: Sendable

  /// Its name on the wire, in journals and in metrics.
  static var name: String { get }
  static var sender: EventSender { get }
  static var price: EventPrice { get }
  /// The answer, where an acceptance is one to this type of event.
  static func answer(_ acceptance: Acceptance) -> Answer?

  /// The case that it belongs to.
  var action: Event.Action { get }
  /// The match that it names.
  var about: MatchID? { get }
  /// What a player's event is about: of two about the same the later one has to hold in the end.
  var subject: Event.Subject? { get }
  /// The same without what differs each time that one wish is said again.
  var wish: Self { get }
  /// What has to be looked up before it can be judged.
  func needs(of event: Event) -> Judge.Needs
  /// The players whom it lets its player meet; nil: none, and no match begins. `match` gives those
  /// matches that are known and that the player may know of.
  func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter?

  /// Its own fields, in the order in which they are written; nil is left out.
  var fields: [(String, JSON?)] { get }
  /// Reads the fields. The fault names a field that is missing or out of its bounds.
  init(_ object: JSONObject) throws(WireFault)
}

/// Who may say a type of event.
public enum EventSender: Hashable, Sendable {
  /// A player, signed with the player's key.
  case player
  /// The service alone, signed with its working key.
  case service
}

/// How an event counts where a player's events are limited: by the rows that it leaves.
public enum EventPrice: Hashable, Sendable {
  /// A step of a match, which ends: a turn has its number.
  case step
  /// It begins a match. Something is kept of that for ever.
  case beginning
  /// It leaves a row for days that no match bounds.
  case row
}

extension EventPayload {
  package static var sender: EventSender { .player }
  package static var price: EventPrice { .step }

  package var about: MatchID? { nil }
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

/// An event that only the service says. Nobody waits for its answer.
package protocol ServicePayload: EventPayload where Answer == Never {}

extension ServicePayload {
  package static var sender: EventSender { .service }
  package static func answer(_: Acceptance) -> Never? { nil }
  package var subject: Event.Subject? { nil }
}

/// What is asked of an event whatever its type.
package protocol EventPayloadVisitor {
  associatedtype Answer
  func visit(_ payload: some EventPayload) -> Answer
}
