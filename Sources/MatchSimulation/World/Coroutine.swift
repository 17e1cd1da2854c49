#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import MatchService

/// Code that blocks, run in turns with its owner. It goes on while the owner waits in `resume`, and
/// stands still in `yield` while the owner goes on.
///
/// Its calls need a stack of their own, so it has a thread. But only one of the two ever runs, so a
/// run depends on its seed alone.
/// runs, so that a run depends on its seed alone.
// SAFETY: `turn` is touched under the mutex only. `body` and everything that it shares with the
// owner are touched only by the side with the turn, and the mutex orders one turn before the next.
final class Coroutine: @unchecked Sendable {
  private enum Turn {
    case owner, body, over
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let body: (Coroutine) -> Void
  private var turn = Turn.owner
  private var isStarted = false

  /// A body that begins with the first `resume` and gives the turn back by `yield`.
  init(_ body: @escaping (Coroutine) -> Void) {
    self.body = body
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Whether the body has returned.
  var isOver: Bool { locked { turn == .over } }

  /// Lets the body go on until it yields or returns.
  func resume() throws(ThreadFailure) {
    if !isStarted {
      isStarted = true
      try WorkThread.start { [self] in
        wait(for: .body)
        body(self)
        pass(to: .over)
      }
    }
    guard !isOver else { return }
    pass(to: .body)
    locked {
      while turn == .body { pthread_cond_wait(changed, mutex) }
    }
  }

  /// Lets the owner go on until it resumes. Only the body calls this.
  func yield() {
    pass(to: .owner)
    wait(for: .body)
  }

  private func pass(to next: Turn) {
    locked {
      turn = next
      pthread_cond_broadcast(changed)
    }
  }

  private func wait(for wanted: Turn) {
    locked {
      while turn != wanted { pthread_cond_wait(changed, mutex) }
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
