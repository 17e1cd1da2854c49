/// A table that never holds more than it may. The entries that were used least lately go first.
///
/// It has a young and an old half. When the young half is full it becomes the old one, and the old
/// one is forgotten. So every step takes the same time, no matter who sends what.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]
  private let half: Int

  /// A table of `capacity` entries at most.
  init(capacity: Int) { half = max(1, capacity / 2) }

  var count: Int { young.count + old.count }

  /// An entry. Setting it makes it young.
  subscript(key: Key) -> Value? {
    get { young[key] ?? old[key] }
    set {
      old[key] = nil
      if let newValue, young[key] == nil, young.count >= half {
        (old, young) = (young, [key: newValue])
      } else {
        young[key] = newValue
      }
    }
  }
}
