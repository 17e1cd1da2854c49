import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import TestedService

@testable import cubistd

/// The operator's commands over connections of their own.
final class OperatorDesk {
  let matches: MatchOperations
  let players: PlayerLookup
  let store: OperatorStore
  private let connection: PostgreSQLConnection
  private let bus: DeadLetterBus
  private let identity: ServiceIdentity

  init(_ lab: ServiceLab) throws {
    connection = try lab.connection()
    bus = try .live(try lab.context())
    store = .live(connection)
    matches = MatchOperations(check: .live(connection), reader: .live(connection))
    players = PlayerLookup(reader: .live(connection), store: store)
    identity = lab.identity
  }

  func close() {
    connection.close()
    bus.close()
  }

  func rule(
    _ verdict: Ruling.Verdict, _ reason: Ruling.Reason, _ match: MatchID,
    clock: WallClock = .live
  ) throws -> MatchOperations.Found {
    try matches.rule(
      Ruling(verdict, for: reason), on: match,
      MatchOperations.Means(
        store: store,
        publish: { [bus] body, slot throws(BusError) in try bus.publish(body, .events(slot)) },
        identity: identity, clock: clock, randomness: .live, operator: "olga"))
  }
}
