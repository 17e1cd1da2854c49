/// A mistake that a simulation builds into the service on purpose, to prove that its checks find
/// it. The raw values are the names on the command line.
///
/// Shipped code has no switches for them. Instead the tools of a role or a player's program are
/// wrapped, see `BuggyWorker`.
package enum PlantedBug: String, Hashable, Sendable, CaseIterable {
  /// A worker acknowledges its deliveries before it has committed anything.
  case acknowledgeBeforeCommit = "acknowledge-before-commit"
  /// The store does not look at versions.
  case noVersionGuard = "no-version-guard"
  /// Push jobs are written after the transaction of the event that owes them.
  case outboxOutsideTransaction = "outbox-outside-transaction"
  /// A worker without its store puts its deliveries back into the queue, behind the waiting
  /// messages.
  case requeueWithNack = "requeue-with-nack"
  /// A turn gets the answer to any earlier turn of the same number.
  case dedupeByTurnNumberOnly = "dedupe-by-turn-number-only"
  /// The wall clock decides whether a deadline has passed, not the ticks in the queue.
  case deadlineByWallClock = "deadline-by-wall-clock"
  /// Replies are sent and not stored.
  case replyNotStored = "reply-not-stored"
  /// A finished match is read as it was a moment ago, and a rematch is written without a look at
  /// its version.
  case rematchWithoutGuard = "rematch-without-guard"
  /// The relay deletes its rows before the broker has confirmed the jobs.
  case relayDeletesBeforeConfirm = "relay-deletes-before-confirm"
  /// Waiting players are read as they were a moment ago, without a lock. The seat is written even
  /// if another player has it by then.
  case seatWithoutCondition = "seat-without-condition"
  /// A turn may name any turn as the one before it.
  case previousHashNotChecked = "previous-hash-not-checked"
  /// Changes that fit are written, and the others are noticed after the commit.
  case guardAfterCommit = "guard-after-commit"
  /// A worker never refreshes its knowledge of keys.
  case revocationIgnored = "revocation-ignored"
  /// A player's program makes a new event from one without an answer.
  case pendingResentWithNewID = "pending-resent-with-new-id"
  /// A list ends after the oldest matches and invitations.
  case oldestMatchesOnly = "oldest-matches-only"
  /// An objection to a recovery is forgotten, so that each later one delays it anew. Only runs with
  /// devices have objections.
  case objectionForgotten = "objection-forgotten"
  /// Notifications are sent in quiet hours. Only some seeds have quiet hours.
  case quietHoursIgnored = "quiet-hours-ignored"
  /// A notification that is sent again has another topic, so that it stands beside the first one.
  case newTopicEachTime = "new-topic-each-time"
  /// The devices of a player who is gone stay. Only runs with devices have players who leave.
  case devicesLeft = "devices-left"
  /// News of matches wait for no others.
  case newsAtOnce = "news-at-once"
}
