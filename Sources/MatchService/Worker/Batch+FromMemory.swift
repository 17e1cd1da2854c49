import MatchCore
import MatchInterfaces

extension Batch {
  /// Judges turns and ticks from the worker's memory, without a look-up. Nil if that does not
  /// resolve them, and they need a look-up.
  ///
  /// Everything it builds on is guarded when the batch is written: the versions of its matches, the
  /// clocks of its queues, how many keys had been revoked, and that none of its events was handled
  /// before. Only acceptances count: an event may be refused just because it was accepted before.
  static func fromMemory(
    _ intakes: [DecodedDelivery], environment: Environment, known: LookupResult,
    clocks: [Int: QueueClock],
    slotCredits: [Int64] = [], attendance: Attendance = .init()
  ) -> Batch? {
    for intake in intakes {
      guard case .event(let received) = intake.content else { return nil }
      switch received.event.action {
      case .ticked: break
      case .turnPlayed(let played):
        guard known.matches[played.match] != nil, known.keys[received.signed.key] != nil else {
          return nil
        }
      default: return nil
      }
    }
    var batch = Batch(
      intakes, environment: environment, known: known, clocks: clocks, slotCredits: slotCredits,
      attendance: attendance)
    batch.judgeAll()
    let isComplete = batch.answers.allSatisfy { answer in
      switch answer.outcome {
      case .accepted: true
      case .repeated: answer.event?.isFromService == true
      case .refused: false
      }
    }
    return isComplete ? batch : nil
  }
}
