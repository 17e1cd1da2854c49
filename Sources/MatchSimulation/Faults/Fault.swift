/// What a simulation can do to the service. The raw values are the names on the command line.
public enum Fault: String, Hashable, Sendable, CaseIterable {
  /// A connection to the broker breaks: what was unacknowledged goes back, what was unconfirmed is
  /// unknown.
  case lostConnection = "lost-connection"
  /// The broker has a message, and its confirm never arrives.
  case lostConfirm = "lost-confirm"
  /// A confirm takes seconds.
  case lateConfirm = "late-confirm"
  /// A message arrives twice, at once or later.
  case duplicate
  /// A message reaches its queue late, and with it whatever the same channel sends there after it;
  /// or a reply its sender.
  case delay
  /// Publications of different channels arrive in another order than they were sent in.
  case reorderPublishers = "reorder-publishers"
  /// An acknowledgement never arrives: the messages are delivered again.
  case redeliver
  /// The active consumer of a queue is cut off and goes on working on what it has, while the next
  /// one has the same messages already.
  case consumerOverlap = "consumer-overlap"
  /// A process is killed between any two calls to the store or the broker.
  case workerCrash = "worker-crash"
  /// A process stands still between two calls while the others go on, perhaps so long that it is
  /// given up meanwhile.
  case workerPause = "worker-pause"
  /// The connection breaks during a commit, which has succeeded or not.
  case commitUnknown = "commit-unknown"
  /// The store gives a transaction up as a conflict.
  case serializationFailure = "serialization-failure"
  /// The broker is gone for a moment: connections are lost, queues are kept.
  case brokerRestart = "broker-restart"
  /// The broker has no memory or disk left: it reads nothing from publishers; consumers go on.
  case brokerAlarm = "broker-alarm"
  /// A queue refuses what is published.
  case queueFull = "queue-full"
  /// The store is gone for a moment: connections and open transactions are lost.
  case storeRestart = "store-restart"
  /// A standby takes over: connections are lost or can only read from then on.
  case storeFailover = "store-failover"
  /// A commit takes long; what it has locked stays locked.
  case slowDisk = "slow-disk"
  /// Time passes in which nobody does anything, or the store's clock is set forth or back.
  case clockJump = "clock-jump"
  /// Bytes that are no event.
  case poison
  /// An event beyond a limit, of the service or of the broker.
  case oversized
  /// An event whose signature is not its key's.
  case forged
  /// A player's program goes by what was to be seen a while ago, or has a clock that is wrong.
  case staleClient = "stale-client"
  /// A player's program is killed.
  case clientKill = "client-kill"
  /// A push provider refuses for now: not the service's failure but that of something it depends
  /// on.
  case pushRefused = "push-refused"
  /// A hostile player writes counts of deliveries and times to live beside its own events, or beside
  /// others' that it sends again.
  case forgedProperties = "forged-properties"
  /// A hostile player names addresses to answer to that are made up, or those of queues.
  case madeUpAddresses = "made-up-addresses"
  /// A hostile player invites another one, again and again.
  case invitationFlood = "invitation-flood"
  /// A hostile player asks for much at once: lists, reviews, others' matches, changes that never
  /// come.
  case queryFlood = "query-flood"
  /// A hostile player asks for matches on odd terms, takes the requests back, gives up, and meddles
  /// with what others play.
  case oddRequests = "odd-requests"
  /// The certificate of the working key ends, and is renewed in time or too late; each process that
  /// runs takes the new key up when it comes to it.
  case keyEnds = "key-ends"

  /// How often it strikes, compared with others, when they have the same chance: what stops
  /// everybody at once is seldom.
  var rarity: Double {
    switch self {
    case .brokerRestart, .brokerAlarm, .queueFull, .storeRestart, .storeFailover, .clockJump,
      .keyEnds:
      0.15
    default: 1
    }
  }

  /// Whether the service may answer later because of it. What a sender does, or what befalls one, is
  /// no reason.
  var delaysAnswers: Bool {
    switch self {
    case .duplicate, .reorderPublishers, .lostConfirm, .lateConfirm, .poison, .oversized, .forged,
      .staleClient, .clientKill, .pushRefused, .forgedProperties, .madeUpAddresses,
      .invitationFlood, .queryFlood, .oddRequests:
      false
    default: true
    }
  }
}
