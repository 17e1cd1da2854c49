import MatchCore
import MatchInterfaces
import MatchWire
import Metrics
import ServiceMetrics

/// A worker's counters and measures; labels are from closed sets only. Each is made once.
final class WorkerMeters {
  private let batches = Counter(.workerBatches)
  private let batchSize = Recorder(histogram: .workerBatchEvents)
  private let batchTime = Timer(.workerBatchSeconds)
  private let commitTime = Timer(.workerCommitSeconds)
  private let queueTime = Timer(.workerQueueSeconds)
  private let answerTime = Timer(.workerAnswerSeconds)
  private let deadlineLag = Timer(.deadlineLag)
  private let cacheHits = Counter(.cacheHits)
  private let cacheMisses = Counter(.cacheMisses)
  private let conflicts = Counter(.workerConflicts)
  private let waits = Counter(.workerStoreWaits)
  private let buried = Counter(.workerBuried)
  private let accepted = Counter(.events, [("result", "accepted")])
  private let repeated = Counter(.events, [("result", "repeated")])
  private let refused = MeterFamily<String, Counter> {
    Counter(.events, [("result", "refused"), ("refusal", $0)])
  }
  /// Whether the broker puts its own time on messages.
  private var hasBrokerTime = false

  func conflicted() { conflicts.increment() }

  func waited() { waits.increment() }

  func countBuried() { buried.increment() }

  func committed(from start: UInt64, to end: UInt64) {
    commitTime.recordNanoseconds(Int64(clamping: end &- start))
  }

  /// Matches were looked for in the worker's memory.
  func lookedInCache(hits: Int, misses: Int = 0) {
    cacheHits.increment(by: hits)
    if misses > 0 { cacheMisses.increment(by: misses) }
  }

  /// Measures a batch whose answers have just been published, and counts their outcomes.
  func record(_ batch: Batch, from start: UInt64, to end: UInt64, now: Instant) {
    batches.increment()
    batchSize.record(batch.answers.count)
    batchTime.recordNanoseconds(Int64(clamping: end &- start))
    for answer in batch.answers {
      switch answer.outcome {
      case .refused(let refusal, _): refused[refusal.name].increment()
      case .accepted: accepted.increment()
      case .repeated: repeated.increment()
      }
      answerTime.recordNanoseconds(Int64(clamping: end &- answer.delivery.receivedAt))
      guard let publishedAt = answer.delivery.publishedAt else { continue }
      recordQueueTime(of: answer, from: publishedAt, to: now)
    }
    for lag in batch.deadlineLags { deadlineLag.recordMicroseconds(lag) }
  }

  /// Longer waits are no measurements: a clock was wrong.
  private static let longestWait: Int64 = 86_400_000_000

  /// A player can put any time on a message, unless the broker overwrites it. The service puts none
  /// on its own events. So a time on one of these shows that the broker does.
  private func recordQueueTime(of answer: Batch.Answer, from: Instant, to now: Instant) {
    if answer.event?.isFromService == true {
      if case .refused = answer.outcome { return }
      hasBrokerTime = true
    }
    let wait = now.microseconds(since: from)
    guard hasBrokerTime, 0...WorkerMeters.longestWait ~= wait else { return }
    queueTime.recordMicroseconds(wait)
  }
}

extension Batch {
  /// How long after the due times of their deadlines, credits included, matches were ended, in
  /// microseconds.
  var deadlineLags: [Int64] {
    write.changes.compactMap { change in
      guard change.after.outcome != nil, let before = change.before, before.outcome == nil,
        let deadline = before.deadline
      else { return nil }
      let clock = layout.clock(of: before.id, clocks)
      guard before.isOverdue(clock) else { return nil }
      let due = deadline.at.adding(microseconds: before.credit(clock))
      return max(0, write.now.microseconds(since: due))
    }
  }
}
