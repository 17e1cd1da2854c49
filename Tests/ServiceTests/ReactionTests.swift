import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import Testing

@Suite("Answers to turns", .serialized)
struct ReactionTests {
  @Test(
    "The other player sees the word, is told unless that is off, and the record verifies",
    .timeLimit(.minutes(15)))
  func reaction() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let match = try RulingTests.begin(ann, bob)
      _ = try ann.play(lab.firstWord(lab.match(match)).moves, in: match)
      let view = try bob.match(match)
      let word = try #require(view.turns.first?.words.first)
      let version = try bob.react(with: word, in: view)

      // Ann's program waits for any change of the match.
      let seen = try ann.match(match, newerThan: view.version)
      #expect(seen.version == version && seen.turn == view.turn)
      #expect(seen.turns.first?.reaction?.seat == 1 && seen.turns.first?.reaction?.word == word)
      try waitUntil("Ann is told") {
        lab.pushes.taken.contains { $0.kind == .reacted && $0.player == ann.player && $0.turn == 1 }
      }
      try waitUntil("it is in her inbox") {
        try ann.inbox().items.contains { $0.kind == "reacted" && $0.match == match }
      }

      // The other way round, to a player who wants no such notification.
      _ = try bob.send(.settingsChanged(SettingsChange(kinds: [.reacted: false])))
      _ = try bob.play(lab.turn(lab.match(match)).moves, in: match)
      try ann.react(with: word, in: ann.match(match))
      try ann.forfeit(match)
      try waitUntil("Bob is told of the end") {
        lab.pushes.taken.contains { $0.kind == .matchEnded && $0.player == bob.player }
      }
      #expect(!lab.pushes.taken.contains { $0.kind == .reacted && $0.player == bob.player })
      #expect(try bob.match(match).turns.map { $0.reaction?.seat } == [1, 0])
      let verifier = RecordVerifier(lexicons: lab.lexicons, rootKey: lab.identity.rootKey)
      #expect(try verifier.report(on: Array(bob.record(of: match).utf8)).isVerified)
      #expect(try lab.violations() == [])
    }
  }
}
