import ArgumentParser
import MatchCore

/// How a game of one player is clocked, as options.
struct ModeOptions: ParsableArguments {
  @Flag(help: "Against the clock: the game ends 180 seconds after its start.")
  var timed = false

  @Flag(help: "Without a clock; that is the default.")
  var unlimited = false

  var mode: SoloMode { timed ? .timed : .unlimited }

  /// The option as it is typed after a command, with the space before it.
  static func text(_ mode: SoloMode) -> String { mode == .timed ? " --timed" : "" }

  func validate() throws {
    guard !timed || !unlimited else {
      throw ValidationError("--timed and --unlimited exclude each other. Choose one.")
    }
  }
}
