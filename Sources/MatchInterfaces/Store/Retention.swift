package import MatchCore

/// How many days rows are kept that nobody needs for ever. Ratings and scores stay.
package struct Retention: Hashable, Sendable {
  /// Replies to events, by the time of the event. Events are taken for seven days, and one may come
  /// again on its last day.
  package var replies = 8
  /// The fate of push jobs, dead push jobs and dead events. The inbox and `cubistd check` look at
  /// them for thirty days.
  package var jobs = 30
  /// Reports of players.
  package var reports = 180
  /// Acts of operators; 0: for ever.
  package var acts = 0
  /// Matches that are over, by their last entry, with their records and past games; 0: for ever.
  package var games = 0

  /// The days that every build before settings had.
  package static let standard = Retention()

  package static let replyRange = 8...3_650
  package static let jobRange = 30...3_650
  package static let reportRange = 1...3_650
  package static let actRange = 0...36_500
  package static let gameRange = 0...36_500

  package init() {}

  /// The fewest days for games that are not kept for ever. `cubistd check` looks for the events of
  /// kept replies in records, and for the matches of kept push jobs.
  package var leastGames: Int { max(replies, jobs) + 2 }

  /// The time before which the last entry of a match has to be that is dropped at a time; nil: none
  /// is.
  package func endOfGames(at time: Instant) -> Instant? {
    games > 0 ? time.adding(seconds: -86_400 * Int64(games)) : nil
  }
}
