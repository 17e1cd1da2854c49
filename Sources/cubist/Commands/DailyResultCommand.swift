import ServiceNews
import ArgumentParser
import CubePlay
import MatchCore
import MatchWire
import PlayerClient

/// `cubist daily result`
struct DailyResultCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "result",
    abstract: "Print your result of today's challenge, to paste into a chat.",
    usage: "cubist daily result [--timed] [<options>]",
    discussion: """
      EXAMPLES:
        cubist daily result
        cubist daily result --timed

      It tells no word and no letter. Each square compares a turn with the best word on its cube: \
      green from three quarters, yellow from half, orange from a quarter, white below. Black is a \
      removal.
      """)

  @OptionGroup(title: "Which one") var mode: ModeOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let daily = try player.home().daily(mode.mode)
    guard let match = daily.match else {
      throw CommandFailure.nothing(
        "You have not begun today's challenge.",
        next: "cubist daily start\(ModeOptions.text(mode.mode))")
    }
    let view = try player.match(match)
    let words = session.environment.lexicons.named(view.lexicon)
    let news = try MatchNews(view, for: player.player, now: session.now, words: nil)
    let result = DailyResult(
      day: daily.daily.day.description, isTimed: mode.mode == .timed, lines: news.lines,
      isOver: view.outcome != nil)
    let text = result.text(words: words) + "\n"
    try session.console.show(.text, TextDocument(text: text)) { text }
  }
}
