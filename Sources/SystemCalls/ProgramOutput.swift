#if canImport(Glibc)
  import Glibc
  import Synchronization

  /// The output of a program. If something of it was not written, the program says so and does not
  /// succeed.
  package enum ProgramOutput {
    private static let hasFailed = Mutex(false)
    /// The name of the program, for its messages.
    private static let name = Mutex("")

    /// Source: sysexits(3), EX_IOERR.
    package static let exitCode: Int32 = 74

    /// Has the program end with ``exitCode`` if it would succeed and something was not written.
    ///
    /// - Parameter program: Its name, for the message.
    package static func checkAtExit(of program: String) {
      name.withLock { $0 = program }
      _ = on_exit(
        { status, _ in
          // A text of help, for instance, is in the buffer still.
          if fflush(nil) != 0 { ProgramOutput.fail(.last()) }
          if status == 0 && ProgramOutput.hasFailed.withLock({ $0 }) {
            _exit(ProgramOutput.exitCode)
          }
        }, nil)
    }

    /// Prints text and a line break at its end, immediately also into a pipe.
    package static func out(_ text: String) {
      let line = text.hasSuffix("\n") ? text : "\(text)\n"
      do throws(SystemError) { try SystemFile.write(Array(line.utf8), to: STDOUT_FILENO) } catch {
        fail(error)
      }
    }

    /// Tells a person something beside the result.
    package static func note(_ text: String) {
      do throws(SystemError) {
        try SystemFile.write(Array("\(text)\n".utf8), to: STDERR_FILENO)
      } catch {
        // There is nowhere to say it.
        if error.code != EPIPE { hasFailed.withLock { $0 = true } }
      }
    }

    private static func fail(_ error: SystemError) {
      let isFirst = hasFailed.withLock { hasFailed in
        defer { hasFailed = true }
        return !hasFailed
      }
      // Whoever closed the pipe wants to read nothing more.
      if isFirst && error.code != EPIPE {
        note("\(name.withLock { $0 }): The standard output cannot be written: \(error).")
      }
    }
  }
#endif
