import ArgumentParser
import Glibc
import MatchInterfaces
import Synchronization
import SystemCalls

/// A command's output and its end.
enum Output {
  private static let hasFailed = Mutex(false)

  /// Prints text and a line break at its end, at once also into a pipe. A failed write is told on standard
  /// error; a command that succeeds otherwise ends with ``exitCode`` then.
  static func out(_ text: String) {
    let line = text.hasSuffix("\n") ? text : "\(text)\n"
    do throws(SystemError) { try SystemFile.write(Array(line.utf8), to: STDOUT_FILENO) } catch {
      fail(error)
    }
  }

  /// Has the program end with ``exitCode`` if something that it printed was not written.
  static func checkAtExit() {
    _ = on_exit(
      { status, _ in
        // A text of help, for instance, is in the buffer still.
        if fflush(nil) != 0 { Output.fail(.last()) }
        if status == 0 && Output.hasFailed.withLock({ $0 }) { _exit(Output.exitCode) }
      }, nil)
  }

  /// Source: sysexits(3), EX_IOERR.
  static let exitCode: Int32 = 74

  private static func fail(_ error: SystemError) {
    let isFirst = hasFailed.withLock { hasFailed in
      defer { hasFailed = true }
      return !hasFailed
    }
    // Whoever closed the pipe wants to read nothing more.
    if isFirst && error.code != EPIPE {
      note("cubistd: The standard output cannot be written: \(error).")
    }
  }

  /// Tells a person about the progress.
  static func note(_ text: String) {
    try? SystemFile.write(Array("\(text)\n".utf8), to: STDERR_FILENO)
  }

  /// Runs a command. A failure is told on standard error and becomes the exit code.
  static func reporting(_ body: () throws(OperatorFailure) -> Void) throws {
    do throws(OperatorFailure) { try body() } catch {
      note("cubistd: \(error)")
      throw ExitCode(error.exitCode)
    }
  }
}
