/// When to look at which connection again: a binary heap, the earliest first.
struct Alarms {
  struct Alarm {
    var at: UInt64
    var connection: UInt64
  }

  private var heap: [Alarm] = []

  /// The time of the earliest one.
  var next: UInt64? { heap.first?.at }

  mutating func set(_ alarm: Alarm) {
    heap.append(alarm)
    var child = heap.count - 1
    while child > 0, heap[child].at < heap[(child - 1) / 2].at {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the earliest one, if its time has come.
  mutating func take(at now: UInt64) -> Alarm? {
    guard let first = heap.first, first.at <= now, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while 2 * parent + 1 < heap.count {
      let children = (2 * parent + 1)..<min(2 * parent + 3, heap.count)
      guard let least = children.min(by: { heap[$0].at < heap[$1].at }),
        heap[least].at < heap[parent].at
      else { return first }
      heap.swapAt(least, parent)
      parent = least
    }
    return first
  }
}
