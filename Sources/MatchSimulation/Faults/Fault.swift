/// What a simulation can do to the service. The raw values are the names on the command line.
public enum Fault: String, Hashable, Sendable, CaseIterable {
  /// A connection to the broker breaks: what was unacknowledged goes back, what was unconfirmed is
  /// unknown.
  case lostConnection = "lost-connection"
  /// The broker has a message, and its confirm never arrives.
  case lostConfirm = "lost-confirm"
  /// A confirm takes seconds.
  case lateConfirm = "late-confirm"
  /// A message arrives twice.
  case duplicate
  /// An acknowledgement never arrives: the messages are delivered again.
  case redeliver
  /// A process is killed between any two calls to the store or the broker.
  case workerCrash = "worker-crash"
  /// A process stands still between two calls while the others go on, and its connection may be
  /// given up meanwhile.
  case workerPause = "worker-pause"
  /// A commit succeeds and its answer is lost.
  case commitUnknown = "commit-unknown"
  /// The store gives a transaction up as a conflict.
  case serializationFailure = "serialization-failure"
  /// The store is gone for a moment: connections and open transactions are lost.
  case storeRestart = "store-restart"
  /// Time passes in which nobody does anything.
  case clockJump = "clock-jump"
  /// Bytes that are no event.
  case poison
  /// An event whose signature is not its key's.
  case forged
  /// A player's program is killed and does not ask for its answer any more.
  case clientKill = "client-kill"
  /// A push provider refuses for now.
  case pushRefused = "push-refused"
}

/// A mistake that a simulation builds into the service on purpose, to prove that its checks would
/// find it.
public enum PlantedBug: String, Hashable, Sendable, CaseIterable {
  /// A worker acknowledges what it receives before it has committed anything.
  case acknowledgeBeforeCommit = "acknowledge-before-commit"
  /// The store does not look at versions.
  case noVersionGuard = "no-version-guard"
  /// Replies are sent and not stored.
  case replyNotStored = "reply-not-stored"
  /// Push jobs are written after the transaction of the event that owes them.
  case outboxOutsideTransaction = "outbox-outside-transaction"
  /// The relay deletes its rows before the broker has confirmed the jobs.
  case relayDeletesBeforeConfirm = "relay-deletes-before-confirm"
}

/// Which faults strike how often; the seed decides.
final class FaultPlan {
  private(set) var counts: [Fault: Int] = [:]
  /// Whether faults have stopped.
  var isCalm = false
  private let random: SeededRandom
  private var probabilities: [Fault: Double] = [:]

  /// Of the faults that may strike each gets one of a few probabilities, among them none, in rough
  /// runs and in gentle ones: what is killed all the time never gets far enough to be wrong. A
  /// single one is not gentle.
  init(_ faults: Set<Fault>, random: SeededRandom) {
    self.random = random
    let roughness: Double = random.pick([0.1, 0.3, 1]) ?? 1
    for fault in Fault.allCases where faults.contains(fault) {
      let level: Double = random.pick([0.0, 0.002, 0.006, 0.015]) ?? 0
      probabilities[fault] = faults.count == 1 ? 0.02 : level * roughness
    }
  }

  /// Whether a fault strikes here and now.
  func strikes(_ fault: Fault) -> Bool {
    guard !isCalm, let probability = probabilities[fault], random.happens(probability) else {
      return false
    }
    counts[fault, default: 0] += 1
    return true
  }
}
