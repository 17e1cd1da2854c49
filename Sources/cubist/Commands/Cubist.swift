import ArgumentParser
import MatchInterfaces
import MatchWire
import PlayerClient

/// `cubist`: the home list, and the root of all commands.
struct Cubist: CubistCommand {
  static let version = Release.description

  static let configuration = CommandConfiguration(
    commandName: "cubist",
    abstract: "Play word games on a cube, turn by turn.",
    usage: "cubist [<subcommand>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist connect https://play.example.org
        cubist register ada
        cubist start               ask for a match against anyone
        cubist                     play on the whole screen
        cubist home                print your turns, invitations and offers
        cubist show                look at the cube
        cubist play WORD           play a word

      Name a match by its opponent, or by the last digits of its ID, as lists show them. If \
      only one match fits, it needs no name. docs/cli.md describes JSON and exit statuses.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Account",
        subcommands: [
          Connect.self, Register.self, WhoAmI.self, KeyCommand.self, SettingsCommand.self,
          AccountCommand.self,
          DevicesCommand.self, NotifyCommand.self, Inbox.self, ServiceCommand.self,
        ]),
      CommandGroup(
        name: "Meeting",
        subcommands: [
          Start.self, Join.self, Accept.self, Decline.self, Withdraw.self, BlockCommand.self,
          UnblockCommand.self, ReportCommand.self,
        ]),
      CommandGroup(
        name: "Playing",
        subcommands: [
          Home.self, Show.self, Play.self, React.self, NudgeCommand.self, Watch.self, Forfeit.self,
          Rematch.self,
          Solo.self, Daily.self,
          BotCommand.self, RulesCommand.self, DemoCommand.self,
        ]),
      CommandGroup(
        name: "History",
        subcommands: [
          Games.self, ReplayCommand.self, Share.self, Export.self, Verify.self,
          LeaderboardCommand.self, Review.self,
          LadderCommand.self,
        ]),
    ])

  @OptionGroup(title: "The whole screen") var screen: ScreenOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    if session.hasScreen { return try session.openScreen(at: nil, rings: screen.bell) }
    try Home.show(session)
  }
}

/// `cubist home`
struct Home: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print your turns, invitations and offers.",
    discussion: """
      EXAMPLES:
        cubist home
        cubist home --json

      `cubist` alone prints the same where it does not open the game on the whole screen.
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws { try Self.show(session) }

  fileprivate static func show(_ session: CommandSession) throws {
    let player = try session.player()
    let home = try player.home()
    try session.console.show(.home, home) {
      HomeText(home: home, name: session.name, now: session.now, console: session.console).text()
    }
  }
}
