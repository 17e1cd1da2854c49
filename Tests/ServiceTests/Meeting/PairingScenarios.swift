import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Meeting random opponents, through broker and database", .serialized, .sharedService())
struct PairingScenarios {
  /// Terms of each test's own. Where a scheduler lets time pass, a turn has an hour.
  private static func request(_ limit: Int64) -> MatchRequest {
    MatchRequest(opponent: .random, turnLimitSeconds: limit)
  }

  @Test("I meet the nearest by rating, see why, and do not meet the same one at once again")
  func nearest() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.client("Ann")
      let (bob, cyd) = (try lab.player("Bob"), try lab.player("Cyd"))
      // Bob and Cyd do not meet one another, so that both wait.
      try bob.must(.playerBlocked(cyd.id))
      let near = try #require(try cyd.act(.matchRequested(Self.request(60))).ticket)
      _ = try bob.act(.matchRequested(Self.request(60)))
      try lab.rate(cyd.id, 1_480)
      try lab.rate(bob.id, 1_560)
      guard case .joined(let ticket) = try ann.startMatch(Self.request(60)) else {
        Issue.record("nobody was met")
        return
      }
      #expect(ticket.match == near.match)
      let view = try ann.match(ticket.match)
      #expect(view.why?.ratingDistance == 20)
      #expect(view.why?.metLately == false)
      #expect(view.why?.merged == nil)

      // Cyd waits again and is nearer than Bob, but was met lately. So Ann meets Bob.
      let again = try #require(try cyd.act(.matchRequested(Self.request(60))).ticket)
      guard case .joined(let second) = try ann.startMatch(Self.request(60)) else {
        Issue.record("nobody was met")
        return
      }
      #expect(second.match != again.match)
      // Where nobody else waits, she meets Cyd after all.
      guard case .joined(let third) = try ann.startMatch(Self.request(60)) else {
        Issue.record("nobody was met")
        return
      }
      #expect(third.match == again.match)
      #expect(try ann.match(third.match).why?.metLately == true)
    }
  }

  @Test("Two waiting players too far apart meet once they fit, and the old id leads on")
  func merged() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      let first = try #require(try ann.act(.matchRequested(Self.request(3_661))).ticket)
      try lab.rate(ann.id, 2_400)
      let second = try #require(try bob.act(.matchRequested(Self.request(3_661))).ticket)
      #expect(first.match != second.match)
      try ann.must(.turnPlayed(first.match, lab.turn(lab.match(first.match))))
      // Ann has waited long enough for anybody.
      try lab.waitedFor(first.match, seconds: 61)
      try lab.start(.scheduler)
      defer { try? lab.stop(.scheduler) }
      try waitUntil("they are brought together") {
        try lab.match(first.match).stage == .playing
      }
      let (kept, ended) = (try lab.match(first.match), try lab.match(second.match))
      #expect(kept.players == [ann.id, bob.id])
      #expect(ended.outcome?.mergedInto == first.match)
      let outcome = try #require(ended.outcome)
      let late = try bob.act(.turnPlayed(second.match, lab.turn(ended)))
      #expect(late.refusal == .matchOver(outcome))
      try bob.must(.turnPlayed(first.match, lab.turn(kept)))
      try lab.expectToldBesidesDaily(
        ["opponentJoined Ann", "opponentJoined Bob", "yourTurn Ann"], ann, bob)
      // The records of both hold, as anybody can verify offline.
      try ann.must(.matchForfeited(first.match))
      for match in [first.match, second.match] {
        let report = try #require(try lab.report(onRecordOf: match))
        #expect(report.isVerified, "\(String(describing: report.game.fault))")
      }
    }
  }

  @Test("Withdraw against being brought together: one of the two happens")
  func withdrawAgainstMerging() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let (ann, bob) = try lab.pair()
      for round in 0..<8 {
        let request = MatchRequest(opponent: .random, turnLimitSeconds: Int64(70 + round))
        try ann.must(.playerBlocked(bob.id))
        let kept = try #require(try ann.act(.matchRequested(request)).ticket).match
        let merged = try #require(try bob.act(.matchRequested(request)).ticket).match
        try ann.must(.playerUnblocked(bob.id))
        let merger = Merger(
          kept: kept, merged: merged,
          reason: MeetingReason(ratingDistance: 0, window: 100, waitedSeconds: 0))
        let message = lab.serviceEvent(.mergeProposed(merger), slot: Slot(of: kept))
        let withdrawn = round % 2 == 0 ? (ann, kept) : (bob, merged)
        let (reply, _) = try await atOnce(
          { try withdrawn.0.act(.requestWithdrawn(withdrawn.1)) },
          { try lab.publish([message]) })
        // An event that comes after the proposal in its queue is judged after it.
        _ = try ann.act(.requestWithdrawn(kept))
        let (one, other) = (try lab.match(kept), try lab.match(merged))
        if one.stage == .playing {
          #expect(one.players == [ann.id, bob.id])
          #expect(other.outcome?.mergedInto == kept)
          #expect(reply.refusal != nil)
          try ann.must(.matchForfeited(kept))
        } else {
          #expect(other.outcome?.mergedInto == nil)
          #expect(reply.refusal == nil)
          if other.outcome == nil { try bob.must(.requestWithdrawn(merged)) }
        }
      }
    }
  }

  @Test("A crowd asks at the same moment, through two workers: nobody is left over or seated twice")
  func crowd() async throws {
    try await ServiceLab.shared(workers: 2) { lab in
      let crowd = try (0..<14).map { try lab.player("player-\($0)") }
      func played() throws -> [Match] {
        let own = try Set(crowd.flatMap { try lab.matches(of: $0.id) })
        return try own.map { try lab.match($0) }
      }
      let line = StartLine(crowd.count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for player in crowd {
          group.addTask {
            line.wait()
            try player.must(.matchRequested(Self.request(3_662)))
          }
        }
        try await group.waitForAll()
      }
      try lab.start(.scheduler)
      defer { try? lab.stop(.scheduler) }
      try waitUntil("everybody plays") {
        let states = try played()
        return states.count { $0.stage == .playing } == crowd.count / 2
      }
      let states = try played()
      let seated = states.filter { $0.stage == .playing }.flatMap(\.players)
      #expect(seated.sorted() == crowd.map(\.id).sorted())
    }
  }
}

extension ServiceLab {
  /// Sets the rating that a player had when the wait began.
  fileprivate func rate(_ player: PlayerID, _ rating: Int) throws {
    let connection = try connection()
    defer { connection.close() }
    try connection.script(
      "UPDATE open_seats SET rating = \(rating) WHERE player = '\(player)'")
  }

  /// Lets a request have waited so long.
  fileprivate func waitedFor(_ match: MatchID, seconds: Int) throws {
    let connection = try connection()
    defer { connection.close() }
    try connection.script(
      """
      UPDATE open_seats SET since = since - \(seconds) * interval '1 second'
      WHERE match = '\(match)'
      """)
  }

  /// Expects push jobs as `expectTold` does, but for those of the daily that a scheduler deals.
  fileprivate func expectToldBesidesDaily(
    _ expected: [String], _ players: LabPlayer...
  ) throws {
    let names = Dictionary(uniqueKeysWithValues: players.map { ($0.id, $0.label) })
    let told = try jobs().map(\.job).filter { $0.kind != .dailyReady }.compactMap { job in
      names[job.player].map { "\(job.kind.rawValue) \($0)" }
    }
    #expect(told.sorted() == expected.sorted())
  }
}
