import MatchCore
import MatchInterfaces

/// The times of answers, and batches in which several events were judged one after another. The
/// states between two such events were never visible.
struct BatchLog {
  /// The times of an event's answer.
  struct Answer {
    /// The service's time that it was judged by.
    var judgedAt: Instant
    /// The time at which the answer became visible, by the simulation's own clock.
    var since: Instant
  }

  struct Batch {
    var now: Instant
    /// The matches that it changed, in their state before.
    var before: [MatchID: Match]
    /// The events that it answered, in order.
    var events: [EventKey]
  }

  private var batches: [EventKey: Batch] = [:]
  private var answers: [EventKey: Answer] = [:]

  /// Notes a batch that has become visible.
  mutating func committed(_ write: BatchWrite, at time: Instant) {
    for reply in write.replies {
      answers[reply.key] = Answer(judgedAt: write.now, since: time)
    }
    guard write.replies.count > 1, !write.changes.isEmpty else { return }
    var before: [MatchID: Match] = [:]
    for change in write.changes { before[change.after.id] = change.before }
    let events = write.replies.map(\.key)
    let batch = Batch(now: write.now, before: before, events: events)
    for event in events { batches[event] = batch }
  }

  /// The answer to an event. Nil if no batch has answered it.
  func answer(to event: EventKey) -> Answer? { answers[event] }

  /// The batch that answered an event and changed a match.
  func batch(with event: EventKey, about match: MatchID) -> Batch? {
    batches[event].flatMap { $0.before[match] == nil ? nil : $0 }
  }
}
