import BrokerManagement
import CubistBasics
import EventBusLive
import MatchInterfaces
import MatchService

/// Why an operator's command failed: the cause, and a remedy.
enum OperatorFailure: Error, Equatable {
  /// Settings are missing or wrong; all faults at once, one a line.
  case settings([String])
  /// PostgreSQL, or the data in it.
  case store(StoreError)
  /// PostgreSQL answers and does not take the user or the password.
  case databaseRefuses(String)
  /// PostgreSQL answers, and the database takes no writes.
  case databaseReadOnly(String)
  /// PostgreSQL answers and has no database of the name.
  case databaseMissing(String)
  /// A pooler answers in PostgreSQL's place, and the roles cannot work so; with what to do.
  case databasePooled(String)
  /// The copy of the database that an option names.
  indirect case copy(OperatorFailure)
  /// RabbitMQ.
  case broker(BusError)
  /// RabbitMQ, as a gateway connects.
  case gatewayBroker(BusError)
  /// RabbitMQ's management API.
  case management(ManagementError)
  /// The private servers of `up`.
  case servers(String)
  /// A file or a folder.
  case file(path: String, reason: String)
  /// A thing is missing, or is not as it should be.
  case wrong(String)
  /// There is nothing by that name.
  case notFound(String)
  /// An argument or a file cannot be read.
  case unreadable(String)
  /// A signal ended it.
  case interrupted(status: Int32)

  /// The exit code: 1 wrong, 2 unreadable, 3 not found, 64 usage, 69 unavailable, 77 not permitted,
  /// 128 and the signal's number where one ended it.
  var exitCode: Int32 {
    switch self {
    case .settings: 64
    case .copy(let failure): failure.exitCode
    case .store(.unavailable), .databaseReadOnly, .servers: 69
    case .store: 1
    case .databaseRefuses, .broker(.notPermitted), .management(.notPermitted): 77
    case .broker(.unroutable): 1
    case .broker: 69
    case .gatewayBroker(let error): OperatorFailure.broker(error).exitCode
    case .management(.badURL), .databasePooled: 64
    case .management(.refused): 1
    case .management: 69
    case .file, .unreadable: 2
    case .wrong: 1
    case .notFound, .databaseMissing: 3
    case .interrupted(let status): status
    }
  }
}

extension OperatorFailure: CustomStringConvertible {
  private static let ownServers =
    "`cubistd up` brings servers of its own; docs/operating.md says how to set up others."

  /// The settings files there may be, where nothing says where the database is.
  private static func hints(of problems: [String]) -> [String] {
    let isMissing = problems.contains {
      $0.contains("\(SettingName.database.rawValue) is not set")
    }
    return isMissing
      ? [
        "A service of the package has its settings in "
          + "CUBIST_CONFIG=\(ServiceSettings.installedFile); `cubistd init` writes them.",
        "A service of `cubistd up` has its settings in its folder: "
          + "CUBIST_CONFIG=FOLDER/.cubist/cubistd.conf.",
      ] : []
  }

  /// The cause, and a remedy, for a person.
  var description: String {
    switch self {
    case .settings(let problems):
      (problems + OperatorFailure.hints(of: problems)).joined(separator: "\n")
    case .store(.unavailable(let text)):
      """
      PostgreSQL cannot be reached: \(text)
      Start it, or correct CUBIST_DATABASE. \(OperatorFailure.ownServers)
      """
    case .databaseRefuses(let text):
      """
      PostgreSQL does not let us in: \(text)
      Correct the user and the password in CUBIST_DATABASE, or what pg_hba.conf says of them.
      """
    case .databaseReadOnly(let text):
      """
      PostgreSQL takes no writes: \(text)
      It runs, as a standby. Name the primary in CUBIST_DATABASE, or promote this server if the primary \
      is gone for good (docs/operating.md, A standby). `SELECT pg_is_in_recovery()` says whether it is \
      one; if not, CUBIST_DATABASE has default_transaction_read_only among its options.
      """
    case .databaseMissing(let text):
      """
      PostgreSQL has no such database: \(text)
      Make it with `createdb --owner USER NAME` and run `cubistd setup`, or correct its name in \
      CUBIST_DATABASE.
      """
    case .databasePooled(let text):
      "PostgreSQL is behind a pooler.\n\(text)."
    case .store(let error):
      "PostgreSQL: \(error)"
    case .copy(.store(.unavailable(let text))):
      """
      The copy cannot be reached: \(text)
      Start its server, or correct --from-database.
      """
    case .copy(.databaseRefuses(let text)):
      """
      The copy's server does not let us in: \(text)
      Correct the user in --from-database, the password in the file that its passfile names, or what \
      pg_hba.conf says of them.
      """
    case .copy(.databaseMissing(let text)):
      """
      There is no such copy: \(text)
      Restore the backup into a database of that name, or correct the name in --from-database.
      """
    case .copy(.store(let error)):
      "The copy of --from-database: \(error)"
    case .copy(let failure):
      "The copy of --from-database: \(failure)"
    case .gatewayBroker(.disconnected(let text)):
      "RabbitMQ cannot be reached: \(text)\nStart it, or correct CUBIST_GATEWAY_BROKER."
    case .gatewayBroker(.notPermitted(let text)):
      """
      RabbitMQ does not let the gateway in: \(text)
      Correct CUBIST_GATEWAY_BROKER, or run `cubistd setup` with it where CUBIST_BROKER_MANAGEMENT \
      is set.
      """
    case .gatewayBroker(let error):
      "\(OperatorFailure.broker(error))"
    case .broker(.timedOut(let text)):
      """
      RabbitMQ does not answer: \(text)
      It hangs or has too much to do: its log and `rabbitmqctl status` say more; start it anew if it \
      stays so.
      """
    case .broker(.disconnected(let text)):
      """
      RabbitMQ cannot be reached: \(text)
      Start it, or correct CUBIST_BROKER. \(OperatorFailure.ownServers)
      """
    case .broker(.notPermitted(let text)):
      """
      RabbitMQ does not let us in: \(text)
      `cubistd setup` makes the user of CUBIST_BROKER by way of CUBIST_BROKER_MANAGEMENT.
      """
    case .broker(.unroutable(let text)):
      "RabbitMQ lacks something: \(text)\nRun `cubistd setup`."
    case .broker(.refused(let text)), .broker(.unavailable(let text, _)):
      "RabbitMQ refuses: \(text)"
    case .management(let error):
      "RabbitMQ's management API: \(error)\nCUBIST_BROKER_MANAGEMENT says where it is."
    case .servers(let text):
      "The private servers do not run: \(text)"
    case .file(let path, let reason):
      "\(path): \(reason)"
    case .wrong(let text), .notFound(let text), .unreadable(let text):
      text
    case .interrupted:
      "Interrupted."
    }
  }
}

/// Calls a store, and makes an operator's failure of its error.
func onStore<Result>(
  _ body: @autoclosure () throws(StoreError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors(OperatorFailure.store, body)
}

/// The same for several statements.
func onStore<Result>(
  _ body: () throws(StoreError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors(OperatorFailure.store, body)
}

/// Reads the copy of the database that an option names.
func onCopy<Result>(
  _ body: () throws(OperatorFailure) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors(OperatorFailure.copy, body)
}

func onBroker<Result>(
  _ body: @autoclosure () throws(BusError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors(OperatorFailure.broker, body)
}

func onBroker<Result>(
  _ body: () throws(BusError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors(OperatorFailure.broker, body)
}

func onManagement<Result>(
  _ body: @autoclosure () throws(ManagementError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors(OperatorFailure.management, body)
}

func onManagement<Result>(
  _ body: () throws(ManagementError) -> Result
) throws(OperatorFailure) -> Result {
  try mapErrors(OperatorFailure.management, body)
}
