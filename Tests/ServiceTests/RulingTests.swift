import Chaos
import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import cubistd

@Suite("Decisions of an operator", .serialized, .sharedService())
struct RulingTests {
  // The first one: it counts all players and matches.
  @Test("A match that is annulled after its end is not rated; one that was rated keeps its ratings")
  func ratings() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let rated = try lab.begin(ann, bob)
      _ = try ann.play(Scenes.word(in: ann.match(rated)), in: ann.match(rated))
      _ = try bob.forfeit(rated)
      let rater = Rater(store: .live(try lab.connection()), clock: .live, log: ServiceLab.log)
      #expect(try rater.step() == 1)
      let waiting = try lab.begin(ann, bob)
      _ = try ann.play(Scenes.word(in: ann.match(waiting)), in: ann.match(waiting))
      _ = try bob.forfeit(waiting)
      for match in [rated, waiting] { _ = try desk.rule(.annulled, .cheating, match) }
      #expect(try rater.step() == 0)
      #expect(try ann.whoAmI().rating?.matches == 1)
      let found = try desk.matches.find(rated)
      #expect(found.text.contains("Ann 1500 to 1662"))
      #expect(found.text.contains("these stay"))
      #expect(try found.json().contains(#""verdict":"annulled""#))
      #expect(try ann.pastGames().games.map(\.result) == [.none, .none])

      let account = try desk.players.find("ANN")
      #expect(account.account.keys.count == 1)
      #expect(account.account.lastSeenAt != nil)
      #expect(account.text.contains("1662"))
      #expect(try desk.players.find("\(account.row.id)").row == account.row)
      #expect(try desk.players.matches(of: account.row.id, limit: 5).count == 2)
      #expect(throws: OperatorFailure.self) { _ = try desk.players.find("nobody") }
      let figures = try desk.store.figures()
      #expect(figures.playerCount == 2)
      #expect((figures.matchCount, figures.currentMatchCount, figures.newMatchCount) == (2, 0, 2))
      #expect((figures.ratedPlayerCount, figures.ratedMatchCount) == (2, 1))
      #expect(figures.eventCount == 10)
      #expect(figures.ratingQueueCount == 0)
    }
  }

  @Test("An operator ends a match and annuls another; both players see why, and the record holds")
  func rulings() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let ended = try lab.begin(ann, bob)
      let found = try desk.rule(.ended, .agreement, ended)
      #expect(found.match.outcome?.reason == .stopped)
      #expect(found.match.outcome?.results == [.tied, .tied])
      #expect(found.text.contains("ended as it stood: both players wanted it"))
      #expect(found.text.contains("waits to be rated"))
      let annulled = try lab.begin(ann, bob)
      _ = try desk.rule(.annulled, .cheating, annulled)
      for player in [ann, bob] {
        #expect(try player.match(ended).ruledFor == .agreement)
        let view = try player.match(annulled)
        #expect(view.ruledFor == .cheating)
        #expect(view.outcome?.results == [.none, .none])
        #expect(try player.home().matches.isEmpty)
        #expect(try player.pastGames().games.map(\.reason) == [.annulled, .stopped])
      }
      for match in [ended, annulled] {
        let record = try ann.record(of: match)
        let verifier = RecordVerifier(lexicons: lab.lexicons, rootKey: lab.identity.rootKey)
        #expect(try verifier.report(on: Array(record.utf8)).isVerified)
      }
      #expect(try desk.store.acts(2).map(\.act) == ["match annulled", "match ended"])
      #expect(try desk.store.acts(1).first?.detail == "\(annulled) for cheating, by olga")
      try waitUntil("both are told of both") {
        lab.pushes.taken.count {
          $0.kind == .matchEnded && [ended, annulled].contains($0.match)
        } == 4
      }

      // A second time there is nothing to rule on.
      let again = #expect(throws: OperatorFailure.self) {
        _ = try desk.rule(.annulled, .cheating, annulled)
      }
      #expect(try #require(again).description.contains("over since"))
      #expect(throws: OperatorFailure.self) {
        _ = try desk.rule(.annulled, .fault, MatchID(rawValue: 1))
      }
    }
  }

  @Test("A match is found by the end that its player sees, and never among other players'")
  func shortID() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      _ = try lab.client("Eve")
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let match = try lab.begin(ann, bob)
      let end = String("\(match)".suffix(6))
      func find(_ text: String, _ player: String?) throws -> MatchID {
        try desk.matches.find(text, of: player, desk.players).match.id
      }
      let names = try [ann, bob].map { try #require($0.profile.name).text }
      for player in [names[0].lowercased(), names[1]] {
        #expect(try find(end, player) == match)
        #expect(try find("\(match)", player) == match)
      }
      #expect(try find("\(match)", nil) == match)
      func failure(_ text: String, _ player: String?) throws -> String {
        let failure = #expect(throws: OperatorFailure.self) { _ = try find(text, player) }
        return try #require(failure).description
      }
      #expect(try failure(end, nil).contains("--player"))
      #expect(try failure(end, "Eve").contains("no match of Eve"))
      #expect(try failure("\(match)", "Eve").contains("Eve does not play match \(match)"))
    }
  }

  @Test("A ruling waits without a worker, is reported as not judged, and counts once there is one")
  func noWorker() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let match = try lab.begin(ann, bob)
      try lab.stopWorkers()
      let failure = #expect(throws: OperatorFailure.self) {
        // Nobody judges, however long it is waited for.
        var clock = WallClock.live
        clock.sleep = { _ in }
        _ = try desk.rule(.annulled, .fault, match, clock: clock)
      }
      #expect(try #require(failure).description.contains("not judged yet"))
      try lab.start(.worker)
      try waitUntil("it is judged") {
        try desk.matches.find(match).match.outcome?.reason == .annulled
      }
    }
  }
}
