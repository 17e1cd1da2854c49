import ArgumentParser
import MatchCore
import PlayerClient

/// `cubist solo`
struct Solo: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play alone, with or without a clock.",
    usage: "cubist solo [--timed | --unlimited] [<options>]",
    discussion: """
      EXAMPLES:
        cubist solo                  as long as you like
        cubist solo --timed          180 seconds

      A timed game ends by itself; `cubist forfeit` ends one without a clock. \
      Repeated while its answer is pending, the command is the same request.
      """)

  @OptionGroup(title: "The game") var mode: ModeOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player(isSending: true)
    let start = try player.startMatch(MatchRequest(alone: mode.mode))
    try session.report(.started, start.ticket, player)
  }
}
