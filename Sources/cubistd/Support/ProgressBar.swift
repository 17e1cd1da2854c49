import Glibc
import MatchInterfaces

/// One line on a terminal that says how far something has come; nothing where there is no terminal.
struct ProgressBar {
  private let isShown: Bool
  private let clock: WallClock
  private let start: UInt64
  private var lastDrawn: UInt64?

  init(isShown: Bool = isatty(STDERR_FILENO) == 1, clock: WallClock = .live) {
    self.isShown = isShown
    self.clock = clock
    start = clock.uptimeNanoseconds()
  }

  /// Draws, ten times a second at most.
  mutating func draw(_ done: Int, of total: Int, _ text: @autoclosure () -> String) {
    guard isShown else { return }
    let now = clock.uptimeNanoseconds()
    if let lastDrawn, now - lastDrawn < 100_000_000 { return }
    lastDrawn = now
    let seconds = Double(now - start) / 1e9
    Output.noteInPlace(ProgressBar.line(done, of: total, after: seconds, text()))
  }

  /// Takes the line away.
  func clear() {
    if isShown, lastDrawn != nil { Output.noteInPlace("") }
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
