import BrokerManagement
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
      case .store(.unavailable), .databaseMissing, .databasePooled: true
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

  /// Whether roles only wait for the end of something that has a finding of its own.
  func followFromCause(_ roles: [ServiceStatus.Role]) -> Bool {
    roles.allSatisfy { role in
      guard let kind = RoleName(rawValue: role.sign.role) else { return false }
      switch ProvenCause(role.sign.problem ?? "", of: kind) {
      case .anotherDatabase: return servesAnother
      case .lock: return status?.locks.isEmpty == false
      case .room: return !alarms.isEmpty
      case .readers: return lacksReader
      case .brokerRights:
        return role.sign.problem?.contains(Interruption.busMark + "unroutable") == true
          && !(missingQueues.isEmpty && missingExchanges.isEmpty)
      default: return false
      }
    }
  }

  /// The failures that end the command with a status of their own. A management API that does not
  /// answer as it should is a finding: its part of the report is missing, and the service goes on. Who
  /// may not look there has to mend the settings.
  private var severeFailures: [OperatorFailure] {
    failures.filter { failure in
      switch failure {
      case .management(.notPermitted): true
      case .management: false
      default: true
      }
    }
  }

  /// Whether all servers answer that players need.
  var isServed: Bool {
    failures.allSatisfy { if case .management = $0 { true } else { false } }
  }

  /// Whether a finding says that no reader works.
  var lacksReader: Bool {
    status?.isThere(.reader) == false || living(.reader).contains { $0.sign.problem != nil }
  }

  /// How the command fails where a server did not answer.
  var failure: OperatorFailure? {
    guard let failure = severeFailures.first, let privateFolder, failure.exitCode == 69 else {
      return severeFailures.first
    }
    return .servers("`\(Finding.up(privateFolder))` starts them with the service")
  }
}
