import Glibc
import HummingbirdCore
import Logging
import MatchInterfaces
import NIOCore
import NIOPosix
import Synchronization

/// A server on event loops of its own, for threads that are not asynchronous.
///
/// Its loops end after everything that runs on them. A task that comes late, because the process is
/// busy, finds them alive.
final class RunningServer<Child: ServerChildChannel>: Sendable {
  enum State: Hashable, Sendable {
    case starting
    case listening(port: Int)
    case failed(String)
    /// It accepts nothing any more, and every connection is closed.
    case ended
    /// Its loops have ended, too.
    case closed
  }

  /// How long it may take to begin.
  static var bindTime: Duration { .seconds(10) }

  let group: MultiThreadedEventLoopGroup
  private let server: Server<Child>
  private let running: Task<Void, Never>
  private let executor: LoopExecutor
  private let shared: Shared
  private let clock: WallClock

  /// - Parameter prepare: Called with the listening channel before it is said to listen.
  init(
    _ child: Child, at host: String, port: Int, backlog: Int = 256, threads: Int,
    clock: WallClock, log: Logger,
    prepare: @escaping @Sendable (any Channel) async -> Void = { _ in }
  ) {
    var quiet = log
    // Its line says that it listens, and ours says where.
    if quiet.logLevel == .info { quiet.logLevel = .notice }
    let (group, shared) = (MultiThreadedEventLoopGroup(numberOfThreads: threads), Shared())
    let server = Server(
      childChannelSetup: child,
      configuration: ServerConfiguration(
        address: .hostname(host, port: port), backlog: backlog),
      onServerRunning: { channel in
        await prepare(channel)
        shared.set(.listening(port: channel.localAddress?.port ?? port))
      },
      eventLoopGroup: group, logger: quiet)
    // Not on the shared threads of tasks: a caller may block them until the server has begun.
    let executor = LoopExecutor(group.next())
    running = Task(executorPreference: executor) {
      do {
        try await server.run()
        shared.set(.ended)
      } catch {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
        shared.set(.failed(reason ?? "\(error)"))
      }
    }
    (self.group, self.server, self.shared, self.clock) = (group, server, shared, clock)
    self.executor = executor
  }

  var state: State { shared.get() }

  /// Begins to end: accepts nothing new, and closes connections that are idle. The others close
  /// after their answers.
  func stop() {
    let (group, server, running, shared) = (group, server, running, shared)
    Task(executorPreference: executor) {
      try? await server.shutdownGracefully()
      await running.value
      group.shutdownGracefully { _ in shared.set(.closed) }
    }
  }

  /// Waits until the state is one of some, for a while at most.
  @discardableResult
  func wait(_ limit: Duration, until isSo: (State) -> Bool) -> State {
    let end = clock.uptimeNanoseconds() &+ UInt64(limit / .nanoseconds(1))
    while !isSo(state), clock.uptimeNanoseconds() < end { clock.sleep(.milliseconds(5)) }
    return state
  }

  private final class Shared: Sendable {
    private let state = Mutex(State.starting)

    func set(_ new: State) { state.withLock { $0 = new } }
    func get() -> State { state.withLock { $0 } }
  }
}
