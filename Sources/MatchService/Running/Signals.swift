#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// SIGINT, SIGTERM and SIGHUP: the first one asks everything to stop.
package enum Signals {
  package static let stop = StopSignal()
  private static let received = Atomic(0)
  private static let first = Atomic<Int32>(0)

  /// How many have come.
  package static var count: Int { received.load(ordering: .acquiring) }

  /// The exit status that a shell expects after such a signal.
  package static var exitStatus: Int32 { 128 + first.load(ordering: .acquiring) }

  /// Begins to listen; `limit` signals end the process at once, in the middle of anything.
  package static func listen(leavingAtOnceAfter limit: Int) {
    // Made before the first signal: making them takes a lock, which a handler must not do.
    _ = stop.isAsked
    _ = count
    leaveAfter.store(limit, ordering: .releasing)
    _ = exitStatus
    var heard = sigset_t()
    sigemptyset(&heard)
    for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(SIGHUP) {
      signal(number, handler)
      sigaddset(&heard, number)
    }
    // The parent process may have blocked them, and a process inherits that.
    pthread_sigmask(SIG_UNBLOCK, &heard, nil)
    // The reader of our output may be gone before us.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether the parent process wants a signal ignored, as `nohup` does for the end of the
  /// terminal.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    // SIG_IGN is the pointer 1; Swift cannot compare it.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  private static let leaveAfter = Atomic(2)

  private static let handler: @convention(c) (Int32) -> Void = { number in
    let count = received.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    if count == 1 { first.store(number, ordering: .releasing) }
    stop.ask()
    if count >= leaveAfter.load(ordering: .acquiring) { _exit(128 + number) }
  }
}
