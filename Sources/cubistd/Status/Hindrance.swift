import MatchInterfaces
import MatchService

/// The hindrance of a role, by the words of its sign of life.
enum Hindrance: Equatable {
  /// A server is away, as the role sees it.
  case broker, database
  /// A user of RabbitMQ is refused, or the topology lacks something.
  case brokerRights
  /// A user of PostgreSQL lacks a right.
  case databaseRights
  /// Somebody holds a lock.
  case lock
  /// A queue is full, or the broker is short of memory or disk.
  case room
  /// The broker is that of another database.
  case anotherDatabase
  /// No working key may sign.
  case keys
  /// The receiver of notifications takes none.
  case receiver
  case other

  init(_ reason: String, of role: RoleName) {
    let words: [(String, Hindrance)] = [
      ("serves another database", .anotherDatabase),
      (Interruption.busMark + "not permitted", .brokerRights),
      (Interruption.busMark + "unroutable", .brokerRights),
      (Interruption.busMark + "refused", .room),
      (Interruption.busMark, .broker),
      ("42501", .databaseRights), ("permission denied", .databaseRights),
      ("lock timeout", .lock),
      ("store unavailable", .database),
      ("working key", .keys),
    ]
    self =
      words.first { reason.contains($0.0) }?.1
      ?? (role == .push && !reason.hasPrefix("store ") ? .receiver : .other)
  }

  /// The next step.
  var remedy: String {
    switch self {
    case .brokerRights, .databaseRights: "`cubistd setup` mends it"
    case .receiver: "mend the receiver; `cubistd push status` shows its answers"
    default: "mend that"
    }
  }

  /// The command to begin with.
  var command: String {
    switch self {
    case .broker: Finding.command(for: "brokerUnanswered")
    case .database: Finding.command(for: "databaseUnanswered")
    case .brokerRights, .databaseRights: "cubistd setup"
    case .lock: Finding.sessions
    case .room: "cubistd status --all"
    case .anotherDatabase, .keys: "cubistd setup --check"
    case .receiver: "cubistd push status"
    case .other: Finding.log
    }
  }
}
