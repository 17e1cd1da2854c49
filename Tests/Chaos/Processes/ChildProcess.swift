package import Glibc
import Synchronization

/// A process that this one has started.
package final class ChildProcess: Sendable {
  /// Its id; it is nobody else's before ``wait()`` has returned.
  package let id: pid_t
  /// The status it ended with.
  private let ending = Mutex<Int32?>(nil)

  init(_ spawn: Spawn) throws { id = try spawn.start() }

  /// Whether it has not ended yet.
  package var isRunning: Bool { reap(WNOHANG) == nil }

  /// Sends a signal, unless it has ended.
  package func signal(_ number: Int32) {
    ending.withLock { ending in
      if ending == nil { _ = Glibc.kill(id, number) }
    }
  }

  /// Whether it is there and stands still, by the kernel's word; a signal takes a moment.
  var isStopped: Bool {
    for _ in 0..<200 {
      guard isRunning, let file = fopen("/proc/\(id)/stat", "r") else { return false }
      var line = [CChar](repeating: 0, count: 512)
      let isRead = fgets(&line, Int32(line.count), file) != nil
      fclose(file)
      // The state comes after the name, which is in brackets.
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if isRead, let end = text.lastIndex(of: ")"), text[end...].hasPrefix(") T") { return true }
      pauseThread(0.005)
    }
    return false
  }

  /// kill -9, and waits until it is gone.
  package func kill() {
    signal(SIGKILL)
    wait()
  }

  /// Waits until it ends.
  ///
  /// - Returns: Its exit status, or 128 and the number of the signal that ended it.
  @discardableResult
  package func wait() -> Int32 {
    while true {
      if let status = reap(WNOHANG) { return status }
      // Waiting in the kernel would keep others from sending a signal meanwhile.
      pauseThread(0.005)
    }
  }

  private func reap(_ options: Int32) -> Int32? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      let found = waitpid(id, &status, options)
      guard found == id || (found < 0 && errno == ECHILD) else { return nil }
      let signal = status & 0x7f
      ending = signal == 0 ? (status >> 8) & 0xff : 128 + signal
      return ending
    }
  }
}
