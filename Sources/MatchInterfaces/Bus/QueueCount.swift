/// The broker's own count of a queue, without the management API.
package struct QueueCount: Hashable, Sendable {
  package var name: String
  /// Messages that wait.
  package var ready: Int
  /// Consumers, without those on standby.
  package var consumers: Int

  package init(name: String, ready: Int, consumers: Int) {
    self.name = name
    self.ready = ready
    self.consumers = consumers
  }
}
