import MatchCore
import MatchInterfaces
import MatchWire

/// Checks that every due reminder was sent once.
struct ReminderCheck {
  private let world: World
  private var store: SimulatedStore { world.store }

  init(_ world: World) { self.world = world }

  /// Due reminders that nobody owes yet.
  var late: [String] {
    let dailies = store.dailies.filter { key, daily in
      key.mode == .unlimited && !daily.isReminded && store.now >= key.reminderAt
        && store.now < key.day.end
    }
    return dailies.keys.map { "daily \($0)" }
      + matches.filter { store.remindedTurns[$0.id] != $0.turnNumber }.map { "match \($0.id)" }
  }

  func violations() -> [String] {
    let told = matches.filter { store.remindedTurns[$0.id] == $0.turnNumber }
    let overdue = store.matches.values.filter { $0.outcome?.reason == .timedOut }
    let jobs = told.compactMap(\.turnReminder) + overdue.compactMap(reminder)
    return jobs.filter { store.deliveries[$0.id] == nil }.compactMap { job in
      job.match.map {
        "player \(job.player) was not reminded of turn \(job.turn ?? 0) of match \($0)"
      }
    }.sorted()
  }

  /// Running matches in which a player must be reminded.
  private var matches: [Match] {
    store.matches.values.filter { match in
      let queue = world.layout.queue(of: Slot(of: match.id))
      return store.clocks[queue].map { match.isReminderDue($0) } ?? false
    }
  }

  /// The reminder before the end of a match by a turn that took too long.
  private func reminder(before match: Match) -> PushJob? {
    guard let limit = match.terms.turnLimitSeconds, limit >= Match.remindedLimitSeconds else {
      return nil
    }
    return match.seats[match.seatToPlay].player.map {
      PushJob(turnRunningOut: match.id, turn: match.turnNumber, to: $0)
    }
  }
}
