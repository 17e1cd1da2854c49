import Synchronization

/// Which faults happened, and how long each was felt.
final class FaultLog: Sendable {
  /// A fault that was made to happen.
  struct Record {
    var kind: FaultKind
    /// When it was made to happen.
    var openedAt: UInt64
    /// When every queue answered again, and the fault had been taken back.
    var settledAt: UInt64?
    /// The time from which players wait for the service to answer again; nil: not yet.
    var since: UInt64?
    /// Seconds until every queue answered.
    var recovery: Double?
    /// The victims that it was seen to strike: places of roles, servers, or `connections`.
    var strikes: [String] = []
    /// Whether `cubistd status` named it while it was held; nil: it was not asked.
    var isNamed: Bool?
    /// The findings of `cubistd status` at that time, where it did not name the fault.
    var found: [String] = []
    /// Whether it has been taken back.
    var isOver = false
    /// The number of the round; faults of one round came together.
    var round: Int
  }

  private struct State {
    var records: [Record] = []
    var failure: ChaosFailure?
  }

  private let state = Mutex(State())

  /// All of them, the oldest first.
  var records: [Record] { state.withLock { $0.records } }
  /// Why a fault could not be made to happen or be taken back.
  var failure: ChaosFailure? { state.withLock { $0.failure } }

  func open(_ kind: FaultKind, round: Int) -> Int {
    state.withLock { state in
      state.records.append(Record(kind: kind, openedAt: uptime(), round: round))
      return state.records.count - 1
    }
  }

  /// Notes that a fault was seen to strike something.
  func strike(_ index: Int, _ what: String) {
    state.withLock { $0.records[index].strikes.append(what) }
  }

  /// Notes whether `cubistd status` named a fault, and its findings.
  func note(_ index: Int, isNamed: Bool, found: [String]) {
    state.withLock { state in
      state.records[index].isNamed = isNamed
      state.records[index].found = found
    }
  }

  func begin(_ index: Int) { state.withLock { $0.records[index].since = uptime() } }

  func close(_ index: Int, failure: ChaosFailure? = nil) {
    state.withLock { state in
      state.records[index].isOver = true
      state.failure = state.failure ?? failure
    }
  }

  /// Whether a fault has not been taken back yet.
  var isHeld: Bool { state.withLock { !$0.records.allSatisfy(\.isOver) } }

  /// Notes which faults are not felt any more.
  ///
  /// - Returns: Whether all are over and none is felt.
  func settle(_ watch: AnswerWatch) -> Bool {
    state.withLock { state in
      var isQuiet = true
      for index in state.records.indices where state.records[index].recovery == nil {
        let isOver = state.records[index].isOver
        if let since = state.records[index].since,
          watch.isAnswering(since: since, mayBeQuiet: isOver)
        {
          state.records[index].recovery = seconds(from: since, to: uptime())
        } else {
          isQuiet = false
        }
      }
      for index in state.records.indices
      where state.records[index].isOver && state.records[index].recovery != nil {
        state.records[index].settledAt = state.records[index].settledAt ?? uptime()
      }
      return isQuiet && state.records.allSatisfy(\.isOver)
    }
  }

  /// When a fault was on: from its beginning until every queue answered again.
  var disturbances: [ClosedRange<UInt64>] {
    let now = uptime()
    return records.map { $0.openedAt...max($0.openedAt, $0.settledAt ?? now) }
  }

  /// How often each role and each server was struck.
  var strikes: [String: Int] {
    records.flatMap(\.strikes).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Faults that struck nothing: a run with such faults proves nothing about them.
  var misses: [Finding] {
    records.filter { $0.isOver && $0.strikes.isEmpty }.map { record in
      Finding(.wrong, "\(record.kind.rawValue) of round \(record.round) struck nothing")
    }
  }

  /// Faults that an operator was not told of.
  var unnamed: [Finding] {
    records.filter { $0.isNamed == false }.map { record in
      Finding(
        .wrong,
        "cubistd status did not find \(record.kind.sign?.name ?? "anything") while "
          + "\(record.kind.rawValue) of round \(record.round) was held, but "
          + (record.found.isEmpty ? "nothing" : record.found.joined(separator: ", ")))
    }
  }

  /// A row for each kind that happened, with the recoveries of those that came alone, and one for
  /// all that came together.
  var rows: [ChaosReport.FaultRow] {
    let rounds = Dictionary(grouping: records, by: \.round).values
    let alone = rounds.filter { $0.count == 1 }.flatMap { $0 }
    let kinds = FaultKind.allCases.compactMap { kind -> ChaosReport.FaultRow? in
      let count = records.count { $0.kind == kind }
      guard count > 0 else { return nil }
      return ChaosReport.FaultRow(
        kind.rawValue, count: count,
        named: records.count { $0.kind == kind && $0.isNamed == true },
        recoveries: alone.filter { $0.kind == kind }.compactMap(\.recovery))
    }
    let together = rounds.filter { $0.count > 1 }.compactMap { $0.compactMap(\.recovery).max() }
    guard !together.isEmpty else { return kinds }
    return kinds + [
      ChaosReport.FaultRow("several-at-once", count: together.count, named: 0, recoveries: together)
    ]
  }
}
