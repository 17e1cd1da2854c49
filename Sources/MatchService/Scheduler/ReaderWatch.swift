/// Whether readers answer, as a scheduler finds by a query of its own. While none does nobody sees a
/// match, so that nobody can play.
struct ReaderWatch {
  /// So long a query may be without an answer: whoever is slow is there.
  static let patienceNanoseconds: UInt64 = 5_000_000_000
  /// What is said of an outage.
  static let complaint =
    "no reader answers, so that time stands still; is `cubistd run reader` running?"

  /// Whether a reader has answered since this scheduler leads.
  private var isProven = false
  /// When the first query was sent that nobody has answered.
  private var waitingSince: UInt64?

  /// A query was sent.
  mutating func asked(at uptime: UInt64) { waitingSince = waitingSince ?? uptime }

  /// No query could be sent, which says nothing of readers; an outage that has begun goes on.
  mutating func couldNotAsk(at uptime: UInt64) {
    if !isOutage(at: uptime) { waitingSince = nil }
  }

  /// A reader has answered: it is there, whichever query that was.
  mutating func answered() { (isProven, waitingSince) = (true, nil) }

  /// Whether a query has been without an answer for too long.
  func isOutage(at uptime: UInt64) -> Bool {
    waitingSince.map { uptime &- $0 >= ReaderWatch.patienceNanoseconds } ?? false
  }

  /// Whether time may pass. Before the first answer it may not: the leader before may have found that
  /// nobody answers.
  func letsTimePass(at uptime: UInt64) -> Bool { isProven && !isOutage(at: uptime) }
}
