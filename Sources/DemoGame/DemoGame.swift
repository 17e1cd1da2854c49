import CubeLexicon
package import CubePlay
package import GameScreens
package import TerminalScreen

/// The game against a robot on the whole screen, without a service.
package struct DemoGame: Sendable {
  /// The robot it begins against; nil: it begins at the list of robots, after the first steps.
  package var strength: BotStrength?
  /// Whether the bell rings for the robot's turn.
  package var rings: Bool

  package init(strength: BotStrength? = nil, rings: Bool = false) {
    (self.strength, self.rings) = (strength, rings)
  }

  /// The screen, to be run.
  package func screen(
    _ service: DemoService, setting: ScreenSetting
  ) -> FullScreen {
    FullScreen(
      client: service.client, words: { _ in .english }, setting: setting,
      match: strength.map { service.begin($0) }, firstSteps: .unseen,
      facilities: .robots, rings: rings)
  }

  /// Rules and keys, to be printed.
  package static func rules(isUnicode: Bool) -> String {
    HelpText.text(.robots, isUnicode: isUnicode)
  }

  /// The message where there is no screen.
  package static let needsScreen =
    "The game needs a terminal of 64 columns and 24 rows or more, as input and output, and a TERM "
    + "other than dumb."
}
