package import MatchWire

/// The most that the broker's queues hold. Beyond it they refuse messages and lose none.
package struct QueueCapacity: Hashable, Sendable {
  /// The capacity of one queue.
  package struct Length: Hashable, Sendable {
    package var messages: Int
    package var megabytes: Int

    package static let messageRange = 100...10_000_000
    package static let megabyteRange = 1...100_000
  }

  /// Each queue of events.
  package var events = Length(messages: 50_000, megabytes: 128)
  /// The queue of players' queries, and that of gateways' own questions.
  package var queries = Length(messages: 10_000, megabytes: 16)
  /// The queue of push jobs, and each queue where they wait to be tried again.
  package var jobs = Length(messages: 200_000, megabytes: 256)

  package static let standard = QueueCapacity()

  package init() {}

  /// The capacity of one of the service's own queues; nil of any other.
  package func length(of queue: String, _ names: Names = Names()) -> Length? {
    switch names.content(of: queue) {
    case .events: events
    case .queries: queries
    case .jobs: jobs
    case nil: nil
    }
  }
}

/// The messages of a queue.
package enum QueueContent: Hashable, Sendable {
  case events
  /// Players' queries, or gateways' own questions.
  case queries
  /// Push jobs, also those that wait to be tried again.
  case jobs
}

extension Names {
  /// The content of one of the service's own queues; nil of any other.
  package func content(of queue: String) -> QueueContent? {
    if index(of: queue) != nil { return .events }
    if [queries, gatewayQueries].contains(queue) { return .queries }
    return queue == push || queue.hasPrefix("\(push).retry.") ? .jobs : nil
  }
}
