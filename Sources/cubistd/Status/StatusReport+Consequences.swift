import MatchInterfaces
import MatchService

// A server that is away is told once. What follows from that is no finding of its own: it would hide
// the cause, and its command would mend nothing.
extension StatusReport {
  /// Whether RabbitMQ is away: roles wait for it, clocks stand still, and push jobs wait.
  var lacksBroker: Bool {
    failures.contains { failure in
      switch failure {
      case .broker(.unroutable): false
      case .broker: true
      default: false
      }
    }
  }

  /// Whether PostgreSQL is away: workers take no events meanwhile.
  var lacksDatabase: Bool {
    failures.contains { failure in
      switch failure {
      case .store(.unavailable), .databaseMissing: true
      default: false
      }
    }
  }

  /// Whether the database takes no writes, so that no role can give a sign of life there.
  var isReadOnly: Bool {
    failures.contains { if case .databaseReadOnly = $0 { true } else { false } }
  }

  /// Whether roles only wait for a server that is away.
  func waitForServer(_ roles: [ServiceStatus.Role]) -> Bool {
    lacksBroker
      && roles.allSatisfy { $0.sign.problem?.hasPrefix(Interruption.busMark) == true }
  }

  /// How the command fails where a server did not answer.
  var failure: OperatorFailure? {
    guard let failure = failures.first, let privateFolder, failure.exitCode == 69 else {
      return failures.first
    }
    return .servers("`\(Finding.up(privateFolder))` starts them with the service")
  }
}
