import CubeRules
import CustomDump
import Testing

@testable import MatchCore

@Suite("An operator rules on a match")
struct RulingTests {
  let lab = MatchLab()

  private func rule(_ id: MatchID, _ verdict: Ruling.Verdict) -> SentEvent {
    lab.event(.ruled(id, Ruling(verdict, for: .cheating)), by: .service)
  }

  @Test("The player with most points wins a match that an operator ends, and both are told")
  func ended() throws {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    let ruling = rule(id, .ended)
    let outcome = Outcome(reason: .stopped, seat: nil, results: [.won, .lost])
    let points = try #require(lab.matches[id]).points
    lab.send(ruling) {
      $0.changes(id)
      $0.states(.ruled(Ruling(.ended, for: .cheating)), in: id)
      let score = points.map(String.init)
      $0.ends(
        id, outcome,
        rows: [
          "seat 0 Ann over", "seat 1 Bob over",
          "past Ann won \(score.joined(separator: ":")) against Bob stopped",
          "past Bob lost \(score.reversed().joined(separator: ":")) against Ann stopped",
        ])
      for player in [TestPlayer.ann, .bob] { $0.push(.matchEnded, to: player, id) }
      $0.reply = .accepted(.matchEnded(id, outcome, points: points, version: 4))
    }
    #expect(lab.matches[id]?.rated?.results == [TestPlayer.ann.id: .won, TestPlayer.bob.id: .lost])
    #expect(lab.act(.matchForfeited(id), by: .ann) == .refused(.matchOver(outcome)))
  }

  @Test("Equal points tie a match that an operator ends")
  func tied() {
    let id = lab.runningMatch()
    lab.act(rule(id, .ended))
    #expect(lab.matches[id]?.outcome?.results == [.tied, .tied])
  }

  @Test("An annulled match counts for nobody, not even for the player ahead")
  func annulled() throws {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.act(rule(id, .annulled))
    let match = try #require(lab.matches[id])
    #expect(match.outcome == Outcome(reason: .annulled, seat: nil, results: [.none, .none]))
    #expect(match.rated == nil)
    #expect(Listing(of: match).pastGames.map(\.result) == [.none, .none])
  }

  @Test("A match that is over is annulled after its end, which stays when it was")
  func annulledAfterwards() throws {
    let id = lab.finishedMatch()
    let before = try #require(lab.matches[id])
    #expect(before.rated != nil)
    lab.pass(seconds: day)
    let ruling = rule(id, .annulled)
    let pushCount = lab.pushes.count
    lab.act(ruling)
    let after = try #require(lab.matches[id])
    #expect(after.outcome?.reason == .annulled)
    #expect(after.endedAt == before.endedAt)
    #expect(after.rated == nil)
    #expect(after.points == before.points)
    #expect(lab.pushes.dropFirst(pushCount).map(\.kind) == [.matchEnded, .matchEnded])
    let kinds = lab.records[id]?.suffix(3).map { EntryKind($0.content) }
    #expect(kinds == [.matchEnded, .ruled, .matchEnded])
    // The rating of the match from before the annulment stays as it was computed.
    var ledger = RatingLedger()
    let results = ledger.rate(try #require(before.rated))
    #expect(RatedMatch(annulled: after, results) == before.rated)
    #expect(RatedMatch(annulled: before, results) == nil)
  }

  @Test("A match that waits, has one seat, or is annulled cannot be ruled, and nothing changes")
  func impossible() {
    let annulled = lab.runningMatch()
    lab.act(rule(annulled, .annulled))
    let over = lab.finishedMatch()
    let waiting = lab.request(.random, by: .ann)
    let solo = lab.request(.solo, by: .ann)
    let declined = lab.request(.invite(.bob), by: .ann)
    lab.act(.invitationDeclined(declined), by: .bob)
    for id in [waiting, solo, declined, annulled] {
      for verdict in Ruling.Verdict.allCases { lab.refuse(rule(id, verdict), .notPermitted) }
    }
    lab.refuse(rule(over, .ended), .notPermitted)
  }

  @Test("A passed deadline ends the match, not the ruling that comes with it")
  func deadline() throws {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    lab.pass(seconds: 2 * day)
    #expect(lab.act(rule(id, .annulled)) == .refused(.notPermitted))
    #expect(lab.matches[id]?.outcome?.reason == .aborted)
    lab.act(rule(id, .annulled))
    #expect(lab.matches[id]?.outcome?.reason == .annulled)
  }

  @Test("A match that was annulled may be asked for again")
  func rematch() {
    let id = lab.runningMatch()
    lab.act(rule(id, .annulled))
    lab.act(.rematchRequested(id), by: .ann)
    guard case .accepted(.rematchStarted) = lab.act(.rematchRequested(id), by: .bob) else {
      Issue.record("no rematch")
      return
    }
  }
}
