package import EventBusLive
import MatchWire

extension Topology {
  /// The former queues that nothing is in and that nothing can come to, as far as the broker's
  /// statistics tell, in an order in which they may be deleted.
  ///
  /// One of events has no slot and no consumer: workers of this build leave it when it is drained.
  /// While there is one left, workers of the former build may run, and the queues of push jobs and
  /// dead letters stay.
  ///
  /// - Parameters:
  ///   - reports: The contents of all queues.
  ///   - bindings: Which slots lead where.
  package func removableFormer(
    among reports: [BrokerAdministration.QueueReport], bindings: [EventBinding]
  ) -> [String] {
    let bound = Set(bindings.filter(\.isFormer).map { names.formerEvents(queue: $0.queue) })
    let former = reports.filter { names.isFormer($0.name) }
    let events = former.filter { names.formerIndex(of: $0.name) != nil }
    let unused = events.filter {
      $0.total == 0 && $0.consumers == 0 && !bound.contains($0.name)
    }
    guard unused.count == events.count else { return unused.map(\.name) }
    let others = former.filter { names.formerIndex(of: $0.name) == nil }
    // A job that waits to be tried again comes back to another of them.
    guard others.allSatisfy({ $0.total == 0 }) else { return unused.map(\.name) }
    // Workers know by the queue of dead letters that there are others.
    return unused.map(\.name) + others.map(\.name).filter { $0 != names.formerDead }
      + others.map(\.name).filter { $0 == names.formerDead }
  }
}
