import MatchCore
import MatchInterfaces

/// Weeks in which players play now and then, and the housekeeper drops all that is kept no longer.
extension World {
  /// The times of rest between the times of play.
  private static let restCount = 12
  /// The length of a rest, in seconds.
  private static let restSeconds: Int64 = 5 * 86_400

  /// Lets weeks pass, in which players make so many events.
  func passWeeks(playing eventCount: Int) {
    for rest in 0..<World.restCount {
      faults.isCalm = true
      guard passRest() else { break }
      faults.isCalm = false
      play(eventCount * (rest + 1) / World.restCount - eventCount * rest / World.restCount)
    }
  }

  private func play(_ eventCount: Int) {
    eventsLeft = eventCount
    // Players who wait for answers make no events.
    let last = turnCount + 300 * eventCount
    while eventsLeft > 0, turnCount < last { turn() }
    eventsLeft = 0
  }

  /// - Returns: false if it takes too long until everything has settled. The end of the run says so.
  private func passRest() -> Bool {
    trace.note("players", "rest for days")
    let end = clock.now.adding(seconds: World.restSeconds)
    while comeToRest() {
      guard clock.now < end else { return true }
      skip(to: min(nextOccasion, end))
    }
    return false
  }
}
