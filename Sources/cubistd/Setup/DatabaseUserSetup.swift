import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive

/// The users of the database that have the rights of one role.
struct DatabaseUserSetup: Sendable {
  /// The owner of the database, who makes them.
  var owner: PostgreSQLSettings
  var users: [DatabaseUser: PostgreSQLSettings]
  /// Whether games are not kept for ever.
  var dropsGames: Bool

  init(_ settings: ServiceSettings) throws(OperatorFailure) {
    owner = try settings.databaseSettings()
    users = try settings.databaseUserSettings()
    dropsGames = settings.retention.games > 0
  }

  /// Makes users that are missing, sets a password that differs, and gives each exactly its rights.
  /// - Parameter report: Hears of each change once it is done.
  func run(report: (SetupLine) -> Void) throws(OperatorFailure) {
    guard !users.isEmpty else { return }
    let names = try names()
    let connection = try Wiring.open(owner, as: "cubistd setup")
    defer { connection.close() }
    for (user, name) in names.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let settings = users[user], isLockedOut(settings) else { continue }
      do throws(StoreError) {
        let isNew = try DatabaseRights.make(name, password: settings.password, connection)
        report(
          .change(
            isNew
              ? "the database's user \(name) made"
              : "the database's user \(name) has the password of \(SettingName(of: user).rawValue)")
        )
      } catch {
        throw .wrong(
          "\(SettingName(of: user).rawValue): the user \(name) cannot be made, or given its "
            + "password: \(error). Do it as an administrator, with CREATE ROLE \(name) LOGIN "
            + "PASSWORD '…', and run `cubistd setup` again")
      }
    }
    try grant(names, connection, report: report)
    if let problem = try schemaProblem(connection) { report(.note(problem)) }
  }

  private func grant(
    _ names: [DatabaseUser: String], _ connection: PostgreSQLConnection,
    report: (SetupLine) -> Void
  ) throws(OperatorFailure) {
    try onStore { () throws(StoreError) in
      let wasOpen = try DatabaseRights.letsEverybodyCreate(connection)
      let differences = try DatabaseRights.differences(names, dropsGames: dropsGames, connection)
      try DatabaseRights.grant(names, dropsGames: dropsGames, connection)
      for user in differences.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
        report(
          .change(
            "the database's user \(names[user] ?? "") has exactly the rights of \(user.rawValue)"))
      }
      if wasOpen, try !DatabaseRights.letsEverybodyCreate(connection) {
        report(.change("not every user may make functions in the schema public any more"))
      }
    }
  }

  /// Users that cannot log in or whose rights are not exactly those of their roles, and a right that
  /// each of them has besides its own, a sentence each.
  func problems() throws(OperatorFailure) -> [String] {
    guard !users.isEmpty else { return [] }
    let names = try names()
    let lockedOut = names.sorted { $0.key.rawValue < $1.key.rawValue }
      .compactMap { user, name -> String? in
        guard let settings = users[user], isLockedOut(settings) else { return nil }
        return "\(SettingName(of: user).rawValue): the database does not let \(name) in"
      }
    let connection = try Wiring.open(owner, as: "cubistd setup")
    defer { connection.close() }
    return lockedOut + (try wrongRights(names, connection))
      + (try schemaProblem(connection).map { [$0] } ?? [])
  }

  private func wrongRights(
    _ names: [DatabaseUser: String], _ connection: PostgreSQLConnection
  ) throws(OperatorFailure) -> [String] {
    // Without its tables the database has no rights on them; their absence is named elsewhere.
    guard try onStore(try Schema.version(of: connection)) == Schema.requiredVersion else {
      return []
    }
    let differences = try onStore(
      try DatabaseRights.differences(names, dropsGames: dropsGames, connection))
    return differences.sorted { $0.key.rawValue < $1.key.rawValue }.map { user, difference in
      let said = [("lacks", difference.missing), ("should not have", difference.superfluous)]
        .filter { !$0.1.isEmpty }.map { "\($0) \(DatabaseUserSetup.listed($1))" }
      return "\(SettingName(of: user).rawValue): the user \(names[user] ?? "") "
        + "\(said.joined(separator: " and ")): run cubistd setup, which gives it the rights of "
        + user.rawValue
    }
  }

  /// A few of some rights, and how many more there are.
  private static func listed(_ rights: [String]) -> String {
    let shown = rights.prefix(3)
    let more = rights.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private func schemaProblem(
    _ connection: PostgreSQLConnection
  ) throws(OperatorFailure) -> String? {
    guard try onStore(try DatabaseRights.letsEverybodyCreate(connection)) else { return nil }
    return "every user of the database may make functions in its schema public, which "
      + "CUBIST_DATABASE's user might then call: an administrator of PostgreSQL runs REVOKE CREATE "
      + "ON SCHEMA public FROM PUBLIC in this database"
  }

  /// The users' names. Each is one user's, and none is the owner's, who may do everything.
  private func names() throws(OperatorFailure) -> [DatabaseUser: String] {
    var names: [DatabaseUser: String] = [:]
    var settings: [String: SettingName] = [:]
    if let owner = owner.user { settings[owner] = .database }
    for (user, own) in users.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let setting = SettingName(of: user)
      guard let name = own.user, !name.isEmpty else {
        throw .settings(["\(setting.rawValue) names no user; for example: \(setting.example)"])
      }
      if let other = settings.updateValue(setting, forKey: name) {
        throw .settings([
          "\(other.rawValue) and \(setting.rawValue): both name the user \(name); each needs a user "
            + "of its own"
        ])
      }
      names[user] = name
    }
    return names
  }

  private func isLockedOut(_ settings: PostgreSQLSettings) -> Bool {
    var settings = settings
    settings.targetSessionAttributes = .any
    do throws(OperatorFailure) {
      try Wiring.open(settings, as: "cubistd setup").close()
      return false
    } catch {
      if case .databaseRefuses = error { return true }
      return false
    }
  }
}
