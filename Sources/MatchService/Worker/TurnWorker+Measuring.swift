import Logging
import MatchCore
import MatchInterfaces
import MatchWire

/// A worker's figures and log lines about its work.
extension TurnWorker {
  /// Commits a batch, and measures the round trip. A batch without rows only ends its transaction.
  func commit(_ write: BatchWrite) throws(StoreError) {
    guard !write.isEmpty else { return store.abandon() }
    let started = clock.uptimeNanoseconds()
    try store.commit(write)
    meters.committed(from: started, to: clock.uptimeNanoseconds())
  }

  /// A match in the worker's memory, and whether there was one.
  func remembered(_ id: MatchID, _ hits: inout Int, _ misses: inout Int) -> Match? {
    let match = cache.match(id)
    if match == nil { misses += 1 } else { hits += 1 }
    return match
  }

  /// Events that anybody can cause without limit are counted. A line about them is only written at
  /// the `debug` level, so that nobody fills the disk with refusals.
  func logAnswers(of batch: Batch) {
    let isDetailed = log.logLevel <= .debug
    for answer in batch.answers {
      switch answer.outcome {
      case .refused(_, isKept: true): break
      case .accepted, .refused: guard isDetailed else { continue }
      case .repeated: continue
      }
      var metadata: Logger.Metadata = ["queue": .stringConvertible(answer.delivery.queue)]
      if let event = answer.event {
        metadata["event"] = "\(event.id)"
        metadata["player"] = "\(event.player)"
        if let match = event.match { metadata["match"] = "\(match)" }
      }
      metadata = answer.delivery.trace.marks(metadata)
      if case .refused(let refusal, let isKept) = answer.outcome {
        metadata["refusal"] = "\(refusal.name)"
        log.log(level: isKept ? .info : .debug, "event refused", metadata: metadata)
      } else {
        log.debug("event accepted", metadata: metadata)
      }
    }
  }
}
