/// Something that an operator should look at.
struct Finding: Equatable, Sendable {
  /// What programs know it by.
  var name: String
  /// What is wrong, and what comes of it, as far as that is known.
  var cause: String
  /// What helps, with the command.
  var remedy: String

  init(_ name: String, _ cause: String, _ remedy: String) {
    self.name = name
    self.cause = cause
    self.remedy = remedy
  }

  /// Both for a person, on one line.
  var sentence: String { "\(cause): \(remedy)" }
}

extension Finding {
  /// A server that did not answer.
  init(_ failure: OperatorFailure) {
    let name =
      switch failure {
      case .store: "databaseUnanswered"
      case .broker: "brokerUnanswered"
      case .management: "managementUnanswered"
      default: "unanswered"
      }
    let lines = failure.description.split(separator: "\n").map(String.init)
    self.init(
      name, PlainText.oneLine(lines.first ?? ""),
      lines.count > 1 ? lines.dropFirst().joined(separator: " ") : "see docs/operating.md")
  }
}
