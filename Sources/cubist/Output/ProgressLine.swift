import TerminalScreen
import GameScreens

/// The line on the error output that says why a command waits.
struct ProgressLine: Hashable, Sendable {
  /// The reason, such as `Waiting for the service`.
  let label: String

  /// How long a command waits before the line appears: half a second.
  static let patience = Duration.milliseconds(500)

  /// The text to write over the line before, or nil where nothing is to be written.
  ///
  /// - Parameters:
  ///   - elapsed: How long the wait has lasted.
  ///   - style: The style of the error output; a line is written on a terminal only.
  func text(elapsed: Duration, style: TerminalStyle) -> String? {
    guard style.isTerminal, elapsed > Self.patience else { return nil }
    let line = "\(TerminalText.safe(label))... \(elapsed.components.seconds) s"
    // The last column stays free: some terminals go to the next line when it is filled.
    return "\r" + TerminalText.cut(line, columns: style.columns - 1)
  }

  /// The text that takes the line away after the wait, or nil where none was written.
  func removal(elapsed: Duration, style: TerminalStyle) -> String? {
    guard let text = text(elapsed: elapsed, style: style) else { return nil }
    guard style.form == .plain else { return Ansi.clearLine }
    return "\r" + String(repeating: " ", count: TerminalText.width(of: text.dropFirst())) + "\r"
  }
}
