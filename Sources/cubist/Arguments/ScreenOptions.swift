import ArgumentParser

/// How the game is played on the whole screen.
struct ScreenOptions: ParsableArguments {
  @Flag(help: "Ring the bell when the other player's turn arrives.")
  var bell = false
}
