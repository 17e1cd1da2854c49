import CubeLexicon
import CubeRules
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

@Suite("Matches by more than one set of rules", .serialized)
struct PinnedRulesTests {
  /// A word makes its points alone, and the second use of a face takes its cube away.
  static let second = Rules(name: "cube-9", lastUse: 2, score: { points, _ in points })
  /// Rulebooks from before and after the second rules became those of new matches.
  static let before = Rulebook(current: .cube1, others: [second])
  static let after = Rulebook(current: second, others: [.cube1])

  @Test(
    "One worker judges matches of both side by side; records of both verify when the default is another"
  )
  func sideBySide() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [.relay, .push])) { lab in
      try lab.work(by: Self.before)
      let (ann, bob) = try lab.pair()
      let first = try lab.begin(ann, bob)
      try lab.work(by: Self.after)
      let second = try lab.begin(ann, bob)
      #expect(try [lab.pinned(first), lab.pinned(second)] == ["cube-1", "cube-9"])

      // Both turns of a round are judged in one batch.
      for player in [ann, bob, ann, bob] {
        let sent = try [first, second].map { try player.sign(lab.word(in: $0)) }
        try lab.stopWorkers()
        try lab.publish(sent.map { ($0.slot, $0.envelope) })
        try lab.work(by: Self.after)
        for event in sent { #expect(try player.send(event).receipt != nil) }
      }
      for match in [first, second] { try ann.must(.matchForfeited(match)) }

      for book in [Self.before, Self.after] {
        for match in [first, second] {
          let report = try lab.report(onRecordOf: match, book)
          #expect(report.isVerified, "\(String(describing: report.game.fault))")
        }
        #expect(try lab.violations(book) == [])
      }
      let game = try lab.match(second, Self.after).game
      #expect(game.rules === Self.second)
      let points = try lab.points(of: first)
      #expect(game.playedWordScores.map(\.score).reduce(0, +) < points)
    }
  }

  @Test("A build without the rules refuses them by name everywhere, and blocks nobody")
  func unknown() async throws {
    try await ServiceLab.run(.init(workers: 0, roles: [.relay, .push])) { lab in
      try lab.work(by: Self.after)
      let (ann, bob) = try lab.pair()
      let strange = try lab.begin(ann, bob)
      let turn = try lab.word(in: strange)
      let over = try lab.begin(bob, ann)
      try ann.must(.matchForfeited(over))

      // The standard build knows the first rules alone.
      try lab.work(by: .standard)
      #expect(try ann.act(turn).refusal == .unavailable)
      let known = try lab.begin(ann, bob)
      #expect(try ann.act(lab.word(in: known)).receipt != nil)

      let client = try lab.client("Cyd")
      #expect(throws: ClientError.self) { try client.match(strange) }
      #expect(try client.serviceInfo().service == lab.identity.service)

      let report = try lab.report(onRecordOf: over, .standard)
      let fault = try #require(report.game.fault)
      #expect(fault.reason.contains("rules") && fault.reason.contains("cube-9"))
      let violations = try lab.violations(.standard)
      #expect(violations.map(\.kind) == [.entryUnreadable, .entryUnreadable])
      #expect(Set(violations.map(\.match)) == [strange, over])
      #expect(violations.allSatisfy { $0.text.contains("cube-9") })

      // A build that knows them goes on.
      try lab.work(by: Self.before)
      #expect(try ann.act(turn).receipt != nil)
      #expect(try lab.violations(Self.before) == [])
      #expect(try lab.deadEventCount() == 0)
    }
  }
}

extension ServiceLab {
  /// Lets one worker and one reader work by these rules, and no others.
  fileprivate func work(by rules: Rulebook) throws {
    try stop(.worker)
    try stop(.reader)
    var wiring = try wiring()
    wiring.rules = rules
    try start(.worker, wiring)
    try start(.reader, wiring)
    try waitUntilWorking()
  }

  fileprivate func match(_ id: MatchID, _ rules: Rulebook) throws -> Match {
    let connection = try connection()
    defer { connection.close() }
    let stored = try CheckStore.live(connection, rules: rules).stored([id])
    return try #require(stored[id]?.state)
  }

  fileprivate func pinned(_ id: MatchID) throws -> String {
    try match(id, PinnedRulesTests.after).rules.name
  }

  fileprivate func points(of id: MatchID) throws -> Int {
    try match(id, PinnedRulesTests.after).points.reduce(0, +)
  }

  /// A word of three faces that nobody has played in the match.
  fileprivate func word(in id: MatchID) throws -> Event.Action {
    let match = try match(id, PinnedRulesTests.after)
    let faces = Array(match.game.playable)
    let words = faces.lazy.flatMap { one in
      faces.lazy.flatMap { two in faces.lazy.map { Move.word([one, two, $0]) } }
    }
    let word = try #require(
      words.first { word in
        var game = match.game
        return (try? game.apply(word, words: Lexicon.everyWord)) != nil
      })
    return .turnPlayed(
      id, Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: [word]))
  }

  fileprivate func report(onRecordOf id: MatchID, _ rules: Rulebook) throws -> RecordReport {
    let connection = try connection()
    defer { connection.close() }
    // The record is exported by a build that knows the rules.
    let all = try CheckStore.live(connection, rules: PinnedRulesTests.after).stored([id])
    let stored = try #require(all[id])
    let state = try #require(stored.state)
    let document = RecordDocument(
      match: state, entries: stored.record, service: identity.service,
      rootKey: identity.rootKey, certificates: identity.certificates)
    return try RecordVerifier(rules: rules, lexicons: lexicons, rootKey: identity.rootKey)
      .report(on: #require(document))
  }

  fileprivate func violations(_ rules: Rulebook) throws -> [Violation] {
    _ = try jobs()
    let connection = try connection()
    defer { connection.close() }
    var check = StoreCheck(
      .live(connection, rules: rules), identity: identity, rules: rules, lexicons: lexicons,
      jobsAreComplete: true)
    return try check.run()
  }
}
