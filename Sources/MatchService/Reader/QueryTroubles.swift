import Logging
import MatchCore
import MatchInterfaces

/// The queries that a reader cannot answer, as its log tells them: an outage is no line a query.
struct QueryTroubles {
  /// What goes on apart from the rest.
  private enum Cause: Hashable {
    case store
    /// A damaged match, which somebody may ask for every few seconds.
    case match(MatchID)
    case largeAnswer
  }

  private static let message = "query cannot be answered"

  /// A minute of answers ends an incident: a database in trouble answers now and then.
  private var incidents = Incidents<Cause>(
    Incident.Messages(
      began: QueryTroubles.message, lasts: "queries still cannot be answered",
      ended: "queries can be answered again"), calm: .seconds(60))

  /// The store has no answer to a query.
  mutating func failed(
    _ error: StoreError, at uptime: UInt64, _ log: Logger, _ marks: Logger.Metadata
  ) {
    var metadata = marks
    metadata["reason"] = "\(error)"
    if let match = error.damagedMatch { metadata["match"] = "\(match)" }
    note(error.damagedMatch.map { .match($0) } ?? .store, at: uptime, log, metadata)
  }

  /// An answer has more bytes than the broker takes.
  mutating func isTooLarge(
    _ bytes: Int, at uptime: UInt64, _ log: Logger, _ marks: Logger.Metadata
  ) {
    let reason: Logger.Metadata = [
      "reason": "answer too large", "bytes": .stringConvertible(bytes),
    ]
    note(.largeAnswer, at: uptime, log, marks.merging(reason) { $1 })
  }

  private mutating func note(
    _ cause: Cause, at uptime: UInt64, _ log: Logger, _ metadata: Logger.Metadata
  ) {
    let line = incidents.failed(cause, at: uptime)
    log.write(line, metadata: metadata)
    if line == nil { log.debug("\(QueryTroubles.message)", metadata: metadata) }
  }

  /// A query was answered.
  /// - Parameter match: What it showed, if it was a match.
  mutating func answered(
    _ match: MatchID?, at uptime: @autoclosure () -> UInt64, _ log: Logger
  ) {
    for cause in incidents.keys {
      if case .match(let damaged) = cause, damaged != match { continue }
      let damaged: Logger.Metadata =
        if case .match(let match) = cause { ["match": "\(match)"] } else { [:] }
      log.write(incidents.wentWell(cause, at: uptime()), metadata: damaged)
    }
  }
}
