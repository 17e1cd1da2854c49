import Testing

@testable import MatchCore

@Suite("Reminders")
struct ReminderTests {
  private let lab = MatchLab()

  @Test("The player in turn is reminded when a fifth of the turn's time is left, once a turn")
  func turn() throws {
    let id = lab.runningMatch()
    let match = try #require(lab.matches[id])
    let limit = try #require(match.terms.turnLimitSeconds)
    #expect(limit >= Match.remindedLimitSeconds)
    let deadline = try #require(match.deadline)
    #expect(match.reminderAt == deadline.at.adding(seconds: -limit / 5))
    let job = try #require(match.turnReminder)
    #expect(job.player == match.seats[match.seatToPlay].player)
    #expect(job == PushJob(turnRunningOut: id, turn: match.turnNumber, to: job.player))
    #expect(job.id != PushJob(turnRunningOut: id, turn: match.turnNumber + 1, to: job.player).id)
    #expect(match.dailyReminder == nil)
  }

  @Test("The player is reminded of a daily three hours before its day ends, once")
  func daily() {
    let key = DailyKey(day: .first)
    #expect(key.reminderAt == key.day.end.adding(seconds: -10_800))
    let player = TestPlayer.ann.id
    let match = MatchID(daily: key, player: player)
    let job = PushJob(dailyEndsSoon: key, match: match, to: player)
    #expect(job.match == match && job.day == key.day && job.turn == nil)
    #expect(job.id != PushJob(dailyReady: key, to: player).id)
  }

  @Test("Four kinds are reminders")
  func kinds() {
    let reminders: [PushJob.Kind] = [.turnRunningOut, .dailyEndsSoon, .nudged, .rematchWaits]
    #expect(PushJob.Kind.allCases.filter(\.isReminder) == reminders)
  }
}
