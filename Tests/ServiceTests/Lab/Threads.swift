import Foundation
import RealServers
import Synchronization

/// Runs every job of a task on a thread of its own: what blocks in a C library, or in a player who
/// waits, must not hold one of the few threads that Swift shares among all tests.
final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    thread.stackSize = 8 * 1_024 * 1_024
    thread.start()
  }
}

/// Does something that blocks, and whatever it does at once in child tasks, on threads of their
/// own.
@concurrent
func onThreads<Result: Sendable>(
  _ body: @Sendable () async throws -> Result
) async throws -> Result {
  try await withTaskExecutorPreference(ThreadExecutor.shared) {
    // A task takes a preference up when it is enqueued again, not before.
    await Task.yield()
    return try await body()
  }
}

/// Does something on a thread of its own with an empty database that nobody else uses.
func onDatabase(_ body: @Sendable @escaping (Database) throws -> Void) async throws {
  try await onThreads { try RealServers.withDatabase(body) }
}

/// Does two things on two threads, as nearly at the same moment as threads allow.
func atOnce<First: Sendable, Second: Sendable>(
  _ first: @escaping @Sendable () throws -> First,
  _ second: @escaping @Sendable () throws -> Second
) async throws -> (First, Second) {
  let line = StartLine(2)
  async let one = { () async throws -> First in
    line.wait()
    return try first()
  }()
  async let other = { () async throws -> Second in
    line.wait()
    return try second()
  }()
  return try await (one, other)
}

/// Holds threads back until all of them are there.
// SAFETY: `missing` is only touched under `condition`.
final class StartLine: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int

  init(_ count: Int) { missing = count }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    missing -= 1
    if missing <= 0 { condition.broadcast() }
    while missing > 0 { condition.wait() }
  }
}

/// Why a test cannot go on.
struct LabFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
