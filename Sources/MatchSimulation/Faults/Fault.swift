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
