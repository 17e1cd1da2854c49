import CubistBasics
import Glibc
import LibPQ
import MatchCore
import MatchLoad
import MatchService

/// Matches that the service itself has judged on this site. A grown database is copied from them.
struct Templates {
  /// As many matches are over as are being played.
  let ended: [PreparedMatch]
  let running: [PreparedMatch]

  static let count = 66
  /// From 5 to 15, ten on the average.
  static func turns(_ number: Int) -> Int { 5 + number % 11 }

  /// Has them played, and everything done that follows from them.
  static func play(on site: Site) throws -> Templates {
    try site.start("worker", "relay", "push", "rater")
    defer { site.end() }
    try site.awaitConsumers()
    let stock = Stock(site, seed: .random(in: 0...UInt64.max))
    // A match is of no use if it ends before the turn at which it is to be given up.
    try stock.fill(to: 3 * count)
    var matches = try stock.take(3 * count).filter { $0.script.count > turns(10) }
    guard matches.count >= 2 * count else {
      throw BenchFailure("only \(matches.count) of \(3 * count) matches are long enough to copy")
    }
    matches.removeLast(matches.count - 2 * count)
    try play(&matches, on: site)
    try site.drainPushes()
    try awaitRatings(site)
    return Templates(ended: Array(matches[..<count]), running: Array(matches[count...]))
  }

  /// Plays the turns of each match; in the first half the player to move gives up then.
  private static func play(_ matches: inout [PreparedMatch], on site: Site) throws {
    let exchange = try Exchange(site)
    defer { exchange.close() }
    var random = SplitMix64(state: .random(in: 0...UInt64.max))
    func next(_ index: Int) -> SentEvent? {
      let match = matches[index]
      if match.number <= turns(index % count) {
        return match.nextTurn(of: site.identity.service, &random)
      }
      guard index < count else { return nil }
      return match.playerToMove.event(
        of: site.identity.service, .matchForfeited(match.id), &random)
    }
    try exchange.run(count: matches.count) { index in
      guard let first = next(index) else { throw BenchFailure("a match without turns") }
      return first
    } then: { index, acceptance in
      switch acceptance {
      case .turnAccepted(let receipt):
        matches[index].took(receipt)
        return next(index)
      case .matchEnded: return nil
      default: throw BenchFailure("no turn: \(acceptance)")
      }
    }
  }

  private static func awaitRatings(_ site: Site) throws {
    let connection = try site.connectToDatabase()
    defer { connection.close() }
    let began = monotonic()
    while true {
      let left = try connection.query(
        "SELECT (SELECT count(*) FROM rating_queue) + (SELECT count(*) FROM outbox)"
      ).only[0].int64
      if left == 0 { return }
      try Interruption.check()
      guard seconds(from: began, to: monotonic()) < 60 else {
        throw BenchFailure("\(left) rows wait to be rated or published for a minute")
      }
      // Other processes rate and publish; only the tables say when they are done.
      usleep(100_000)
    }
  }
}
