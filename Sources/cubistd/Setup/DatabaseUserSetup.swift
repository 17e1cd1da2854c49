import LibPQ
import MatchInterfaces
import MatchService
import MatchStoreLive

/// The users of the database that have the rights of one role, and what thieves have left for them
/// and for the owner.
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

  /// Makes users that are missing, sets a password that differs, takes settings away that the
  /// service does not bear, the owner's among them, and gives each exactly its rights.
  /// - Parameter report: Hears of each change once it is done, and of the rest to know.
  /// - Returns: What only an administrator of the database can do, about all users at once; the rest
  ///   is done.
  @discardableResult
  func run(report: (SetupLine) -> Void) throws(OperatorFailure) -> OperatorFailure? {
    var names = try names()
    let connection = try Wiring.open(owner, as: "cubistd setup")
    defer { connection.close() }
    var undone: [Undone] = []
    for (user, name) in names.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let isThere = try onStore(try DatabaseRights.exists(name, connection))
      guard let settings = users[user], !isThere || isLockedOut(settings) else { continue }
      do throws(StoreError) {
        let isNew = try DatabaseRights.make(name, password: settings.password, connection)
        report(
          .change(
            isNew
              ? "the database's user \(name) made"
              : "the database's user \(name) has the password of \(SettingName(of: user).rawValue)")
        )
      } catch {
        undone.append(
          Undone(setting: SettingName(of: user), name: name, isThere: isThere, reason: "\(error)"))
        if !isThere { names[user] = nil }
      }
    }
    try removeSettings(names, connection, report: report)
    if !users.isEmpty {
      try grant(names, connection, report: report)
      if let problem = try schemaProblem(connection) { report(.note(problem)) }
    }
    for line in try advice(names, connection) { report(.note(line)) }
    return Undone.failure(undone, owner: owner.user)
  }

  private func removeSettings(
    _ names: [DatabaseUser: String], _ connection: PostgreSQLConnection,
    report: (SetupLine) -> Void
  ) throws(OperatorFailure) {
    let settings = try onStore(try SessionParameters.settings(of: names.values, connection))
    for setting in settings where setting.isRelied {
      do throws(StoreError) {
        try SessionParameters.remove(setting, connection)
        report(.change("\(setting.owner) has no longer \(setting.text)"))
      } catch {
        if case .unavailable = error { throw .store(error) }
        report(
          .note(
            "\(setting.owner) has \(setting.text), which cannot be taken away: \(error). An "
              + "administrator of PostgreSQL runs \(setting.shownRemoval) in this database"))
      }
    }
  }

  /// A user that the owner may not make, or give a password.
  private struct Undone {
    var setting: SettingName
    var name: String
    var isThere: Bool
    var reason: String

    /// What is undone, and the administrator's lines for all of it.
    static func failure(_ undone: [Undone], owner: String?) -> OperatorFailure? {
      guard let first = undone.first else { return nil }
      let owner = DatabaseRights.quoted(owner ?? "OWNER")
      let lines = undone.flatMap { user in
        let name = DatabaseRights.quoted(user.name)
        return [
          user.isThere ? "  ALTER ROLE \(name) LOGIN;" : "  CREATE ROLE \(name) LOGIN;",
          "  \\password \(name)", "  GRANT \(name) TO \(owner);",
        ]
      }
      let who = undone.map { user in
        "\(user.setting.rawValue): the user \(user.name) "
          + (user.isThere ? "cannot be given its password" : "cannot be made")
      }
      return .wrong(
        (who
          + [
            "PostgreSQL says: \(first.reason)",
            "Its administrator runs these lines in psql; each asks for the password of the setting:",
          ] + lines
          + [
            "Then run `cubistd setup` again. All the rest is done. Or let the owner do it: ALTER ROLE "
              + "\(owner) CREATEROLE;"
          ]).joined(separator: "\n"))
    }
  }

  private func grant(
    _ names: [DatabaseUser: String], _ connection: PostgreSQLConnection,
    report: (SetupLine) -> Void
  ) throws(OperatorFailure) {
    try onStore { () throws(StoreError) in
      let wasOpen = try DatabaseRights.letsEverybodyCreate(connection)
      let madeObjects = try DatabaseRights.objectRemedy(connection) != nil
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
      if madeObjects, try DatabaseRights.objectRemedy(connection) == nil {
        report(.change("not every user may make large objects any more"))
      }
    }
  }

  /// Users that cannot log in, that have settings of their own which the service does not bear, or
  /// whose rights are not exactly those of their roles, and a right that each of them has besides its
  /// own, a sentence each. The owner's settings are among them.
  func problems() throws(OperatorFailure) -> [String] {
    let names = try names()
    let lockedOut = names.sorted { $0.key.rawValue < $1.key.rawValue }
      .compactMap { user, name -> String? in
        guard let settings = users[user], isLockedOut(settings) else { return nil }
        return "\(SettingName(of: user).rawValue): the database does not let \(name) in"
      }
    let connection = try Wiring.open(owner, as: "cubistd setup")
    defer { connection.close() }
    let settings = try onStore(try SessionParameters.settings(of: names.values, connection))
    let relied = settings.filter(\.isRelied).map {
      "\($0.owner) has \($0.text): run cubistd setup, which takes it away"
    }
    guard !users.isEmpty else { return relied }
    return lockedOut + relied + (try wrongRights(names, connection))
      + (try schemaProblem(connection).map { [$0] } ?? [])
  }

  /// What an administrator may want to do, a sentence each: everything works without it.
  func advice() throws(OperatorFailure) -> [String] {
    let names = try names()
    let connection = try Wiring.open(owner, as: "cubistd setup")
    defer { connection.close() }
    return try advice(names, connection)
  }

  private func advice(
    _ names: [DatabaseUser: String], _ connection: PostgreSQLConnection
  ) throws(OperatorFailure) -> [String] {
    try onStore { () throws(StoreError) in
      var lines = try SessionParameters.settings(of: names.values, connection)
        .filter { !$0.isRelied }.map {
          "\($0.owner) has \($0.text), which the service does not ask for: if nobody else does, run "
            + $0.shownRemoval
        }
      lines += try DatabaseRights.traces(of: names.values, connection).map(\.advice)
      lines += try DatabaseRights.unseen(names.values, connection).map { name in
        "\(PlainText.oneLine(owner.user ?? "the owner")) does not see what sessions of "
          + "\(PlainText.oneLine(name)) do, so `cubistd status` names no statement of theirs and ends "
          + "none: an administrator of PostgreSQL runs "
          + PlainText.oneLine(
            "GRANT \(DatabaseRights.quoted(name)) TO \(DatabaseRights.quoted(owner.user ?? "OWNER"))"
          )
      }
      if !users.isEmpty, let remedy = try DatabaseRights.objectRemedy(connection) {
        lines.append(
          "every user of the database may make large objects, which fill the disk and stay: a "
            + "superuser of PostgreSQL runs \(remedy) in this database")
      }
      return lines
    }
  }

  private func wrongRights(
    _ names: [DatabaseUser: String], _ connection: PostgreSQLConnection
  ) throws(OperatorFailure) -> [String] {
    // Without its tables the database has no rights on them; their absence is named elsewhere.
    guard try onStore(try Schema.version(of: connection)) == Schema.requiredVersion else {
      return []
    }
    // Whoever does not own tables changes no rights on them, without an error.
    guard try onStore(try DatabaseRights.ownsTables(connection)) else {
      return [
        "the rights of the database's users cannot be compared: user \(owner.user ?? "of this process") "
          + "of \(SettingName.database.rawValue) does not own its tables"
      ]
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

extension SessionParameters.Setting {
  /// Whose it is, as the beginning of a sentence.
  var owner: String { "the database's user \(PlainText.oneLine(user))" }

  /// The setting; its value is anybody's who had the user's password.
  var text: String {
    "the setting \(PlainText.oneLine(parameter)) = \(PlainText.oneLine(value)) of its own"
      + (database == nil ? "" : " in this database")
  }

  var shownRemoval: String { PlainText.oneLine(removal) }
}

extension DatabaseRights.Trace {
  /// Large objects, as a sentence says it.
  static func amount(of count: Int) -> String {
    (count < DatabaseRights.mostObjects ? "" : "at least ") + PlainText.count(count, "large object")
  }

  /// What to do about it.
  fileprivate var advice: String {
    switch self {
    case .largeObjects(let user, let count):
      // Each one that is deleted takes a lock until the end of the transaction.
      "the database's user \(PlainText.oneLine(user)) has \(Self.amount(of: count)), of which the "
        + "service has none: as a superuser, SELECT lo_unlink(oid) FROM (SELECT oid FROM "
        + "pg_largeobject_metadata WHERE lomowner = "
        + PlainText.oneLine("'\(DatabaseRights.quoted(user).replacing("'", with: "''"))'")
        + "::regrole LIMIT 1000) AS o deletes a thousand"
    case .member(let member, let user):
      "the database's user \(PlainText.oneLine(member)) has the rights of \(PlainText.oneLine(user)), "
        + "whatever their passwords are: if nobody needs that, run "
        + PlainText.oneLine(
          "REVOKE \(DatabaseRights.quoted(user)) FROM \(DatabaseRights.quoted(member))")
    }
  }
}
