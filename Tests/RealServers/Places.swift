import Foundation
import Testing

/// Places for tests that mostly wait: more of them run at once than there are cores, and not so many
/// that they are late.
package final class Places: Sendable {
  private let free: DispatchSemaphore

  package init(_ count: Int) { free = DispatchSemaphore(value: count) }

  /// One place more than there are cores: targets run side by side, too.
  package convenience init() { self.init(ProcessInfo.processInfo.activeProcessorCount + 1) }

  /// Waits for a place, then runs blocking work on threads of its own.
  ///
  /// From then on the work has ``hangLimit``. A time limit of Swift Testing would include the wait.
  package func run<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await hold { try await failingIfItHangs(body) }
  }

  /// The same without a limit, for work of many tests that have theirs.
  package func hold<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await onThreads {
      take()
      defer { free.signal() }
      return try await body()
    }
  }

  private func take() { free.wait() }
}

/// Seconds after which a test hangs on a busy machine: eight minutes, or what `CUBIST_HANG_SECONDS` says. A
/// sanitizer needs several times as long. On two quiet cores a test takes a sixteenth of that.
package let hangLimit =
  ProcessInfo.processInfo.environment["CUBIST_HANG_SECONDS"].flatMap { Int($0) } ?? 480

/// How long a test waits for one thing: less than ``hangLimit``, so that what is not so is named.
package let waitLimit = Duration.seconds(hangLimit - 20)

/// The same two limits on a ``QuietMachine``.
let (quietHangLimit, quietWaitLimit) = (hangLimit / 5, hangLimit / 6)

/// Runs a body. The test fails as soon as ``hangLimit`` has passed, or less if the machine is quiet, and
/// waits for the body all the same.
package func failingIfItHangs<Result: Sendable>(
  _ body: () async throws -> Result
) async rethrows -> Result {
  let end = DispatchSemaphore(value: 0)
  // A task knows its test, a thread alone does not.
  Task(executorPreference: ThreadExecutor.shared) {
    guard let why = hang(until: end) else { return }
    Issue.record(
      "hangs: \(why)", sourceLocation: Test.current?.sourceLocation ?? #_sourceLocation)
  }
  defer { end.signal() }
  return try await body()
}

/// Why something hangs that has not ended; nil: it has.
private func hang(until end: DispatchSemaphore) -> String? {
  let start = DispatchTime.now()
  var machine = QuietMachine(seconds: quietHangLimit)
  while end.wait(timeout: .now() + .seconds(2)) != .success {
    guard DispatchTime.now() < start + .seconds(hangLimit) else {
      return "not done after \(hangLimit) s"
    }
    guard !machine.isQuiet() else {
      return "not done, and the machine has had nothing to do for \(quietHangLimit) s"
    }
  }
  return nil
}
