import BrokerManagement
import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

/// The work of the administrators of PostgreSQL and RabbitMQ, before `cubistd setup` can do the
/// rest.
struct InitialAdvice: Sendable {
  /// The file with the passwords.
  var file: String
  var database: PostgreSQLSettings
  /// The user that PostgreSQL takes this process for, if the settings name none.
  var systemUser: String
  var service: BrokerAccount
  var players: BrokerAccount?
  var gateway: BrokerAccount?
  var layout = QueueLayout.standard

  /// The lines for PostgreSQL after a check; none where it lets the service in.
  func lines(onDatabase failure: OperatorFailure?) -> [String] {
    guard let failure else { return [] }
    let user = database.user ?? systemUser
    let name = database.database ?? user
    let createDatabase =
      "CREATE DATABASE \(DatabaseRights.quoted(name)) OWNER \(DatabaseRights.quoted(user));"
    switch failure {
    case .databaseRefuses:
      let hasPassword = database.password != nil
      return ["\(failure)", "", "Its administrator runs these lines in psql:", ""]
        + ["  CREATE ROLE \(DatabaseRights.quoted(user)) LOGIN CREATEROLE;"]
        + (hasPassword ? ["  \\password \(DatabaseRights.quoted(user))"] : [])
        + ["  \(createDatabase)", ""]
        + [
          "With CREATEROLE setup makes a user for each role. After it, ALTER ROLE "
            + "\(DatabaseRights.quoted(user)) NOCREATEROLE takes that right away again."
        ]
        + (hasPassword
          ? ["The password is that of \(SettingName.database.rawValue) in \(file)."]
          : ["pg_hba.conf has to let \(user) in without a password: `local all all peer` does."])
    case .databaseMissing:
      return ["\(failure)", "", "Its administrator runs this line in psql:", ""]
        + ["  \(createDatabase)"]
    default: return ["\(failure)"]
    }
  }

  /// The lines for RabbitMQ after a check; none where it lets the service in.
  func lines(onBroker failure: OperatorFailure?) -> [String] {
    guard let failure else { return [] }
    guard case .broker(.notPermitted) = failure else { return ["\(failure)"] }
    return ["\(failure)", ""] + brokerLines
  }

  /// The lines for the management API after a check; none where it lets an administrator in.
  ///
  /// - Parameter user: The user of the settings.
  func lines(onManagement failure: OperatorFailure?, user: String) -> [String] {
    guard let failure else { return [] }
    guard case .management(.notPermitted) = failure else { return ["\(failure)"] }
    return [
      "\(failure)", "", "RabbitMQ's administrator runs these lines:", "",
      "  " + AdministratorLines.addUser(user), "  " + AdministratorLines.administrator(user), "",
      "add_user asks for a password: that of \(SettingName.brokerManagement.rawValue) in \(file). Then "
        + "this command makes all else at the broker.",
    ]
  }

  /// The lines that give all users of the broker their rights.
  var brokerLines: [String] {
    let host = service.virtualHost
    var lines = [AdministratorLines.virtualHost(host)]
    lines += AdministratorLines.user(
      service.user, .service(queueCount: layout.queueCount), in: host)
    if let players { lines += AdministratorLines.user(players.user, .player(), in: host) }
    if let gateway {
      lines += AdministratorLines.user(gateway.user, .gateway(), in: host)
      lines.append(AdministratorLines.gatewayPolicy(in: host))
    }
    return ["RabbitMQ's administrator runs these lines:", ""] + lines.map { "  \($0)" }
      + [
        "",
        "add_user asks for a password: that user's in \(file). A user that exists keeps its own; "
          + "`rabbitmqctl change_password` changes it.",
        "Or set \(SettingName.brokerManagement.rawValue) there, and no line is needed.",
      ]
  }
}
