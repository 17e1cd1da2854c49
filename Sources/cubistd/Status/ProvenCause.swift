import CubistBasics
import MatchInterfaces
import MatchService

/// The cause of a trouble, as the words of a server or of a role's sign of life prove it. Each has
/// the command to begin with; docs/operating.md has the table.
enum ProvenCause: String, CaseIterable, Sendable {
  /// A file system answers ENOSPC.
  case diskFull
  /// A certificate is over, or of another host or authority than the settings say.
  case certificate
  /// PostgreSQL keeps its last sessions for superusers.
  case sessionsUsedUp
  /// A host's name leads nowhere.
  case nameUnknown
  /// PostgreSQL refuses the user or the password of a role.
  case databaseLogin
  /// No reader answers the schedulers.
  case readers
  /// The broker is that of another database.
  case anotherDatabase
  /// A user of RabbitMQ is refused, or the topology lacks something.
  case brokerRights
  /// A queue is full, or the broker is short of memory or disk.
  case room
  /// RabbitMQ is away, as the role sees it.
  case broker
  /// A user of PostgreSQL lacks a right.
  case databaseRights
  /// Somebody holds a lock.
  case lock
  /// PostgreSQL is away, as the role sees it.
  case database
  /// No working key may sign.
  case keys
  /// The receiver of notifications takes none.
  case receiver
  /// Nothing is proven.
  case other
}

extension ProvenCause {
  /// Words that only one cause has, whichever server or library says them.
  private static let plainWords: [(String, ProvenCause)] = [
    ("No space left on device", .diskFull), (" 53100", .diskFull),
    ("certificate verify failed", .certificate), ("certificate has expired", .certificate),
    ("does not match host name", .certificate), ("(tlsRefused)", .certificate),
    ("is not trusted:", .certificate),
    ("too many clients", .sessionsUsedUp), ("connection slots are reserved", .sessionsUsedUp),
    (" 53300", .sessionsUsedUp),
    ("could not translate host name", .nameUnknown),
  ]

  /// Words of signs of life, in the order in which they count.
  private static let signWords: [(String, ProvenCause)] = [
    (ReaderWatch.complaint, .readers),
    ("serves another database", .anotherDatabase),
    (Interruption.busMark + "not permitted", .brokerRights),
    (Interruption.busMark + "unroutable", .brokerRights),
    (Interruption.busMark + "refused", .room),
    (Interruption.busMark, .broker),
    (" 28P01", .databaseLogin), (" 28000", .databaseLogin),
    (" 42501", .databaseRights), ("permission denied", .databaseRights),
    ("lock timeout", .lock),
    ("store unavailable", .database),
    ("working key", .keys),
  ]

  /// The cause that a server's own words prove; nil where they prove none.
  init?(words: String) {
    guard let found = ProvenCause.plainWords.first(where: { words.contains($0.0) }) else {
      return nil
    }
    self = found.1
  }

  /// The cause in a role's sign of life.
  init(_ reason: String, of role: RoleName) {
    // A receiver's words are not a server's of the service; a file for notifications has a disk.
    let isOfReceiver =
      role == .push && !reason.hasPrefix("store ") && !reason.hasPrefix(Interruption.busMark)
    let plain = ProvenCause(words: reason)
    if let plain, !isOfReceiver || plain == .diskFull {
      self = plain
    } else {
      self =
        ProvenCause.signWords.first { reason.contains($0.0) }?.1
        ?? (isOfReceiver ? .receiver : .other)
    }
  }

  /// The cause in a few words, which stand before the words that prove it; nil where those say it
  /// themselves.
  var headline: String? {
    switch self {
    case .diskFull: "a disk is full"
    case .certificate: "a server's certificate is refused"
    case .sessionsUsedUp: "PostgreSQL has no session left"
    case .nameUnknown: "a host's name is not known"
    case .databaseLogin: "PostgreSQL refuses the role's user or password"
    case .readers: "readers give signs of life and do not answer"
    default: nil
    }
  }

  /// The next step.
  var remedy: String {
    switch self {
    case .diskFull:
      "free that disk, or add space, on the machine of the server that says so; never delete files "
        + "in the folders of PostgreSQL or RabbitMQ"
    case .certificate:
      "renew it and let the server read it; or correct the host's name and the file of the authority "
        + "in the setting. The command prints what the server shows"
    case .sessionsUsedUp: "end the program that leaks them, or raise max_connections"
    case .nameUnknown: "correct the host in the setting, or this machine's name service"
    case .databaseLogin:
      "`cubistd setup` gives the user the password of the setting; correct the setting if another "
        + "password is right"
    case .brokerRights, .databaseRights: "`cubistd setup` mends it"
    case .readers: "start the readers again: they hang"
    case .receiver: "mend the receiver; `cubistd push status` shows its answers"
    default: "mend that"
    }
  }

  /// The command to begin with.
  /// - Parameter words: The words that prove the cause; they name hosts.
  func command(_ words: String) -> String {
    switch self {
    case .diskFull: "df -h"
    case .certificate: ProvenCause.showingCertificate(words)
    case .sessionsUsedUp:
      Finding.asSuperuser(
        "SELECT application_name, count(*) FROM pg_stat_activity GROUP BY 1 ORDER BY 2 DESC")
    case .nameUnknown:
      "getent hosts "
        + (words.firstMatch(of: /host name "([A-Za-z0-9._-]+)"/).map { String($0.1) } ?? "HOST")
    case .readers: "systemctl restart cubistd@reader"
    case .broker: Finding.command(for: "brokerUnanswered")
    case .database: Finding.command(for: "databaseUnanswered")
    case .databaseLogin, .brokerRights, .databaseRights: "cubistd setup"
    case .lock: Finding.sessions
    case .room: "cubistd status --all"
    case .anotherDatabase, .keys: "cubistd setup --check"
    case .receiver: "cubistd push status"
    case .other: Finding.log
    }
  }

  /// Words after the cause that they prove.
  func said(_ words: String) -> String { headline.map { "\($0): \(words)" } ?? words }

  private static func showingCertificate(_ words: String) -> String {
    let isOfDatabase = words.contains("PostgreSQL")
    let found =
      words.firstMatch(of: /server at "([A-Za-z0-9._:-]+)"(?: \([^)]*\))?, port ([0-9]+)/)
      .map { "\(bracketed($0.1)):\($0.2)" }
      ?? words.firstMatch(of: #/ at ((?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):[0-9]+)/#)
      .map { String($0.1) }
    return ServerCertificate.command(
      endpoint: found ?? "HOST:PORT", startsWith: isOfDatabase ? "postgres" : nil)
  }

  private static func bracketed(_ host: Substring) -> String {
    host.contains(":") ? "[\(host)]" : String(host)
  }
}
