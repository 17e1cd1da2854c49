import LargeStore
import MatchCore

/// How much a grown database holds: what a service has after two years.
struct GrownSize {
  /// Hundredths of the whole size.
  let percent: Int

  /// Changes with whatever changes what a fill leaves: then one that was kept is of no use.
  static let format = 1

  var matches: Int { 20_000 * percent }
  /// The youngest ones are not over.
  var running: Int { matches / 50 }
  var ended: Int { matches - running }
  /// Each match is a copy of one that was played so long.
  var turns: Int {
    (0..<matches).reduce(0) { $0 + Templates.turns($1 % Templates.count) }
  }

  /// What is filled beside matches; of its past games those of the matches are a part.
  var store: StoreSize {
    var size = StoreSize(percent: percent)
    size.pastGames -= 2 * ended
    return size
  }

  /// Matches that one worker is shown.
  var touched: Int { 1_000 * percent }

  /// What the fill needs at most: 27 GB for the database at its whole size, and what its
  /// write-ahead log and the sorting for indexes take meanwhile.
  var gigabytes: Double { 5 + 0.29 * Double(percent) }
}
