extension Finding {
  /// The same with a command that fits a service of `cubistd up`. Its servers are no units of the
  /// machine, and commands find them by the settings in its folder.
  func fitting(privateFolder path: String) -> Finding {
    let folder = Finding.quoted(path)
    let up = Finding.up(path)
    var finding = self
    switch command.split(separator: " ").first {
    case "cubistd":
      finding.ownCommand = "CUBIST_CONFIG=\(folder)/cubistd.conf \(command)"
    case "psql", "sudo":
      // The folder's own user of the database owns its server.
      let former = command.hasPrefix(Finding.psql) ? Finding.psql : Finding.sudo
      finding.ownCommand =
        "psql \"$(sed -n 's/^CUBIST_DATABASE=//p' \(folder)/cubistd.conf)\""
        + command.dropFirst(former.count)
    case "systemctl", "createdb", "rabbitmq-plugins":
      finding.ownCommand = up
      finding.remedy =
        "`cubistd up` starts its servers again while it runs, and says so; otherwise start it: "
        + "`\(up)`; the logs of its servers are below \(folder)/servers"
    case "rabbitmqctl", "rabbitmq-diagnostics":
      finding.ownCommand = "less \(folder)/servers/data/rabbitmq/log/*"
    case "openssl":
      finding.ownCommand = "openssl x509 -noout -enddate -in \(folder)/servers/ca.pem"
    case "journalctl": finding.ownCommand = "less \(folder)/cubistd.log"
    default: break
    }
    return finding
  }

  /// The command that starts the service of a folder.
  static func up(_ path: String) -> String { "cubistd up --folder \(quoted(path))" }

  private static func quoted(_ path: String) -> String {
    let isPlain = path.wholeMatch(of: /[A-Za-z0-9\/._-]+/) != nil
    return isPlain ? path : "'" + path.replacing("'", with: #"'\''"#) + "'"
  }
}
