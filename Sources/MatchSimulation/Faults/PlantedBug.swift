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
