package import MatchWire

/// A slot of the event exchange and a queue that it leads to.
package struct EventBinding: Hashable, Sendable, CustomStringConvertible {
  package var slot: Slot
  package var queue: Int
  /// Whether it is the queue by which former builds served these slots.
  package var isFormer: Bool

  package init(slot: Slot, queue: Int, isFormer: Bool = false) {
    self.slot = slot
    self.queue = queue
    self.isFormer = isFormer
  }

  /// The slot and the queue by their numbers.
  package var description: String {
    "slot \(slot) to \(isFormer ? "former queue" : "queue") \(queue)"
  }

  /// The bindings of a layout, in the order of the slots.
  package static func all(of layout: QueueLayout) -> [EventBinding] {
    (0..<layout.queueCount).flatMap { queue in
      layout.slots(of: queue).map { EventBinding(slot: $0, queue: queue) }
    }.sorted { $0.slot < $1.slot }
  }

  /// The bindings that a former layout has and the present one must not have.
  package static func stale(of former: QueueLayout, under present: QueueLayout) -> [EventBinding] {
    all(of: former).filter { present.queue(of: $0.slot) != $0.queue }
  }
}
