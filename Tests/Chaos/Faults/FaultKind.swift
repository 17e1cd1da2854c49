/// What goes wrong in a run, by the names that `--faults` takes.
public enum FaultKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// A turn worker is killed by `kill -9`, and another one started.
  case workerKill = "worker-kill"
  /// A relay is killed by `kill -9`, and another one started.
  case relayKill = "relay-kill"
  /// A scheduler is killed by `kill -9`, and another one started.
  case schedulerKill = "scheduler-kill"
  /// A reader is killed by `kill -9`, and another one started.
  case readerKill = "reader-kill"
  /// A push worker is killed by `kill -9`, and another one started.
  case pushKill = "push-kill"
  /// A rater is killed by `kill -9`, and another one started.
  case raterKill = "rater-kill"
  /// A turn worker is stopped for longer than heartbeats last, and goes on: two believe they hold
  /// its queues.
  case workerPause = "worker-pause"
  /// Some sessions of the service are ended by PostgreSQL.
  case backendsTerminated = "backends-terminated"
  /// PostgreSQL is stopped at once, as by a crash, and recovers.
  case postgresRestart = "postgres-restart"
  /// PostgreSQL is killed, and its synchronous standby promoted.
  case postgresFailover = "postgres-failover"
  /// RabbitMQ is killed by `kill -9` and started again.
  case brokerRestart = "broker-restart"
  /// RabbitMQ has no memory left and takes nothing, for a while.
  case brokerAlarm = "broker-alarm"
  /// Workers stand still until the queues of events are full and refuse what is published.
  case queueFull = "queue-full"
  /// Connections of players, of a worker or of the other roles end by a reset.
  case connectionsCut = "connections-cut"
  /// Connections stay and pass nothing on, in one direction or both, for a while.
  case connectionsStalled = "connections-stalled"
  /// What a server answers is held back, and lost by a reset: a commit succeeds and nobody is told.
  case answersLost = "answers-lost"

  /// What a fault takes hold of; two that take hold of the same thing do not happen at once.
  enum Hold {
    case process
    case connection
    /// Sessions and queues, while the servers go on.
    case contents
    /// `deploy/servers` does one thing after another.
    case servers
  }

  /// Whether the injector looks what the fault does to its victim.
  var isSeen: Bool {
    switch self {
    case .workerKill, .relayKill, .schedulerKill, .readerKill, .pushKill, .raterKill, .workerPause,
      .backendsTerminated, .postgresRestart, .postgresFailover, .brokerRestart, .queueFull,
      .connectionsCut, .connectionsStalled, .answersLost:
      true
    default: false
    }
  }

  var hold: Hold {
    switch self {
    case .workerKill, .relayKill, .schedulerKill, .readerKill, .pushKill, .raterKill, .workerPause:
      .process
    case .backendsTerminated, .queueFull: .contents
    case .postgresRestart, .postgresFailover, .brokerRestart, .brokerAlarm: .servers
    case .connectionsCut, .connectionsStalled, .answersLost: .connection
    }
  }
}
