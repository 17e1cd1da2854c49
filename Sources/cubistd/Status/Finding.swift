import MatchInterfaces

/// A trouble that an operator should look at.
struct Finding: Equatable, Sendable {
  /// The name that programs know it by.
  var name: String
  /// The trouble, and its consequence as far as that is known.
  var cause: String
  /// The remedy, with the command.
  var remedy: String
  /// The command to begin with, where it is not that of its name.
  var ownCommand: String?
  /// How bad it is, where that is not told by its name.
  var ownSeverity: Severity?

  init(
    _ name: String, _ cause: String, _ remedy: String, command: String? = nil,
    severity: Severity? = nil
  ) {
    self.name = name
    self.cause = cause
    self.remedy = remedy
    ownCommand = command
    ownSeverity = severity
  }

  /// Both for a person, on one line.
  var sentence: String {
    // A server's own words may end with a mark.
    cause.last.map { ".?!:".contains($0) } == true
      ? "\(cause) \(remedy.prefix(1).uppercased())\(remedy.dropFirst())" : "\(cause): \(remedy)"
  }

  /// The same after the name, by which docs/operating.md lists it.
  var line: String { "[\(name)] \(sentence)" }
}

extension Finding {
  /// A server that did not answer.
  init(_ failure: OperatorFailure) {
    let name =
      switch failure {
      case .store, .databaseRefuses: "databaseUnanswered"
      case .databaseMissing: "databaseMissing"
      case .databasePooled: "databasePooled"
      case .databaseReadOnly: "databaseReadOnly"
      case .broker, .gatewayBroker: "brokerUnanswered"
      case .management: "managementUnanswered"
      default: "unanswered"
      }
    let lines = failure.description.split(separator: "\n").map(String.init)
    let remedy =
      lines.count > 1 ? lines.dropFirst().joined(separator: " ") : "see docs/operating.md"
    let isAway =
      switch failure {
      case .store(.unavailable), .broker(.disconnected), .broker(.timedOut): true
      default: false
      }
    let words = PlainText.oneLine(lines.first ?? "")
    // The server runs, and refuses user or password.
    let isRefusal = failure.exitCode == 77
    let proven = isRefusal ? nil : ProvenCause(words: words)
    let next = proven?.remedy ?? remedy
    let end = next.hasSuffix(".") ? "" : "."
    self.init(
      name, proven?.said(words) ?? words,
      isAway ? "\(next)\(end) Roles that wait for it go on by themselves." : next,
      command: isRefusal ? "cubistd setup --check" : proven?.command(words))
  }
}
