package import MatchInterfaces

extension SettingName {
  /// Whether a value of the setting holds a secret: a password within a URL or a connection string,
  /// or a secret that signs.
  package func holdsSecret(_ value: String) -> Bool {
    switch exampleByKind {
    case .open: return false
    case .secret: return !value.isEmpty
    case .address:
      guard !value.lowercased().contains("password") else { return true }
      guard let scheme = value.firstRange(of: "://") else { return false }
      // A password may hold an unescaped slash: everything up to the last @ is looked at.
      let rest = value[scheme.upperBound...]
      return rest.lastIndex(of: "@").map { rest[..<$0].contains(":") } ?? false
    }
  }
}

extension SettingName {
  /// How a user of the database reaches it.
  package init(of user: DatabaseUser) {
    self =
      switch user {
      case .worker: .workerDatabase
      case .scheduler: .schedulerDatabase
      case .steward: .stewardDatabase
      case .housekeeper: .housekeeperDatabase
      case .relay: .relayDatabase
      case .reader: .readerDatabase
      case .push: .pushDatabase
      case .rater: .raterDatabase
      case .lookout: .lookoutDatabase
      }
  }
}

extension RoleName {
  /// The users of the database that a role and those that run beside it have.
  package var databaseUsers: [DatabaseUser] {
    switch self {
    case .worker: [.worker]
    case .scheduler: [.scheduler, .steward, .housekeeper]
    case .steward: [.steward]
    case .relay: [.relay]
    case .reader: [.reader]
    case .push: [.push]
    case .rater: [.rater]
    case .gateway: []
    }
  }
}
