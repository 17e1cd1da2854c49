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
}
