package import MatchCore

/// Writes the rows that are derived from a record anew. Confined to its thread.
package struct RebuildStore: Interface {
  /// Writes a match as it has to be, in one transaction, and keeps among the operator's acts that
  /// this was done; `conflict` if the match was written since it was read.
  package var write: Ask<MatchRebuild, Void, StoreError>

  package init(_ how: Asking<StoreError>, around inner: RebuildStore?) {
    write = how("RebuildStore.write", inner?.write) { _ in }
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
