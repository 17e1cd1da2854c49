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
  func record(_ batch: Batch, from start: UInt64, to end: UInt64) {
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
    }
    for wait in batch.tickWaits {
      queueTime.recordMicroseconds(wait &+ Int64(clamping: (end &- start) / 1_000))
    }
    for lag in batch.deadlineLags { deadlineLag.recordMicroseconds(lag) }
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

  /// How long ticks had waited in their queues when the batch began, in microseconds. Both times are
  /// the database's. An event of a player waits as long, but its time is any client's.
  var tickWaits: [Int64] {
    guard !write.clocks.isEmpty else { return [] }
    return answers.compactMap { answer in
      guard case .ticked(let tick)? = answer.event?.action, let change = write.clocks[tick.queue],
        change.before.time.map({ $0 < tick.time }) ?? true
      else { return nil }
      let wait = write.now.microseconds(since: tick.time)
      return Batch.longestWait.contains(wait) ? wait : nil
    }
  }

  /// Longer waits are no measurements: a clock was wrong.
  private static let longestWait: ClosedRange<Int64> = 0...86_400_000_000
}
