import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import cubistd

@Suite("Accounts of bots", .serialized)
struct BotAccountTests {
  @Test("A bot is shown as one, its games are on no board, and its opponents' ratings are as ever")
  func declared() async throws {
    let options = ServiceLab.Options(roles: [.scheduler, .reader, .relay, .push, .rater])
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      func lose(_ loser: Player) throws {
        let match = try lab.begin(ann, bob)
        for player in [ann, bob] {
          let view = try player.match(match)
          _ = try player.play(Scenes.word(in: view), in: view)
        }
        _ = try loser.forfeit(match)
      }
      try lose(bob)
      try waitUntil("both are rated") {
        try [ann, bob].allSatisfy { try $0.whoAmI().rating?.matches == 1 }
      }
      try waitUntil("the daily is there") { try ann.home().daily.isDealt }
      let daily = try ann.home().daily.daily
      for player in [ann, bob] { _ = try player.startDaily(daily) }
      #expect(try bob.standings(daily).outOf == 2)

      try ann.declareBot()
      try ann.declareBot()
      let refused = #expect(throws: ClientError.self) {
        try ann.change(SettingsChange(isBot: false))
      }
      guard case .refused(_, _, .botForGood)? = refused else {
        Issue.record("\(String(describing: refused))")
        return
      }
      #expect(try ann.settings().bot == true)
      #expect(try bob.settings().bot == nil)
      try waitUntil("Ann has no place in the daily") { try bob.standings(daily).outOf == 1 }
      #expect(try ann.standings(daily).you == nil)

      let before = try #require(bob.whoAmI().rating)
      try lose(ann)
      try waitUntil("the match is rated") { try bob.whoAmI().rating?.matches == 2 }
      #expect(try #require(bob.whoAmI().rating).rating > before.rating)
      #expect(try ann.whoAmI().rating?.matches == 2)
      let view = try bob.match(try #require(bob.pastGames().games.first).id)
      #expect(view.seats.map(\.bot) == [true, nil])
      #expect(try bob.player(named: ann.whoAmI().name).bot == true)
      try waitUntil("everybody is ranked") { try lab.violations() == [] }
      #expect(try RebuildTests.rebuild(lab).isComplete)
      #expect(try bob.standings(daily).outOf == 1)
    }
  }
}
