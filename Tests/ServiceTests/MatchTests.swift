import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@Suite("A complete match", .serialized)
struct MatchTests {
  @Test("Two players meet, play to the last cube and again; the record verifies offline")
  func completeMatch() async throws {
    var options = ServiceLab.Options(workers: 2)
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try Scenes.playToTheEnd(ann, bob)
      let rootKey = lab.identity.rootKey
      try Scenes.lookBack(at: match, ann, bob, rootKey: rootKey)

      // Both want a rematch at the same moment.
      let shelf = (Handed(ann), Handed(bob))
      let (one, two) = try await atOnce(
        { shelf.0.value.rematch(of: match) }, { shelf.1.value.rematch(of: match) })
      let tickets = [one, two].compactMap { progress -> MatchTicket? in
        if case .started(let ticket) = progress { ticket } else { nil }
      }
      #expect(tickets.map(\.match) == [MatchID(successorOf: match)])
      for player in [ann, bob] {
        #expect(try player.match(match).successor == tickets.first?.match)
        #expect(try player.home().matches.map(\.id) == tickets.map(\.match))
      }
      #expect(try lab.violations() == [])
      let kinds = Set(try lab.jobs().map(\.job.kind))
      #expect(
        kinds == [
          .invited, .opponentJoined, .yourTurn, .matchEnded, .rematchRequested, .rematchStarted,
        ])
    }
  }
}

/// A value that one thread hands to another.
// SAFETY: the thread that hands it over leaves it alone until the other has been awaited.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
