import ArgumentParser
import MatchInterfaces
import SystemCalls

/// A command's output and its end.
enum Output {
  /// Prints text and a line break at its end. A failed write is told on standard error; a command that
  /// succeeds otherwise ends with 74 then.
  static func out(_ text: String) { ProgramOutput.out(text) }

  /// Tells a person about the progress.
  static func note(_ text: String) { ProgramOutput.note(text) }

  /// Runs a command. A failure is told on standard error and becomes the exit code.
  static func reporting(_ body: () throws(OperatorFailure) -> Void) throws {
    do throws(OperatorFailure) { try body() } catch {
      note("cubistd: \(error)")
      throw ExitCode(error.exitCode)
    }
  }
}
