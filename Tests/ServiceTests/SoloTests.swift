import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@Suite("Playing alone", .serialized)
struct SoloTests {
  @Test(
    "I play 180 seconds; then the game is over, and its record verifies", .timeLimit(.minutes(15)))
  func timedSolo() async throws {
    try await ServiceLab.run { lab in
      let ann = try lab.client("Ann")
      let match = try ann.startMatch(MatchRequest(alone: .timed)).ticket.match
      let view = try ann.match(match)
      #expect(view.mode == .timed)
      #expect(view.deadline == view.startedAt.adding(seconds: 180))
      let bot = Bot(player: ann, lexicons: lab.lexicons, randomness: .seeded(7))
      _ = try ann.play(bot.decide(view), in: view)
      try lab.passTime(of: match, seconds: 185)
      let late = try ann.match(match)
      let error = #expect(throws: ClientError.self) { try ann.play(bot.decide(view), in: late) }
      guard case .refused(_, _, .matchOver(let outcome)?) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(outcome.reason == .timeUp)
      let game = try #require(try ann.pastGames().games.first)
      #expect(game.mode == .timed && game.kind == .solo && game.points == late.seats[0].points)
      let verifier = RecordVerifier(lexicons: lab.lexicons, rootKey: lab.identity.rootKey)
      let report = try verifier.report(on: Array(ann.record(of: match).utf8))
      #expect(report.isVerified, "\(String(describing: report.game.fault))")
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "I play today's challenge in both modes, each once; the timed one ends by itself",
    .timeLimit(.minutes(15)))
  func bothDailies() async throws {
    let options = ServiceLab.Options(roles: [.scheduler, .reader, .relay, .push])
    try await ServiceLab.run(options) { lab in
      let ann = try lab.client("Ann")
      try waitUntil("both are dealt") {
        let home = try ann.home()
        return home.daily.isDealt && home.daily(.timed).isDealt
      }
      let home = try ann.home()
      let (long, short) = (home.daily(.unlimited).daily, home.daily(.timed).daily)
      let (first, second) = (try ann.startDaily(long), try ann.startDaily(short))
      #expect(first.letters != second.letters)
      for key in [long, short] {
        #expect(throws: ClientError.self) { try ann.startDaily(key) }
      }
      try lab.passTime(of: second.match, seconds: 185)
      try waitUntil("the timed one is over") { try ann.match(second.match).outcome != nil }
      let after = try ann.home()
      #expect(after.daily(.timed).isOver && !after.daily(.unlimited).isOver)
      let view = try ann.match(first.match)
      let bot = Bot(player: ann, lexicons: lab.lexicons, randomness: .seeded(7))
      let receipt = try ann.play(bot.decide(view), in: view)
      #expect(try ann.standings(long).you?.points == receipt.points[0])
      #expect(try ann.standings(short).outOf == 1)
      #expect(try lab.violations() == [])
    }
  }
}

extension ServiceLab {
  /// Lets seconds pass in the queue of a match, as if it had ticked every five, and sends the event
  /// that the scheduler would send then.
  func passTime(of id: MatchID, seconds: Int64) throws {
    let slot = Slot(of: id)
    let match = try match(id)
    let start = max(match.dealtAt, WallClock.live.now())
    let ticks = stride(from: 0, through: seconds, by: 5).map {
      Event.Action.ticked(
        queue: layout.queue(of: slot), time: start.adding(seconds: $0),
        since: Instant(microseconds: 0))
    }
    var actions = ticks
    if let deadline = match.deadline?.at {
      actions.append(.deadlinePassed(id, turn: match.turnNumber, deadline: deadline))
    }
    try publish(actions.map { serviceEvent($0, slot: slot) })
  }
}
