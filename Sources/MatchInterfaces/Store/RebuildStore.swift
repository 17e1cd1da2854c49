package import MatchCore

/// Writes the rows that are derived from a record anew. Confined to its thread.
package struct RebuildStore: Interface {
  /// Writes a match as it has to be, in one transaction, which counts it in the operator's act;
  /// `conflict` if the match was written since it was read.
  package var write: Ask<MatchRebuild, Void, StoreError>

  package init(_ how: Asking<StoreError>, around inner: RebuildStore?) {
    write = how("RebuildStore.write", inner?.write) { _ in }
  }
}

/// The act of one rebuild, however many matches it writes.
package struct RebuildTally: Hashable, Sendable {
  /// How many matches are named with their corrections.
  package static let namedLimit = 20

  private let run: String
  private let `operator`: String
  private var count = 0
  private var named: [String] = []

  /// - Parameter run: Tells this rebuild from all others.
  package init(run: UInt64, by operator: String) {
    self.run = String(run, radix: 16)
    self.operator = `operator`
  }

  /// The beginning of the act's detail, which no other rebuild has.
  package var beginning: String { "by \(`operator`) in rebuild \(run): " }

  /// The whole detail.
  package var detail: String {
    let more = count > named.count ? ["and \(count - named.count) more"] : []
    return beginning + "\(count == 1 ? "1 match" : "\(count) matches"). "
      + (named + more).joined(separator: ". ")
  }

  /// A match is written.
  package mutating func add(_ rebuild: MatchRebuild) {
    count += 1
    guard named.count < RebuildTally.namedLimit else { return }
    named.append("\(rebuild.match.id): \(rebuild.detail)")
  }
}

/// Everything that is derived from one record, as it has to be.
package struct MatchRebuild: Hashable, Sendable {
  /// The match with the version that it had when it was read; 0: there is no such row.
  ///
  /// It is written with the next version, so that a worker with an older state in memory finds out.
  package var match: Match
  /// The codes that lead to it.
  package var codes: Set<ShareCode>
  /// Push jobs that are owed and nowhere to be found.
  package var missing: [PushJob]
  /// Push jobs in the outbox, or held, that nothing owes.
  package var unexpected: [PushJobID]
  /// Whether some players do not stand where their last results leave them, and have to be put
  /// there.
  package var restoresStandings: Bool
  /// Boards to be counted anew.
  package var staleBoards: [RankedBoard]
  /// The list of corrections, for the operator's acts.
  package var detail: String

  package init(
    match: Match, codes: Set<ShareCode>, missing: [PushJob] = [], unexpected: [PushJobID] = [],
    restoresStandings: Bool = false, staleBoards: [RankedBoard] = [], detail: String
  ) {
    self.match = match
    self.codes = codes
    self.missing = missing
    self.unexpected = unexpected
    self.restoresStandings = restoresStandings
    self.staleBoards = staleBoards
    self.detail = detail
  }
}
