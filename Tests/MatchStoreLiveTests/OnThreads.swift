import Foundation
import Synchronization

/// Runs blocking work side by side on threads that are not those of Swift's tasks.
enum OnThreads {
  /// The results of `count` runs of `body`, in their order.
  ///
  /// Every run has a thread at once: one may wait for another one. `concurrentPerform` does not
  /// promise that, and waited for ever on a busy machine.
  static func run<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    let results = Mutex<[Int: Result<Value, any Error>]>([:])
    let ended = DispatchSemaphore(value: 0)
    for index in 0..<count {
      Thread.detachNewThread {
        let result = Result { try body(index) }
        results.withLock { $0[index] = result }
        ended.signal()
      }
    }
    for _ in 0..<count { ended.wait() }
    return results.withLock { results in (0..<count).compactMap { results[$0] } }
  }
}
