/// A fault of a run, by the name that `--faults` takes.
package enum FaultKind: String, Hashable, Sendable, Codable, CaseIterable {
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
  /// A gateway is killed by `kill -9`, and another one started at its address.
  case gatewayKill = "gateway-kill"
  /// A turn worker is stopped until its heartbeats have run out, and goes on: two workers believe
  /// that they hold its queues.
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
  /// Workers stand still until the queues of events are full and refuse further messages.
  case queueFull = "queue-full"
  /// Connections of players, of a worker or of the other roles end by a reset.
  case connectionsCut = "connections-cut"
  /// Connections stay and pass nothing on, in one direction or both, for a while.
  case connectionsStalled = "connections-stalled"
  /// Answers of a server are held back, and lost by a reset: a commit succeeds and nobody is told.
  case answersLost = "answers-lost"
  /// A gateway is cut off from the broker, for a while.
  case gatewayCut = "gateway-cut"
  /// Proxies in front of gateways send each request of an event or a query twice, and lose answers.
  case requestsDoubled = "requests-doubled"

  /// PostgreSQL's tables and indexes cannot grow, for a while.
  case diskFull = "disk-full"
  /// Somebody has locked the table of matches, for a while.
  case tableLocked = "table-locked"
  /// There is no reader, for a while.
  case readersDead = "readers-dead"
  /// One more worker starts and dies again and again.
  case workerCrashLoop = "worker-crash-loop"
  /// The number of queues changes while players play.
  case layoutChanged = "layout-changed"
  /// The certificate of the working key ends, and is renewed after a while.
  case certificateEnds = "certificate-ends"

  /// Whether it lasts for minutes when it first comes in a long run.
  var isLong: Bool { self == .diskFull || self == .tableLocked }

  /// The parts of the service that a fault takes hold of. Two faults of the same part never happen
  /// at once.
  enum Hold: CaseIterable {
    case process
    case connection
    /// Sessions and queues, while the servers go on.
    case contents
    /// One lever of the servers is pulled after another.
    case servers
  }

  var holds: Set<Hold> {
    switch self {
    case .workerKill, .relayKill, .schedulerKill, .readerKill, .pushKill, .raterKill, .gatewayKill,
      .workerPause, .readersDead, .workerCrashLoop:
      [.process]
    case .backendsTerminated, .queueFull, .tableLocked: [.contents]
    case .postgresRestart, .postgresFailover, .brokerRestart, .brokerAlarm, .diskFull:
      [.servers]
    case .connectionsCut, .connectionsStalled, .answersLost, .gatewayCut, .requestsDoubled:
      [.connection]
    // Queues that are filled by hand have no workers to be stopped meanwhile.
    case .layoutChanged: [.process, .contents]
    // A new certificate is first written to the database.
    case .certificateEnds: [.process, .servers]
    }
  }

  /// The finding by which `cubistd status` names the held fault, and the seconds it needs to know;
  /// nil where it cannot know, or where the fault is not held.
  var sign: (name: String, afterSeconds: Double)? {
    switch self {
    // The management API's numbers are some seconds old.
    case .brokerAlarm: ("brokerAlarm", 6)
    case .diskFull: ("workerHindered", 15)
    // It counts matches itself, and looks for the lock that it waits for.
    case .tableLocked: ("tableLocked", 0)
    // The last sign of life counts for fifteen seconds.
    case .readersDead: ("readerAbsent", 21)
    case .workerCrashLoop: ("workerDiesYoung", 21)
    case .certificateEnds: ("keyEnds", 0)
    default: nil
    }
  }
}
