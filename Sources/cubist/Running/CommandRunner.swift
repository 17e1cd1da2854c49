import ArgumentParser
import TerminalScreen

/// A command of the player's program. Its session gives it everything it needs of the world.
protocol CubistCommand: ParsableCommand {
  /// The options of every command.
  var options: GlobalOptions { get }

  /// Carries the command out.
  func perform(_ session: CommandSession) throws
}

/// Runs whole commands.
enum CommandRunner {
  /// Reads the arguments, without the program's name, runs the command and gives its exit status.
  static func run(_ arguments: [String], _ environment: CLIEnvironment) -> Int32 {
    if let mistake = Misspelling.find(in: arguments, of: Cubist.self) {
      // The status tells it where nothing can be written.
      try? environment.errorOutput.write("cubist: \(TerminalText.safe(mistake.message))\n")
      return ExitStatus.usage.rawValue
    }
    do {
      var command = try Cubist.parseAsRoot(arguments)
      guard let cubistCommand = command as? any CubistCommand else {
        // Help is a command as well. It prints its text by throwing it.
        try command.run()
        return ExitStatus.ok.rawValue
      }
      return run(cubistCommand, environment)
    } catch {
      let status = Cubist.exitCode(for: error).rawValue
      let text = CommandHelp.ownFirst(Cubist.fullMessage(for: error)) + "\n"
      do throws(OutputFailure) {
        try (status == 0 ? environment.output : environment.errorOutput).write(text)
        return status
      } catch {
        if !error.isClosedPipe {
          let message = CommandFailure(error, match: nil).message
          try? environment.errorOutput.write("cubist: \(message)\n")
        }
        return status == 0 ? ExitStatus.unwritten.rawValue : status
      }
    }
  }

  /// Runs a command and gives its exit status.
  static func run(_ command: some CubistCommand, _ environment: CLIEnvironment) -> Int32 {
    let session = CommandSession(environment, command.options)
    defer { session.close() }
    do {
      try command.perform(session)
      session.forgetTold()
      return (session.console.hasUnsaid ? ExitStatus.unwritten : .ok).rawValue
    } catch {
      let failure = session.failure(error)
      let output = error as? OutputFailure
      if output?.isClosedPipe != true {
        do {
          try session.console.fail(failure)
          // The next command tells a result that was not written.
          if output == nil { session.forgetTold() }
        } catch { /* The status alone tells it. */  }
      }
      return failure.status.rawValue
    }
  }
}
