import MatchCore
package import MatchInterfaces
import MatchWire

/// Checks the records against the kept replies: an event that was told as done has to be in a
/// record. So a record with its end cut off is found, even if all derived rows were made to fit.
///
/// An entry binds all before it. So of each match only the newest replies of a page are looked up.
package struct ReplyCheck {
  /// Whether every reply has been looked at.
  package private(set) var isDone = false
  /// How many replies were looked at.
  package private(set) var count = 0
  /// The events by which keys came and went.
  package private(set) var keyChanges: [EventKey] = []
  private let store: CheckStore
  private var last: EventKey?
  private var named: Set<MatchID>

  /// A check of all replies. It leaves out matches with a known fault in the record.
  package init(_ store: CheckStore, besides violations: [Violation] = []) {
    self.store = store
    named = Set(violations.filter(\.concernsRecord).map(\.match))
  }

  /// An event that was told as done.
  fileprivate struct Told {
    var key: EventKey
    var version: Int64
    var place: RecordPlace
  }

  /// Checks the next page.
  /// - Returns: one violation for each match with a record that lacks a told event.
  /// - Throws: `StoreError`; the same page can be tried again.
  package mutating func next(limit: Int = 5_000) throws(StoreError) -> [Violation] {
    let page = try store.handled(last, limit)
    var newest: [MatchID: [Told]] = [:]
    var keyChanges: [EventKey] = []
    for row in page {
      guard case .accepted(let acceptance) = (try? ReplyCodec.decode(row.reply.reply))?.reply
      else { continue }
      if acceptance.changesKeys { keyChanges.append(row.key) }
      guard let told = ReplyCheck.told(row, acceptance), !named.contains(told.place.match)
      else { continue }
      var kept = newest[told.place.match] ?? []
      // Versions begin again if a match's row was lost and rebuilt. So the last reply of the page
      // is looked up as well.
      let isOlder = kept.first.map { $0.version > told.version } ?? false
      kept = Array(kept.prefix(isOlder ? 1 : 0)) + [told]
      newest[told.place.match] = kept
    }
    let all = newest.sorted { $0.key < $1.key }.flatMap(\.value)
    var violations: [Violation] = []
    if !all.isEmpty {
      for index in try store.lacking(all.map(\.place)) where all.indices.contains(index) {
        let told = all[index]
        guard named.insert(told.place.match).inserted else { continue }
        violations.append(told.violation)
      }
    }
    count += page.count
    self.keyChanges += keyChanges
    last = page.last?.key ?? last
    isDone = page.count < limit
    return violations
  }

  private static func told(_ row: BatchWrite.Reply, _ acceptance: Acceptance) -> Told? {
    guard let (match, version, hash) = acceptance.recorded else { return nil }
    return Told(
      key: row.key, version: version,
      place: RecordPlace(match: match, payloadHash: row.reply.payloadHash, entryHash: hash))
  }
}

extension ReplyCheck.Told {
  fileprivate var violation: Violation {
    Violation(
      .entryMissing, in: place.match, since: key.event.time,
      "event \(key.event) of player \(key.player) was told as done, and is in no entry")
  }
}

extension Acceptance {
  /// Whether the answer says that a key came or went. Such an event owes its player a job about the
  /// account. One that is answered with `recoverySet` may owe none: a recovery key that is named
  /// once more changes nothing.
  fileprivate var changesKeys: Bool {
    switch self {
    case .keyAdded, .keyRemoved: true
    case .registered, .matchStarted, .matchJoined, .dailyStarted, .done, .turnAccepted,
      .matchEnded, .rematchStarted, .gameShared, .noted, .deviceInvited, .recoverySet,
      .playerBlocked, .playerUnblocked, .reported:
      false
    }
  }

  /// The match with the accepted event in its record, with its version and, for a turn, the hash of
  /// the entry. Nil for a result that is in no record, or not by this event.
  fileprivate var recorded: (match: MatchID, version: Int64, hash: Hash?)? {
    switch self {
    case .turnAccepted(let receipt): (receipt.match, receipt.version, receipt.hash)
    case .matchStarted(let ticket), .matchJoined(let ticket), .dailyStarted(let ticket):
      (ticket.match, ticket.version, nil)
    case .done(let step, let match, let version): step.isRecorded ? (match, version, nil) : nil
    case .matchEnded(let match, _, _, let version): (match, version, nil)
    // A player who asks for a rematch that exists is told of it.
    case .rematchStarted: nil
    case .registered, .gameShared, .noted, .deviceInvited, .keyAdded, .keyRemoved, .recoverySet,
      .playerBlocked, .playerUnblocked, .reported:
      nil
    }
  }
}
