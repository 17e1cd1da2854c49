import Synchronization

/// The first few of some values that anybody can make up, such as those that the log names once.
final class FirstOnes<Value: Hashable & Sendable>: Sendable {
  private let known = Mutex<Set<Value>>([])
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Whether a value is new, and one of the first. It is not new again.
  func isNew(_ value: Value) -> Bool {
    known.withLock { $0.count < limit && $0.insert(value).inserted }
  }
}
