#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  package import Darwin
#endif

/// Says how far something has come: a bar on a terminal, elsewhere a line now and then or nothing.
package struct ProgressBar {
  private let isTerminal: Bool
  /// The least time between two lines, in nanoseconds; nil: nothing is shown.
  private let pause: UInt64?
  private let start: UInt64
  private var lastDrawn: UInt64?

  /// Begins to count the time. `linesEvery` is the pause between lines where there is no terminal.
  package init(
    isShown: Bool = true, linesEvery pause: UInt64? = nil,
    isTerminal: Bool = isatty(STDERR_FILENO) == 1
  ) {
    self.isTerminal = isTerminal
    self.pause = !isShown ? nil : isTerminal ? 100_000_000 : pause
    start = MonotonicClock.now
    if !isTerminal { lastDrawn = start }
  }

  /// Draws, ten times a second at most.
  package mutating func draw(_ done: Int, of total: Int, _ text: @autoclosure () -> String) {
    guard let pause else { return }
    let now = MonotonicClock.now
    if let lastDrawn, now - lastDrawn < pause { return }
    lastDrawn = now
    let seconds = Double(now - start) / 1e9
    StatusLine.write(
      isTerminal ? ProgressBar.line(done, of: total, after: seconds, text()) : text(),
      isTerminal: isTerminal)
  }

  /// Takes the line away.
  package func clear() {
    if isTerminal, lastDrawn != nil { StatusLine.write("", isTerminal: true) }
  }

  static func line(_ done: Int, of total: Int, after seconds: Double, _ text: String) -> String {
    let share = total > 0 ? min(1, Double(done) / Double(total)) : 0
    let filled = Int(share * 24)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 24 - filled)
    var line = "[\(bar)] \(Int(share * 100)) %  \(text)"
    if share > 0, seconds >= 1 {
      let left = Int((seconds / share * (1 - share)).rounded())
      line += "  \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
    }
    return line
  }
}
