package import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
package import PlayerClient
import Testing

extension Scenes {
  /// Ann invites Bob by name, and both play a bot's turns.
  package static func playToTheEnd(_ ann: Player, _ bob: Player) throws -> MatchID {
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
  package static func lookBack(
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
