import Foundation
package import Testing

/// Runs every job of a task on a thread of its own. A job that blocks, in a C library or in a
/// waiting player, must not hold one of the few threads that Swift shares among all tests.
final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    thread.stackSize = 8 * 1_024 * 1_024
    thread.start()
  }
}

/// Runs blocking work, and the child tasks that it starts, on threads of their own.
@concurrent
package func onThreads<Result: Sendable>(
  _ body: @Sendable () async throws -> Result
) async throws -> Result {
  try await withTaskExecutorPreference(ThreadExecutor.shared) {
    // A task takes a preference up when it is enqueued again, not before.
    await Task.yield()
    return try await body()
  }
}

/// Runs each test of a suite on a thread of its own, with everything that it waits for.
package struct OwnThreads: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await onThreads { try await failingIfItHangs(function) }
  }
}

extension Trait where Self == OwnThreads {
  /// Tests that block wait on threads of their own.
  package static var ownThreads: Self { OwnThreads() }
}
