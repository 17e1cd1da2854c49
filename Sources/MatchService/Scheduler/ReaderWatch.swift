/// Whether readers answer, as a scheduler finds by a query of its own. While none answers, nobody
/// sees a match, so nobody can play.
package enum ReaderWatch: Equatable {
  /// No reader has answered since this scheduler leads, and the first query without an answer was
  /// sent then. The leader before may have found that nobody answers.
  case unproven(waitingSince: UInt64?)
  /// A reader has answered; the first query without an answer was sent then.
  case answering(waitingSince: UInt64?)
  /// A query has been without an answer for too long.
  case silent

  /// How long a query may be without an answer: a slow reader is still there.
  static let patienceNanoseconds: UInt64 = 5_000_000_000
  /// The log's text about an outage.
  package static let complaint =
    "no reader answers, so that time stands still; is `cubistd run reader` running?"

  /// An event of a round.
  enum Event {
    /// A query was sent.
    case asked
    /// No query could be sent, which says nothing of readers.
    case couldNotAsk
    /// A reader is there, whichever query it has answered.
    case answered
    /// All answers were looked at.
    case looked
  }

  /// The change to be logged.
  enum Change {
    case fellSilent
    case answersAgain
  }

  /// Whether time may pass.
  var letsTimePass: Bool {
    if case .answering = self { true } else { false }
  }

  /// Takes an event.
  mutating func take(_ event: Event, at uptime: UInt64) -> Change? {
    switch (self, event) {
    case (.silent, .answered):
      self = .answering(waitingSince: nil)
      return .answersAgain
    case (.unproven, .answered), (.answering, .answered): self = .answering(waitingSince: nil)
    case (.unproven(nil), .asked): self = .unproven(waitingSince: uptime)
    case (.answering(nil), .asked): self = .answering(waitingSince: uptime)
    case (.unproven(let since?), .looked), (.answering(let since?), .looked):
      guard ReaderWatch.isOutage(since, at: uptime) else { return nil }
      self = .silent
      return .fellSilent
    // An outage that has begun goes on.
    case (.unproven(let since?), .couldNotAsk):
      if !ReaderWatch.isOutage(since, at: uptime) { self = .unproven(waitingSince: nil) }
    case (.answering(let since?), .couldNotAsk):
      if !ReaderWatch.isOutage(since, at: uptime) { self = .answering(waitingSince: nil) }
    case (.unproven, .asked), (.answering, .asked), (.unproven, .couldNotAsk),
      (.answering, .couldNotAsk), (.unproven, .looked), (.answering, .looked), (.silent, _):
      break
    }
    return nil
  }

  private static func isOutage(_ since: UInt64, at uptime: UInt64) -> Bool {
    uptime &- since >= patienceNanoseconds
  }
}
