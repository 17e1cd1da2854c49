import ArgumentParser
import CubePlay
import DemoGame

/// `cubist demo`
struct DemoCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Play against a robot, or alone, without a service.",
    usage: "cubist demo [--strength easy|medium|hard] [<options>]",
    discussion: """
      EXAMPLES:
        cubist demo                    first steps, then robots, or a game alone
        cubist demo --strength easy    a match at once

      It needs no service and no name, and nothing of it is kept. `cubist-demo` is the same game as \
      a program of its own.
      """)

  @Option(
    help: .init("easy, medium or hard.", valueName: "strength"),
    completion: Completion.strengths, transform: StrengthText.strength)
  var strength: BotStrength?

  @OptionGroup(title: "The whole screen") var screen: ScreenOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    guard let setting = session.screenSetting, let open = session.environment.openDemo else {
      throw CommandFailure(.usage, "noScreen", DemoGame.needsScreen, next: ["cubist rules"])
    }
    try open(DemoGame(strength: strength, rings: screen.bell), setting)
  }
}
