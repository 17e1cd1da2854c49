import Glibc
import Synchronization
import SystemCalls

/// Frees threads that hang in the C library.
///
/// librabbitmq 0.11 waits without limit when a socket's send buffer is full, and
/// `amqp_basic_publish` waits without limit for a frame when nothing was heard for two heartbeats
/// (fixed in 0.14 by https://github.com/alanxz/rabbitmq-c/pull/780). One thread per
/// process looks at the running calls and shuts down the socket of one that is overdue; the call
/// then fails.
///
/// The watchdog shuts down a duplicate of the descriptor, which is its own until it closes it: the
/// library may close its descriptor at any time, and the number may then be somebody else's.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  /// One watched connection.
  final class Watch: Sendable {
    fileprivate let descriptor: Int32
    private let limit: UInt64
    private let overdueAt = Atomic<UInt64>(.max)
    private let fired = Atomic<Bool>(false)

    fileprivate init(descriptor: Int32, limit: UInt64) {
      self.descriptor = descriptor
      self.limit = limit
    }

    /// Whether the socket was shut down.
    var hasFired: Bool { fired.load(ordering: .acquiring) }

    /// A call into the library begins.
    func begin() { overdueAt.store(MonotonicClock.now + limit, ordering: .releasing) }

    /// It came back.
    func end() { overdueAt.store(.max, ordering: .releasing) }

    fileprivate func check(now: UInt64) {
      guard overdueAt.load(ordering: .acquiring) < now, !hasFired else { return }
      fired.store(true, ordering: .releasing)
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  private struct State {
    var watches: [ObjectIdentifier: Watch] = [:]
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Watches a socket; nil if the process is out of descriptors or threads.
  func register(_ descriptor: Int32, limit: Duration) -> Watch? {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { return nil }
    let watch = Watch(descriptor: duplicate, limit: limit.nanoseconds)
    let isWatched = state.withLock { state in
      if !state.isRunning { state.isRunning = startThread() }
      if state.isRunning { state.watches[ObjectIdentifier(watch)] = watch }
      return state.isRunning
    }
    if !isWatched { Glibc.close(duplicate) }
    return isWatched ? watch : nil
  }

  /// Forgets a socket and closes the duplicate. While that is open, the broker does not see the
  /// end.
  func unregister(_ watch: Watch) {
    // The lock keeps the thread from using the number after it is closed.
    state.withLock { state in
      guard state.watches.removeValue(forKey: ObjectIdentifier(watch)) != nil else { return }
      _ = Glibc.close(watch.descriptor)
    }
  }

  private func startThread() -> Bool {
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, { _ in Watchdog.shared.run() }, nil)
    guard result == 0 else { return false }
    pthread_detach(thread)
    return true
  }

  /// Looks around every quarter second until nothing is left to watch.
  private func run() -> UnsafeMutableRawPointer? {
    while true {
      usleep(250_000)
      let isDone = state.withLock { state in
        let now = MonotonicClock.now
        for watch in state.watches.values { watch.check(now: now) }
        state.isRunning = !state.watches.isEmpty
        return !state.isRunning
      }
      if isDone { return nil }
    }
  }
}
