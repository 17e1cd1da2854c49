import ArgumentParser
import Glibc
import MatchInterfaces
import SystemCalls

/// A command's output and its end.
enum Output {
  /// Prints text at once, also into a pipe, and adds a line break if it has none.
  static func out(_ text: String) {
    print(text, terminator: text.hasSuffix("\n") ? "" : "\n")
    fflush(nil)
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
