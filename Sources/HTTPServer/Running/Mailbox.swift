import Synchronization
import SystemCalls

/// The messages to a thread of a server. It is also the executor of that thread's tasks: a request
/// is answered on its connection's thread.
final class Mailbox: TaskExecutor {
  enum Message {
    case accepted(socket: Int32, ClientConnection)
    case job(UnownedJob)
    case answer(UInt64, HTTPAnswer)
    /// A stream has something to send.
    case ready(UInt64)
    case leave
    case closeAll
  }

  private struct State {
    var messages: [Message] = []
    /// Whether the thread waits, or is about to: then it has to be woken.
    var isAsleep = false
    var isEnded = false
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup

  init() throws(SystemError) { wakeup = try Wakeup() }

  /// Readable while the thread is to be woken.
  var descriptor: Int32 { wakeup.descriptor }

  /// Whether the thread has ended.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// - Returns: `false` if the thread has ended.
  @discardableResult
  func post(_ message: Message) -> Bool {
    let (isTaken, isAsleep) = state.withLock { state in
      guard !state.isEnded else { return (false, false) }
      state.messages.append(message)
      defer { state.isAsleep = false }
      return (true, state.isAsleep)
    }
    if isAsleep { wakeup.wake() }
    return isTaken
  }

  func enqueue(_ job: consuming ExecutorJob) { post(.job(UnownedJob(job))) }

  /// Returns all messages. If there are none, the next `post` wakes the thread.
  func take() -> [Message] {
    state.withLock { state in
      defer { state.messages = [] }
      state.isAsleep = state.messages.isEmpty
      return state.messages
    }
  }

  /// The thread is awake: `post` need not wake it.
  func wake() { state.withLock { $0.isAsleep = false } }

  /// Empties the pipe that woke the thread.
  func clear() { wakeup.clear() }

  /// Ends the mailbox if it is empty; returns whether it has ended.
  func end() -> Bool {
    state.withLock { state in
      state.isEnded = state.messages.isEmpty
      return state.isEnded
    }
  }
}
