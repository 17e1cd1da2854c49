import LargeStore
import MatchCore

/// How much a grown database holds: the data of a service after two years.
struct GrownSize {
  /// Hundredths of the whole size.
  let percent: Int

  /// Changes with every change of the fill's result, since an earlier fill is then of no use.
  static let format = 1

  var matches: Int { 20_000 * percent }
  /// The youngest ones are not over.
  var running: Int { matches / 50 }
  var ended: Int { matches - running }
  /// Each match is a copy of one that had so many turns.
  var turns: Int {
    (0..<matches).reduce(0) { $0 + Templates.turns($1 % Templates.count) }
  }

  /// The rows beside matches. The past games of the matches are part of this number.
  var store: StoreSize {
    var size = StoreSize(percent: percent)
    size.pastGames -= 2 * ended
    return size
  }

  /// Matches that one worker is shown.
  var touched: Int { 1_000 * percent }

  /// The space that the fill needs at most: 27 GB for the database at its whole size, and space for
  /// its write-ahead log and for sorting indexes.
  var gigabytes: Double { 5 + 0.29 * Double(percent) }
}
