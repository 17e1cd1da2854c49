/// The faults that a simulation can inject. The raw values are the names on the command line.
package enum Fault: String, Hashable, Sendable, CaseIterable {
  /// A connection to the broker breaks. Unacknowledged messages go back, and the fate of
  /// unconfirmed ones is unknown.
  case lostConnection = "lost-connection"
  /// The broker has a message, and its confirm never arrives.
  case lostConfirm = "lost-confirm"
  /// A confirm takes seconds.
  case lateConfirm = "late-confirm"
  /// A message arrives twice, at once or later.
  case duplicate
  /// A message reaches its queue late, and the same channel's later messages to that queue with it.
  /// Or a reply reaches its sender late.
  case delay
  /// Publications of different channels arrive in another order than they were sent.
  case reorderPublishers = "reorder-publishers"
  /// An acknowledgement never arrives. The messages are delivered again.
  case redeliver
  /// The active consumer of a queue is cut off and goes on with its messages, while the next one
  /// already has the same ones.
  case consumerOverlap = "consumer-overlap"
  /// A process is killed between any two calls to the store or the broker.
  case workerCrash = "worker-crash"
  /// A process stands still between two calls while the others go on. It may take so long that it
  /// is given up meanwhile.
  case workerPause = "worker-pause"
  /// The connection breaks during a commit. The commit may have succeeded or not.
  case commitUnknown = "commit-unknown"
  /// The store gives a transaction up as a conflict.
  case serializationFailure = "serialization-failure"
  /// The broker is gone for a moment. Connections are lost, queues are kept.
  case brokerRestart = "broker-restart"
  /// The broker is out of memory or disk. It reads nothing from publishers; consumers go on.
  case brokerAlarm = "broker-alarm"
  /// A queue refuses publications.
  case queueFull = "queue-full"
  /// The store is gone for a moment. Connections and open transactions are lost.
  case storeRestart = "store-restart"
  /// A standby takes over. Connections are lost or can only read from then on.
  case storeFailover = "store-failover"
  /// A commit takes long, and keeps its locks.
  case slowDisk = "slow-disk"
  /// Time passes in which nobody does anything, or the store's clock is set forward or back.
  case clockJump = "clock-jump"
  /// Bytes that are not an event.
  case poison
  /// An event beyond a limit, of the service or of the broker.
  case oversized
  /// An event with a signature that is not its key's.
  case forged
  /// A player's program acts on an outdated view, or has a wrong clock.
  case staleClient = "stale-client"
  /// A player's program is killed.
  case clientKill = "client-kill"
  /// A push provider refuses for now. The failure is not the service's but a dependency's.
  case pushRefused = "push-refused"
  /// A hostile player writes delivery counts, times to live and priorities beside its own events, or
  /// beside others' events that it sends again.
  case forgedProperties = "forged-properties"
  /// A hostile player names made-up reply addresses, or those of queues.
  case madeUpAddresses = "made-up-addresses"
  /// A hostile player invites another one, again and again.
  case invitationFlood = "invitation-flood"
  /// A hostile player asks for much at once: lists, reviews, others' matches, changes that never
  /// come.
  case queryFlood = "query-flood"
  /// A hostile player asks for matches on odd terms, withdraws the requests, gives up, and meddles
  /// with others' games.
  case oddRequests = "odd-requests"
  /// The certificate of the working key ends, and is renewed in time or too late. Each running
  /// process takes up the new key in its own time.
  case keyEnds = "key-ends"
  /// A push service answers after seconds.
  case pushSlow = "push-slow"
  /// A push service lies. It says that it has a notification that is lost there, or that it has not
  /// one that the device has. It calls a living device gone, or asks for an absurd pause.
  case pushLies = "push-lies"
  /// A push service answers twice.
  case pushAnsweredTwice = "push-answered-twice"
  /// A push service takes a notification, and its answer is lost.
  case pushAnswerLost = "push-answer-lost"

  /// The fault's rarity compared with others of the same chance. A fault that stops everybody at
  /// once is rare. Those of push services are frequent, since there are few notifications.
  var rarity: Double {
    switch self {
    case .brokerRestart, .brokerAlarm, .queueFull, .storeRestart, .storeFailover, .clockJump,
      .keyEnds:
      0.15
    case .pushSlow, .pushLies, .pushAnsweredTwice, .pushAnswerLost: 5
    default: 1
    }
  }

  /// Whether the service may answer later because of it. A fault of a sender, or at a sender, is no
  /// reason.
  var delaysAnswers: Bool {
    switch self {
    case .duplicate, .reorderPublishers, .lostConfirm, .lateConfirm, .poison, .oversized, .forged,
      .staleClient, .clientKill, .pushRefused, .forgedProperties, .madeUpAddresses,
      .invitationFlood, .queryFlood, .oddRequests, .pushSlow, .pushLies, .pushAnsweredTwice,
      .pushAnswerLost:
      false
    default: true
    }
  }
}
