import ArgumentParser
import CubePlay
import GameScreens
import TerminalScreen

/// `cubist rules`
struct RulesCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Print the rules, and the keys of the game on the whole screen.",
    discussion: """
      EXAMPLES:
        cubist rules
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let isUnicode = ScreenSetting.allowsUnicode(session.environment.variables)
    let text = HelpText.text(.service, isUnicode: isUnicode)
    try session.console.show(.text, TextDocument(text: text)) { text }
  }
}

/// Text to be read by people.
struct TextDocument: Encodable {
  var text: String
}
