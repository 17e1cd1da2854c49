extension Finding {
  /// The same with a command that fits a service of `cubistd up`. Its servers are no units of the
  /// machine, and commands find them by the settings in its folder.
  func fitting(privateFolder path: String) -> Finding {
    let isPlain = path.wholeMatch(of: /[A-Za-z0-9\/._-]+/) != nil
    let folder = isPlain ? path : "'" + path.replacing("'", with: #"'\''"#) + "'"
    let up = "cubistd up --folder \(folder)"
    var finding = self
    switch command.split(separator: " ").first {
    case "cubistd":
      finding.ownCommand = "CUBIST_CONFIG=\(folder)/cubistd.conf \(command)"
    case "psql":
      finding.ownCommand =
        "psql \"$(sed -n 's/^CUBIST_DATABASE=//p' \(folder)/cubistd.conf)\""
        + command.dropFirst("psql".count)
    case "systemctl", "createdb", "rabbitmq-plugins":
      finding.ownCommand = up
      finding.remedy =
        "start the service again: `\(up)`; the logs of its servers are below \(folder)/servers"
    case "rabbitmqctl", "rabbitmq-diagnostics":
      finding.ownCommand = "less \(folder)/servers/data/rabbitmq/log/*"
    case "journalctl": finding.ownCommand = "less \(folder)/cubistd.log"
    default: break
    }
    return finding
  }
}
