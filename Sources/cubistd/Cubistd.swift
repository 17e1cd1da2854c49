import ArgumentParser
import MatchInterfaces
import SystemCalls

/// The operators' command line.
@main
struct Cubistd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cubistd",
    abstract: "Run and operate a Cubist service.",
    discussion: """
      Examples:
        cubistd up                     a whole service on this machine, with servers
        cubistd init                   sets up a service on servers of your own
        cubistd run                    every role in one process
        cubistd run worker --workers 2 two turn workers
        cubistd status                 the state of the service

      Settings come from the environment and from a file that CUBIST_CONFIG names. Where neither \
      has any, /etc/cubist/cubistd.env is that file. docs/operating.md lists them.
      Exit codes: 0 ok, 1 something is wrong, 2 unreadable, 3 not found, 64 usage or settings, \
      69 a server is unavailable, 74 the output cannot be written, 77 not permitted, 130 interrupted.
      """,
    version: Release.description,
    subcommands: [
      UpCommand.self, InitCommand.self, SetupCommand.self, RunCommand.self, StatusCommand.self,
      StatsCommand.self, PlayersCommand.self, MatchesCommand.self, KeysCommand.self,
      AccountsCommand.self, RecoveriesCommand.self, PushCommand.self, BackupCommand.self,
      CheckCommand.self, RebuildCommand.self,
      DeadLettersCommand.self,
      RegistrationCommand.self,
      WordsCommand.self, ActsCommand.self, SimulateCommand.self, ServersCommand.self,
    ])

  static func main() {
    StandardStreams.keepPlaces()
    ProgramOutput.checkAtExit(of: "cubistd")
    ExitHandlers.skipOpenSSL()
    main(nil)
  }
}
