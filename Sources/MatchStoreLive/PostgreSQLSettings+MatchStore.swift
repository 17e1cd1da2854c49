package import LibPQ

extension PostgreSQLSettings {
  /// The same settings for a connection that a store is made of: it states all that statements
  /// rely on, such as plans that stay as they are.
  ///
  /// Every statement of the stores is written for one plan, by index. Estimates of how many
  /// elements an array has, or of a partition that was empty a minute ago, must not turn it into a
  /// scan of a table.
  package func forMatchStore() -> PostgreSQLSettings {
    var settings = self
    settings.serverParameters.merge(SessionParameters.stated) { own, _ in own }
    return settings
  }

  /// The same settings for a process that may lead. One that stands still, or loses its machine,
  /// loses its session and the lead with it. It gives a sign of life every five seconds.
  package func forLeading(idleLimit: Duration = .seconds(20)) -> PostgreSQLSettings {
    var settings = self
    settings.serverParameters["idle_session_timeout"] = "\(idleLimit.components.seconds)s"
    return settings
  }
}
