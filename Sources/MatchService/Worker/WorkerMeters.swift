import MatchCore
import MatchWire
import Metrics

/// A worker's counters and measures; labels are from closed sets only.
struct WorkerMeters {
  let batches = Counter(label: "cubist_worker_batches_total")
  let batchSize = Recorder(label: "cubist_worker_batch_events")
  let batchTime = Timer(label: "cubist_worker_batch_seconds")
  let conflicts = Counter(label: "cubist_worker_conflicts_total")
  let waits = Counter(label: "cubist_worker_store_waits_total")
  let buried = Counter(label: "cubist_worker_buried_total")
  private let accepted = Counter(
    label: "cubist_events_total", dimensions: [("result", "accepted")])
  private let repeated = Counter(
    label: "cubist_events_total", dimensions: [("result", "repeated")])

  /// Counts the outcomes of the deliveries of a batch.
  func record(_ batch: Batch, nanoseconds: UInt64) {
    batches.increment()
    batchSize.record(batch.answers.count)
    batchTime.recordNanoseconds(Int64(clamping: nanoseconds))
    for answer in batch.answers {
      switch answer.outcome {
      case .refused(let refusal, _):
        Counter(
          label: "cubist_events_total",
          dimensions: [("result", "refused"), ("refusal", refusal.name)]
        ).increment()
      case .accepted: accepted.increment()
      case .repeated: repeated.increment()
      }
    }
  }
}
