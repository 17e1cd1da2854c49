import CubistBasics
import Testing

@testable import MatchCore

@Suite("Reminding the other player of a turn")
struct NudgeTests {
  let lab = MatchLab()

  /// A match of a day for each turn, in which Bob is to move.
  private func waiting() -> MatchID {
    let id = lab.runningMatch()
    lab.act(lab.turn(id, fourFaces), by: .ann)
    return id
  }

  private func nudge(_ id: MatchID, turn: Int = 2, by player: TestPlayer = .ann) -> SentEvent {
    lab.event(.nudged(id, turn: turn), by: player)
  }

  @Test("The player to move is told once a turn, and the match stays as it is")
  func once() {
    let id = waiting()
    lab.pass(seconds: day / 4)
    lab.send(nudge(id)) {
      $0.pushes = [PushJob(nudged: id, turn: 2, to: TestPlayer.bob.id)]
      $0.reply = .accepted(.noted)
    }
    lab.refuse(nudge(id), .alreadyNudged(turn: 2))
    lab.act(lab.turn(id, fiveFaces), by: .bob)
    lab.pass(seconds: day / 4)
    lab.send(nudge(id, turn: 3, by: .bob)) {
      $0.pushes = [PushJob(nudged: id, turn: 3, to: TestPlayer.ann.id)]
      $0.reply = .accepted(.noted)
    }
  }

  // Failure: Refusal.turnNotDue: A reminder names another turn than the one that is due.
  // Failure: Refusal.youAreToMove: The turn is the sender's own.
  // Failure: Refusal.nudgeTooEarly: A quarter of the turn's time has not passed. The reply says
  //   from when.
  // Failure: Refusal.alreadyNudged: A player is reminded once a turn.
  // Failure: Refusal.nudgesRefused: The other player wants no reminders from opponents, or is a
  //   bot.
  @Test("Each refusal of a reminder is found only where those before it do not hold")
  func order() {
    let id = waiting()
    lab.nudges.refusers = [TestPlayer.bob.id]
    lab.nudges.turns[id] = 2
    lab.act(.playerBlocked(TestPlayer.ann.id), by: .bob)
    lab.refuse(nudge(id, turn: 1, by: .cyd), .unknownMatch)
    for turn in [Int.min, 0, 1, 3, Int.max] {
      lab.refuse(nudge(id, turn: turn, by: .bob), .turnNotDue(due: 2))
    }
    lab.refuse(nudge(id, by: .bob), .youAreToMove)
    let from = lab.matches[id]!.nudgeAt!
    lab.refuse(nudge(id), .nudgeTooEarly(from: from))
    lab.pass(seconds: day / 4 - 1)
    lab.refuse(nudge(id), .nudgeTooEarly(from: from))
    lab.pass(seconds: 1)
    lab.refuse(nudge(id), .alreadyNudged(turn: 2))
    lab.nudges.turns[id] = 1
    lab.refuse(nudge(id), .playerUnavailable(TestPlayer.bob.id))
    lab.act(.playerUnblocked(TestPlayer.ann.id), by: .bob)
    lab.refuse(nudge(id), .nudgesRefused(TestPlayer.bob.id))
    lab.act(.matchForfeited(id), by: .bob)
    lab.refuse(nudge(id), .matchOver(lab.matches[id]!.outcome!))
  }

  @Test("Nobody is reminded in a game alone, or before an opponent is there")
  func alone() {
    for request in [MatchRequest.solo, .open] {
      let id = lab.request(request, by: .ann)
      lab.refuse(nudge(id, turn: 1), .noOpponent)
    }
  }

  @Test("An outage puts the time off, as it does the deadline")
  func outage() {
    let id = waiting()
    lab.passWithoutTicks(seconds: day)
    lab.tick()
    guard case .refused(.nudgeTooEarly(let from)) = lab.act(nudge(id)) else {
      Issue.record("the reminder was not too early")
      return
    }
    #expect(from > lab.now)
    lab.pass(seconds: day / 4)
    #expect(lab.act(nudge(id)) == .accepted(.noted))
  }

  @Test("A quarter of any limit is never less than a quarter")
  func quarter() {
    var random = SplitMix64(state: 7)
    for _ in 0..<1_000 {
      let limit = Int64(random.next() % 1_000_000) + 60
      let wait = limit / 4 + (limit % 4 == 0 ? 0 : 1)
      #expect(wait * 4 >= limit && wait * 4 < limit + 4)
    }
  }

  @Test("A reminder that comes after the deadline finds the match over")
  func late() {
    let id = waiting()
    lab.pass(seconds: day)
    guard case .refused(.matchOver(let outcome)) = lab.act(nudge(id)) else {
      Issue.record("the match is not over")
      return
    }
    // Nobody has played: the match does not count.
    #expect(outcome.reason == .aborted)
    #expect(lab.pushes.contains { $0.kind == .nudged } == false)
  }

  @Test("A test of notifications tells its sender, once for each event")
  func test() {
    lab.act(.playerRegistered(name: TestPlayer.ann.name, code: nil), by: .ann)
    let event = lab.event(.notificationTested(Event.NotificationTested()), by: .ann)
    lab.send(event) {
      $0.pushes = [PushJob(test: TestPlayer.ann.id, causedBy: event.event)]
      $0.reply = .accepted(.noted)
    }
  }

  @Test("A week begins on Monday, whatever its day")
  func weeks() throws {
    let monday = try #require(Day("2026-11-23"))
    for offset in 0..<7 {
      let day = Day(number: monday.number + Int32(offset))
      #expect(day.weekday == offset + 1)
      #expect(day.monday == monday)
      #expect(
        PushJob(weekInReview: day, to: TestPlayer.ann.id).id
          == PushJob(weekInReview: monday, to: TestPlayer.ann.id).id)
    }
    #expect(Day(number: -3).weekday == 1)
    #expect(Day(number: .min).monday.number == .min)
  }
}
