import Glibc
import MatchInterfaces

/// Says how far many runs have come: a bar on a terminal, else a line now and then.
struct SimulationProgress {
  private let total: Int
  private let isTerminal: Bool
  private let clock: WallClock
  private var bar: ProgressBar
  private var lastNoted: UInt64

  /// How often a line is written where there is no terminal.
  private static let interval: UInt64 = 60_000_000_000

  init(
    total: Int, isTerminal: Bool = isatty(STDERR_FILENO) == 1, clock: WallClock = .live
  ) {
    self.total = total
    self.isTerminal = isTerminal
    self.clock = clock
    bar = ProgressBar(isShown: isTerminal && total > 1, clock: clock)
    lastNoted = clock.uptimeNanoseconds()
  }

  mutating func note(_ table: SimulationTable) {
    let text = "\(table.runs) of \(total) seeds, \(table.failures.count) failed"
    guard !isTerminal else { return bar.draw(table.runs, of: total, text) }
    let now = clock.uptimeNanoseconds()
    guard now >= lastNoted &+ SimulationProgress.interval else { return }
    lastNoted = now
    Output.note(text)
  }

  func clear() { bar.clear() }
}
