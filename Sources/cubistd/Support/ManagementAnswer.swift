/// The answer of RabbitMQ's management API to a question of a report.
enum ManagementAnswer<Value: Sendable & Equatable>: Sendable, Equatable {
  /// The settings name no such API.
  case unset
  case unanswered
  case told(Value)

  var value: Value? { if case .told(let value) = self { value } else { nil } }

  /// Why there is no value, for a person; nil where there is one.
  var absence: String? {
    switch self {
    case .unset: "CUBIST_BROKER_MANAGEMENT is not set"
    case .unanswered: "RabbitMQ's management API could not be asked"
    case .told: nil
    }
  }
}
