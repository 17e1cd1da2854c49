public import MatchCore

/// Writes the rows that are derived from a record anew. Confined to its thread.
public struct RebuildStore: Interface {
  /// Writes a match as it has to be, in one transaction, and keeps among the operator's acts that
  /// this was done; `conflict` if the match was written since it was read.
  public var write: Ask<MatchRebuild, Void, StoreError>

  public init(_ how: Asking<StoreError>, around inner: RebuildStore?) {
    write = how("RebuildStore.write", inner?.write) { _ in }
  }
}

/// Everything that is derived from one record, as it has to be.
public struct MatchRebuild: Hashable, Sendable {
  /// The match with the version that it had when it was read; 0: there is no such row.
  ///
  /// It is written with the next version, so that a worker with an older state in memory finds out.
  public var match: Match
  /// The codes that lead to it.
  public var codes: Set<ShareCode>
  /// Push jobs that are owed and nowhere to be found.
  public var missing: [PushJob]
  /// Push jobs in the outbox that nothing owes.
  public var unexpected: [PushJobID]
  /// Whether some players do not stand where their last results leave them, and have to be put
  /// there.
  public var restoresStandings: Bool
  /// Boards to be counted anew.
  public var staleBoards: [RankedBoard]
  /// The list of corrections, for the operator's acts.
  public var detail: String

  public init(
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
