/// A mistake that a simulation builds into the service on purpose, to prove that its checks would
/// find it. The raw values are the names on the command line.
///
/// Shipped code has no switches for them: what a role or a player's program is given to work with is
/// wrapped, see `BuggyWorker`.
public enum PlantedBug: String, Hashable, Sendable, CaseIterable {
  /// A worker acknowledges what it receives before it has committed anything.
  case acknowledgeBeforeCommit = "acknowledge-before-commit"
  /// The store does not look at versions.
  case noVersionGuard = "no-version-guard"
  /// Push jobs are written after the transaction of the event that owes them.
  case outboxOutsideTransaction = "outbox-outside-transaction"
  /// A worker whose store is gone puts its deliveries back into the queue, behind what waits there.
  case requeueWithNack = "requeue-with-nack"
  /// A turn of a number that was answered before gets that answer, whichever event it is.
  case dedupeByTurnNumberOnly = "dedupe-by-turn-number-only"
  /// Whether a deadline has passed is decided by the clock on the wall, not by the ticks in the
  /// queue.
  case deadlineByWallClock = "deadline-by-wall-clock"
  /// Replies are sent and not stored.
  case replyNotStored = "reply-not-stored"
  /// A finished match is read as it was a moment ago, and its version is not looked at when a
  /// rematch is written.
  case rematchWithoutGuard = "rematch-without-guard"
  /// The relay deletes its rows before the broker has confirmed the jobs.
  case relayDeletesBeforeConfirm = "relay-deletes-before-confirm"
  /// Who waits for an opponent is read as it was a moment ago, without a lock, and the seat is
  /// written whoever has it by then.
  case seatWithoutCondition = "seat-without-condition"
  /// A turn may name any turn as the one before it.
  case previousHashNotChecked = "previous-hash-not-checked"
  /// What fits is written, and what did not fit is noticed after the commit.
  case guardAfterCommit = "guard-after-commit"
  /// What a worker knows of keys it knows for ever.
  case revocationIgnored = "revocation-ignored"
  /// A player's program that finds an event without an answer makes a new one of it.
  case pendingResentWithNewID = "pending-resent-with-new-id"
  /// A list ends after the oldest matches and invitations.
  case oldestMatchesOnly = "oldest-matches-only"
}
