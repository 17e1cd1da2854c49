package import Logging
import MatchCore
package import MatchInterfaces
import Metrics
import ServiceMetrics

/// A rater's knobs.
package struct RaterSettings: Hashable, Sendable {
  /// Matches rated in one transaction.
  package var limit = 200
  /// How long to wait if no match waits.
  package var idleWait: Duration = .milliseconds(500)

  package init() {}
}

/// Rates matches that have ended, one after another, outside the transactions that ended them.
///
/// The store lets one rater at a time take matches. One transaction writes the results and ends the
/// matches' wait. So a rater that is killed leaves nothing half done.
package final class Rater: Role {
  private let store: RaterStore
  private let clock: WallClock
  private let settings: RaterSettings
  private let log: Logger
  private let rated = Counter(.raterMatches)
  private var pace = Pace.uncounted

  /// How many matches are rated at a time.
  private enum Pace {
    /// None, before the ladder's counts are known to be right.
    case uncounted
    /// As many as fit.
    case together
    /// One by one, as long as so many are left: the store refuses one of them.
    case apart(left: Int)

    /// An event that changes the pace.
    enum Event {
      /// The ladder's counts are right.
      case counted
      /// Matches were taken that wait.
      case took
      /// The store refused so many together.
      case refused(Int)
    }

    mutating func take(_ event: Event) {
      switch (self, event) {
      case (.uncounted, .counted), (.apart(left: ...1), .took): self = .together
      case (.apart(let left), .took): self = .apart(left: left - 1)
      case (.together, .refused(let count)), (.apart, .refused(let count)):
        self = .apart(left: count)
      case (.together, .counted), (.together, .took), (.apart, .counted), (.uncounted, .took),
        (.uncounted, .refused):
        break
      }
    }
  }

  /// Puts a rater together; it does nothing before its first step.
  package init(
    store: RaterStore, clock: WallClock, settings: RaterSettings = .init(), log: Logger
  ) {
    self.store = store
    self.clock = clock
    self.settings = settings
    self.log = log
  }

  /// Rates the matches that wait, or waits.
  /// - Returns: how many matches were rated.
  /// - Throws: `Interruption`.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    try count()
    let limit = if case .apart = pace { 1 } else { settings.limit }
    let work = try onStore(try store.take(limit))
    guard !work.matches.isEmpty || !work.already.isEmpty else {
      clock.sleep(settings.idleWait)
      return 0
    }
    var ledger = RatingLedger(
      lastNumber: work.lastNumber, ratings: work.ratings, meetings: work.meetings)
    var results: [RatingResult] = []
    for match in work.matches { results += ledger.rate(match) }
    pace.take(.took)
    do throws(StoreError) {
      try store.finish(results, work.already)
    } catch {
      try isolate(work, after: error)
      return 0
    }
    rated.increment(by: work.matches.count)
    return work.matches.count
  }

  /// A match that cannot be rated does not hold up the others.
  private func isolate(_ work: RatingWork, after error: StoreError) throws(Interruption) {
    switch error {
    case .conflict, .duplicate, .unavailable, .unusable: throw .store(error)
    case .failed(let reason), .rejected(let reason), .damaged(_, let reason):
      let ids = work.matches.map(\.match) + work.already
      guard ids.count == 1 else {
        return pace.take(.refused(ids.count))
      }
      log.error(
        "a match cannot be rated", metadata: ["match": "\(ids[0])", "reason": "\(reason)"])
      try onStore(try store.setAside(ids[0], reason))
    }
  }

  /// Nothing is held between two steps.
  package func leave() {}

  /// Counts once, before anything is rated. So a person who changed ratings by hand need not think
  /// of the counts.
  private func count() throws(Interruption) {
    guard case .uncounted = pace else { return }
    let wrong = try onStore(try store.recount())
    if wrong > 0 {
      log.warning("the ladder's counts were wrong", metadata: ["counts": .stringConvertible(wrong)])
    }
    pace.take(.counted)
  }
}
