import Dispatch
import Synchronization

/// Runs blocking work side by side on threads that are not those of Swift's tasks.
enum OnThreads {
  /// The results of `count` runs of `body`, in their order.
  static func run<Value: Sendable>(
    _ count: Int, _ body: @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    let results = Mutex<[Int: Result<Value, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = Result { try body(index) }
      results.withLock { $0[index] = result }
    }
    return results.withLock { results in (0..<count).compactMap { results[$0] } }
  }
}
