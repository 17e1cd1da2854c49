import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import Testing

@Suite("A complete match", .serialized)
struct MatchTests {
  @Test(
    "Two players meet, play to the last cube and again; the record verifies offline",
    .timeLimit(.minutes(15)))
  func completeMatch() async throws {
    var options = ServiceLab.Options(workers: 2)
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try MatchTests.playToTheEnd(ann, bob)
      let rootKey = lab.identity.rootKey
      try MatchTests.lookBack(at: match, ann, bob, rootKey: rootKey)

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

  @Test("Client and worker in one process, without a socket", .timeLimit(.minutes(15)))
  func withoutSocket() async throws {
    try await onThreads { try MatchTests.playWithoutSocket() }
  }

  private static func playWithoutSocket() throws {
    let service = try SocketlessService(lexicons: .standard)
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let match = try MatchTests.playToTheEnd(ann, bob)
    try MatchTests.lookBack(at: match, ann, bob, rootKey: service.identity.rootKey)
    let first = ann.rematch(of: match)
    guard case .offered(match, _) = first, case .started(let ticket) = bob.rematch(of: match)
    else {
      Issue.record("no rematch: \(first)")
      return
    }
    #expect(try ann.match(match).successor == ticket.match)
    #expect(try service.violations() == [])
    #expect(service.pushes.taken.last?.kind == .rematchStarted)
  }

  /// Ann invites Bob by name, and both play a bot's turns.
  private static func playToTheEnd(_ ann: Player, _ bob: Player) throws -> MatchID {
    let name = try #require(bob.profile.name)
    let start = try ann.startMatch(against: name, turnLimitSeconds: 3_600)
    let match = start.ticket.match
    #expect(try bob.home().invitations.map(\.id) == [match])
    #expect(try bob.accept(match).match == match)
    let bots = [ann, bob].map {
      Bot(player: $0, lexicons: .standard, randomness: .seeded(7))
    }
    var view = try ann.match(match)
    while view.stage == .playing {
      let bot = bots[view.seatToPlay]
      let receipt = try bot.player.play(bot.decide(view), in: view)
      #expect(receipt.turn == view.turn)
      view = try bot.player.match(match, atLeast: receipt.version)
    }
    #expect(view.outcome?.reason == .cleared)
    return match
  }

  /// Both see the match among their past games, and its record holds by itself.
  private static func lookBack(
    at match: MatchID, _ ann: Player, _ bob: Player, rootKey: PublicKey
  ) throws {
    let view = try ann.match(match)
    for (seat, player) in [ann, bob].enumerated() {
      let games = try player.pastGames().games
      #expect(games.map(\.id) == [match])
      #expect(games.first?.points == view.seats[seat].points)
      #expect(games.first?.result == view.outcome?.results[seat])
      #expect(games.first?.opponent == view.seats[1 - seat].player)
      let record = try player.record(of: match)
      let report = try RecordVerifier(rootKey: rootKey).report(on: Array(record.utf8))
      #expect(report.isVerified, "\(String(describing: report.game.fault))")
      #expect(report.document.points == view.seats.map(\.points))
    }
  }
}

/// A value that one thread hands to another.
// SAFETY: the thread that hands it over leaves it alone until the other has been awaited.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
