import MatchCore

/// Checks after a run that a new rating of every match, from the first to the last, gives everybody
/// the rating in the store, and that the ladder's counts are right.
struct LadderCheck {
  private let ratings: SimulatedRatings

  init(_ ratings: SimulatedRatings) { self.ratings = ratings }

  func violations(_ matches: [MatchID: Match]) -> [String] {
    var found: [String] = []
    var ledger = RatingLedger()
    let order = ratings.results.values.sorted { ($0.first?.number ?? 0) < ($1.first?.number ?? 0) }
    for results in order {
      guard let first = results.first, let match = matches[first.match],
        let rated = match.rated ?? RatedMatch(annulled: match, results)
      else {
        found.append("a match was rated that does not count")
        continue
      }
      if ledger.rate(rated) != results {
        found.append("match \(first.match), number \(first.number), comes out otherwise again")
      }
    }
    if ledger.lastNumber != ratings.lastNumber {
      found.append("\(ledger.lastNumber) matches were rated, the last has \(ratings.lastNumber)")
    }
    if ledger.ratings != ratings.standings.mapValues(\.after) {
      found.append("players do not stand where their matches leave them")
    }
    var book = ratings
    if book.recount() > 0 { found.append("the ladder's counts are wrong") }
    return found
  }
}
