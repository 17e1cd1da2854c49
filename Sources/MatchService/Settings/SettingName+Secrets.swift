extension SettingName {
  /// Whether a value of the setting holds a secret: a password within a URL or a connection string,
  /// or a secret that signs.
  package func holdsSecret(_ value: String) -> Bool {
    switch self {
    case .pushWebhookSecret: return !value.isEmpty
    case .database, .broker, .brokerManagement, .playerBroker, .gatewayBroker:
      guard !value.lowercased().contains("password") else { return true }
      guard let scheme = value.firstRange(of: "://") else { return false }
      // A password may hold an unescaped slash: everything up to the last @ is looked at.
      let rest = value[scheme.upperBound...]
      return rest.lastIndex(of: "@").map { rest[..<$0].contains(":") } ?? false
    default: return false
    }
  }
}
